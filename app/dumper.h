// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine's flight recorder: keeps the latest history in memory and writes it to a file each time that a dump is
// due.
#pragma once

#include "app/commandline.h"
#include "app/findingbrake.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <QElapsedTimer>
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

class AddressLookup;
struct ExportReport;

/// Lives on the main thread; files are written on a thread of its own, one at a time.
class Dumper final : public QObject {
    Q_OBJECT
public:
    /// `line.keepsOnly()` holds. `population` and history() are to be made sinks of the session.
    Dumper(const CommandLine &line, std::shared_ptr<const Population> population, QObject *parent = nullptr);
    ~Dumper() override;  ///< waits for a file that is being written

    /// What addresses mean; before the first dump.
    void setLookup(std::shared_ptr<AddressLookup> lookup) { m_lookup = std::move(lookup); }
    std::shared_ptr<History> history() const { return m_history; }
    /// Whether dumps can be written where they belong. Creates nothing.
    Result<void> checkPlace() const;
    /// From now on a new finding, or the end of a process, means a dump, if the command line says so. `sums`: the
    /// session's, for what the history does not know.
    void watch(std::function<Accounting()> sums);
    /// As seen from outside: processes of version 1 say nothing of themselves. What the population tells of is ignored.
    void processEnded(pid_t pid);

    void dump(const QString &reason);  ///< while one is being written: once more, when it is done
    enum class Ending {
        TargetDied,  ///< by itself
        Found,       ///< what was attached to was dead before
        Left,        ///< stopped by the user, the targets go on or have ended by themselves
        Terminated,  ///< the target ended because we wanted it to
    };
    /// The capture has ended: writes the last dumps, if any are due, and returns when all is on disk. `now`: when that
    /// was, ns, CLOCK_MONOTONIC.
    void finish(Ending ending, std::uint64_t now);

    const std::vector<std::string> &files() const { return m_files; }  ///< written so far
    /// Coroutines found to be stuck that no dump was made for, see FindingBrake.
    std::uint64_t findingsNotDumped() const { return m_brake.atDumpedPlaces() + m_brake.beyondTheLast(); }

Q_SIGNALS:
    void said(const QString &message);
    void failed(const QString &message);

private:
    struct Outcome;
    struct Death {
        std::uint32_t pid = 0;
        QString reason;
        bool told = false;  ///< by the stream
    };
    static QString describe(const ExportReport &report);
    void look();
    bool hasNewFinding(std::uint64_t now);
    void saySpared();
    void lookForDeaths();
    void dumpDeaths();
    void begin();
    void end();

    const CommandLine &m_line;
    std::shared_ptr<const Population> m_population;
    std::shared_ptr<History> m_history;
    std::shared_ptr<AddressLookup> m_lookup;
    std::unique_ptr<QThread> m_writer;
    std::shared_ptr<Outcome> m_outcome;  ///< of the file that is being written
    std::deque<QString> m_due;           ///< reasons of the next dumps
    QTimer m_look;
    std::function<Accounting()> m_sums;
    std::vector<bool> m_endSeen;     ///< by place among the population's processes
    std::vector<Death> m_dying;      ///< processes whose end was seen, and a dump is due for
    std::uint64_t m_dyingSince = 0;  ///< stream time of the last of them, ns
    std::size_t m_deathsDumped = 0;
    FindingBrake m_brake;
    bool m_saidSpent = false;
    std::vector<std::string> m_files;
    std::uint32_t m_number = 0;  ///< of the latest dump
};

/// "run.jsonl", 3 -> "run.3.jsonl".
std::string numberedPath(const std::string &path, std::uint32_t number);

}  // namespace ct
