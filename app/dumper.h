// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine's flight recorder: keeps the latest history in memory and writes it to a file each time that a dump is
// due.
#pragma once

#include "app/commandline.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <QElapsedTimer>
#include <QObject>
#include <QThread>
#include <QTimer>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ct {

/// Lives on the main thread; files are written on a thread of its own, one at a time.
class Dumper final : public QObject {
    Q_OBJECT
public:
    /// `line.keepsOnly()` holds. `population` and history() are to be made sinks of the session.
    Dumper(const CommandLine &line, std::shared_ptr<const Population> population, QObject *parent = nullptr);
    ~Dumper() override;  ///< waits for a file that is being written

    std::shared_ptr<History> history() const { return m_history; }
    /// Whether dumps can be written where they belong. Creates nothing.
    Result<void> checkPlace() const;
    /// From now on a new finding means a dump, if the command line says so.
    void watchFindings();

    void dump(const QString &reason);  ///< while one is being written: once more, when it is done
    /// The capture has ended: writes the last dump, if one is due, and returns when all is on disk. `died`: the target
    /// ended by itself; `now`: when that was, ns, CLOCK_MONOTONIC.
    void finish(bool died, std::uint64_t now);

    const std::vector<std::string> &files() const { return m_files; }  ///< written so far

Q_SIGNALS:
    void said(const QString &message);
    void failed(const QString &message);

private:
    struct Outcome;
    void lookForFindings();
    bool hasNewFinding(std::uint64_t now);
    void begin(const QString &reason);
    void end();

    const CommandLine &m_line;
    std::shared_ptr<const Population> m_population;
    std::shared_ptr<History> m_history;
    std::unique_ptr<QThread> m_writer;
    std::shared_ptr<Outcome> m_outcome;  ///< of the file that is being written
    QString m_next;                      ///< reason of the next dump; null = none is due
    QTimer m_look;
    std::set<CoroutineId> m_known;  ///< stuck ones that a dump was made for
    std::vector<std::string> m_files;
    std::uint32_t m_number = 0;
};

/// "run.jsonl", 3 -> "run.3.jsonl".
std::string numberedPath(const std::string &path, std::uint32_t number);

}  // namespace ct
