// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps the latest history in memory, and writes it to a file each time that a dump is due.
#pragma once

#include "app/batch/dumplimiter.h"
#include "app/commandline/commandline.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <QObject>
#include <QThread>
#include <QTimer>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ct {

class ExportResolver;
struct ExportReport;

/// Lives on the main thread. Writes files on a thread of its own, one at a time.
class Dumper final : public QObject {
    Q_OBJECT
public:
    /// Requires `line.keepsOnly()`. Add `population` and history() to the session as sinks. `stuck`: returns the
    /// coroutines that are stuck when it is called.
    Dumper(const CommandLine &line, std::shared_ptr<const Population> population,
           std::function<std::vector<StuckGroup>()> stuck, QObject *parent = nullptr);
    ~Dumper() override;  ///< waits for a file that is being written

    /// Sets the resolver of addresses. Call it before the first dump.
    void setExportResolver(std::shared_ptr<ExportResolver> exportResolver)
    {
        m_exportResolver = std::move(exportResolver);
    }
    std::shared_ptr<History> history() const { return m_history; }
    /// Fails if dumps cannot be written into their folder. Creates nothing.
    Result<void> checkFolder() const;
    /// From now on, new findings and ends of processes cause dumps, as the command line says. `sums`: returns the
    /// session's sums, for counts that the history lacks.
    void watch(std::function<Accounting()> sums);
    /// Reports that a process has ended, as seen from outside, because version-1 processes do not publish their end.
    /// Ignored for processes that the population knows.
    void processEnded(pid_t pid);

    void dump(const QString &reason);  ///< while a dump is being written: queues another one
    enum class Ending {
        TargetDied,  ///< the target ended by itself
        Found,       ///< the target was dead before this program attached
        Left,        ///< the user stopped the capture; targets continue, or have ended by themselves
        Terminated,  ///< this program ended the target
    };
    /// Call it after the capture. Writes the last dumps, if any are due, and returns when all are on disk. `now`: when
    /// the end was decided, ns, CLOCK_MONOTONIC.
    void finish(Ending ending, std::uint64_t now);

    const std::vector<std::string> &files() const { return m_files; }  ///< written so far
    /// Stuck coroutines without a dump, see DumpLimiter.
    std::uint64_t findingsNotDumped() const { return m_limiter.atDumpedSites() + m_limiter.beyondTheLast(); }

Q_SIGNALS:
    void reported(const QString &message);
    void failed(const QString &message);

private:
    struct Outcome;
    struct Death {
        std::uint32_t pid = 0;
        QString reason;
        bool reportedByStream = false;  ///< the stream has reported it
    };
    static QString describe(const ExportReport &report);
    void check();
    bool hasNewFinding(std::uint64_t now);
    void reportSpared();
    void discoverDeaths();
    void dumpDeaths();
    void startDump();
    void finishDump();

    const CommandLine &m_line;
    std::shared_ptr<const Population> m_population;
    std::function<std::vector<StuckGroup>()> m_stuck;
    std::shared_ptr<History> m_history;
    std::shared_ptr<ExportResolver> m_exportResolver;
    std::unique_ptr<QThread> m_writer;
    std::shared_ptr<Outcome> m_outcome;  ///< for the file that is being written
    std::deque<QString> m_due;           ///< reasons of the next dumps
    QTimer m_checkTimer;
    std::function<Accounting()> m_sums;
    std::vector<bool> m_endSeen;     ///< by index in Population::processes()
    std::vector<Death> m_dying;      ///< ended processes that need a dump
    std::uint64_t m_dyingSince = 0;  ///< ns; stream time of the latest addition to m_dying
    std::size_t m_deathsDumped = 0;
    DumpLimiter m_limiter;
    bool m_reportedSpent = false;
    std::vector<std::string> m_files;
    std::uint32_t m_number = 0;  ///< number of the latest dump
};

/// "run.jsonl", 3 -> "run.3.jsonl".
std::string numberedPath(const std::string &path, std::uint32_t number);

}  // namespace ct
