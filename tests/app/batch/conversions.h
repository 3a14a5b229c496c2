// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs corotracer-gui --batch on files of a directory, and compares the streams and the texts that result.
#pragma once

#include "core/recording/library/openrecording.h"
#include "tests/support/runner.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace conversions {

struct Outcome {
    int status = -1;
    QByteArray err;
    QByteArray out;
    bool says(const char *text) const { return err.contains(text); }
};

/// A directory in which the program runs.
class Folder {
public:
    QString path(const QString &name) const { return m_directory.filePath(name); }
    QByteArray content(const char *name) const { return runner::readAll(path(QLatin1String(name))); }
    bool has(const char *name) const { return QFileInfo::exists(path(QLatin1String(name))); }
    /// All names, sorted.
    QStringList names() const { return QDir(m_directory.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name); }
    bool write(const char *name, const QByteArray &bytes) const
    {
        QFile file(path(QLatin1String(name)));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    }

    void prepare(QProcess &process, const QString &words) const
    {
        process.setProgram(runner::binary("corotracer-gui"));
        process.setWorkingDirectory(m_directory.path());
        process.setArguments(QStringList{QStringLiteral("--batch")} + words.split(QLatin1Char(' ')));
    }
    /// `words`: options, separated by spaces.
    Outcome run(const QString &words, const QByteArray &input = {}, const QString &inputFile = {}) const
    {
        QProcess process;
        prepare(process, words);
        if (!inputFile.isEmpty())
            process.setStandardInputFile(path(inputFile));
        process.start();
        if (inputFile.isEmpty()) {
            process.write(input);
            process.closeWriteChannel();
        }
        return outcomeOf(process);
    }
    static Outcome outcomeOf(QProcess &process)
    {
        if (process.state() != QProcess::NotRunning && !process.waitForFinished(runner::kPatienceMs))
            return {};
        const int status =
            process.exitStatus() == QProcess::NormalExit ? process.exitCode() : 1000 + process.exitCode();
        return {status, process.readAllStandardError(), process.readAllStandardOutput()};
    }
    /// Records a target. Returns false if that fails.
    bool record(const QString &output, const char *target, const char *arguments) const
    {
        const QStringList words = runner::target(target, runner::words(arguments));
        return run(QStringLiteral("-o %1 %2").arg(output, words.join(QLatin1Char(' ')))).status == 0;
    }

private:
    QTemporaryDir m_directory;
};

/// The lines of a text file, sorted: for outputs whose order is not promised.
inline QList<QByteArray> sortedLines(const QByteArray &text)
{
    QList<QByteArray> lines = text.split('\n');
    std::ranges::sort(lines);
    return lines;
}

/// True if two CSV files have equal rows. Rows of `late` may lack a name or a parent, the last two columns: a recording
/// can have them in a later batch than the event, while a database has them before all events.
inline bool sameRows(const QByteArray &late, const QByteArray &complete)
{
    return std::ranges::equal(late.split('\n'), complete.split('\n'),
                              [](const QByteArray &row, const QByteArray &full) {
                                  const QList<QByteArray> cells = row.split(',');
                                  const QList<QByteArray> fullCells = full.split(',');
                                  if (cells.size() != fullCells.size())
                                      return false;
                                  for (qsizetype i = 0; i < cells.size(); ++i) {
                                      const bool mayLack = i + 2 >= cells.size();
                                      if (cells[i] != fullCells[i] && !(mayLack && cells[i].isEmpty()))
                                          return false;
                                  }
                                  return true;
                              });
}

/// The content of a stream that does not depend on the order of its coroutines.
struct Content {
    using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;  ///< probe id, pid, time of birth
    using Event = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t, std::string,
                             ct::PointKind, bool>;
    std::map<Key, std::vector<Event>> events;
    std::map<std::string, std::uint64_t> notes;  ///< number of each sort
    std::map<std::string, std::uint64_t> sums;
    std::string error;
    bool operator==(const Content &) const = default;
};

inline void addNotes(const ct::Notes &notes, std::map<std::string, std::uint64_t> &counts)
{
    counts["waits"] += notes.waits.size();
    counts["wakes"] += notes.wakes.size();
    counts["uses"] += notes.uses.size();
    counts["wakersLeft"] += notes.wakersLeft.size();
    counts["finishes"] += notes.finishes.size();
    counts["names"] += notes.names.size();
    counts["parents"] += notes.parents.size();
    counts["drops"] += notes.drops.size();
    counts["switches"] += notes.switches.size();
}

/// Reads a recording of any format.
inline Content contentOf(const QString &path)
{
    Content content;
    auto file = ct::openRecording(path.toStdString());
    if (!file)
        return {{}, {}, {}, file.error().message};
    std::map<ct::CoroutineId, Content::Key> births;
    std::map<ct::SiteId, std::string> sites;
    ct::Batch batch;
    for (bool more = true; more;) {
        batch.clear();
        const ct::Result<bool> next = (*file)->next(batch);
        more = next && *next;
        if (!next)
            content.error = next.error().message;
        for (const ct::Site &site : batch.sites)
            sites[site.id] = site.file + ':' + std::to_string(site.line) + ' ' + site.function;
        for (const ct::Birth &birth : batch.births)
            births[birth.coroutine] = {birth.probeId, birth.pid, birth.birthTs};
        for (const ct::Transition &event : batch.transitions)
            content.events[births[event.coroutine]].emplace_back(event.ts, event.addr, event.n, event.seq, event.tid,
                                                                 sites[event.site], event.kind, event.active);
        addNotes(batch.notes, content.notes);
    }
    const ct::Accounting sums = (*file)->accounting();
    content.sums = {{"captured", sums.captured},
                    {"lost", sums.lost},
                    {"missed", sums.missedBeforeAttach},
                    {"coroutines", sums.coroutines}};
    return content;
}

}  // namespace conversions
