// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/dumper.h"

#include "core/base/fileremedy.h"
#include "core/base/startthread.h"
#include "core/base/usedtime.h"
#include "core/exporting/exporttrace.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::uint64_t kDefaultBytes = 2ULL << 30;
constexpr int kCheckMs = 250;

/// Returns the time to the next check, in ms, from the processor time that the last one took. Checks may use 2 % of a
/// processor, or 10 % if the time would otherwise exceed a second.
int pauseAfter(std::uint64_t costNs)
{
    constexpr std::uint64_t kMs = 1'000'000;
    constexpr std::uint64_t kUsualMs = 1000;
    const std::uint64_t costMs = (costNs + kMs - 1) / kMs;
    return static_cast<int>(std::max({std::uint64_t{kCheckMs}, std::min(50 * costMs, kUsualMs), 10 * costMs}));
}

std::uint64_t keepNsOf(const CommandLine &line)
{
    return line.keep.seconds ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(*line.keep.seconds * 1e9)) : 0;
}

/// True even for a link to a missing file; false for an empty path.
bool isTaken(const std::string &path)
{
    std::error_code error;
    return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

}  // namespace

/// Describes the content of a dump, and what it lacks because of the limits of memory.
QString Dumper::describe(const ExportReport &report)
{
    QString text = tr("%1 events").arg(report.rows);
    if (!report.causesPath.empty())
        text += tr("; %1 causes in %2").arg(report.causes).arg(QString::fromStdString(report.causesPath));
    if (report.evictedEvents > 0)
        text += tr("; %1 older ones were no longer in memory").arg(report.evictedEvents);
    if (report.evictedNotes > 0)
        text += tr("; %1 older wakes, waits and uses were no longer in memory").arg(report.evictedNotes);
    if (report.overflowCoroutines > 0)
        text += tr("; %1 coroutines with %2 events did not fit in memory")
                    .arg(report.overflowCoroutines)
                    .arg(report.overflowEvents);
    if (!report.remark.empty())
        text += QStringLiteral("; ") + QString::fromStdString(report.remark);
    return text;
}

struct Dumper::Outcome {
    std::string path;
    QString reason;
    std::optional<Result<ExportReport>> report;
};

std::string numberedPath(const std::string &path, std::uint32_t number)
{
    return addBeforeEnding(path, "." + std::to_string(number));
}

Dumper::Dumper(const CommandLine &line, std::shared_ptr<const Population> population,
               std::function<std::vector<StuckGroup>()> stuck, QObject *parent)
    : QObject(parent),
      m_line(line),
      m_population(std::move(population)),
      m_stuck(std::move(stuck)),
      m_history(std::make_shared<History>(line.keep.bytes.value_or(kDefaultBytes), keepNsOf(line))),
      m_limiter(line.keep.seconds ? keepNsOf(line) : DumpLimiter::kUsualWindowNs)
{
    m_checkTimer.setSingleShot(true);
    connect(&m_checkTimer, &QTimer::timeout, this, &Dumper::check);
}

Dumper::~Dumper()
{
    if (m_writer)
        m_writer->wait();
}

Result<void> Dumper::checkFolder() const
{
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::absolute(m_line.outputPath, failed).parent_path();
    if (failed)
        return writeError(failed.value(), "cannot write dumps to " + m_line.outputPath);
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        return writeError(errno, "cannot write dumps into " + folder.string());
    return {};
}

void Dumper::watch(std::function<Accounting()> sums)
{
    m_sums = std::move(sums);
    if (m_line.dumps())
        m_checkTimer.start(kCheckMs);
}

void Dumper::check()
{
    const std::uint64_t usedBefore = usedByThread();
    if (m_line.dumpOnDeath) {
        // The sinks get a batch one after the other. When the next batch has arrived, the history has all of the last
        // one.
        if (!m_dying.empty() && m_population->now() > m_dyingSince)
            dumpDeaths();
        discoverDeaths();
    }
    if (m_line.dumpOnFinding && hasNewFinding(m_population->now()))
        dump(tr("a coroutine is stuck"));
    m_checkTimer.start(pauseAfter(usedByThread() - usedBefore));
}

void Dumper::processEnded(pid_t pid)
{
    if (!m_line.dumpOnDeath)
        return;
    m_dying.push_back({static_cast<std::uint32_t>(pid), tr("process %1 has ended").arg(pid), false});
    m_dyingSince = m_population->now();
}

/// Finds the ends of processes that this project's probe has published.
void Dumper::discoverDeaths()
{
    const std::vector<ProcessSnapshot> processes = m_population->processes();
    m_endSeen.resize(std::max(m_endSeen.size(), processes.size()));
    const std::size_t before = m_dying.size();
    for (std::size_t i = 0; i < processes.size(); ++i) {
        const ProcessSnapshot &process = processes[i];
        if (process.endTs == 0 || m_endSeen[i])
            continue;
        m_endSeen[i] = true;
        m_dying.push_back(
            {process.pid,
             tr("process %1 (%2) has ended").arg(QString::number(process.pid), QString::fromStdString(process.name)),
             true});
    }
    if (m_dying.size() > before)
        m_dyingSince = m_population->now();
}

void Dumper::dumpDeaths()
{
    std::set<std::uint32_t> reporting;
    for (const ProcessSnapshot &process : m_population->processes())
        reporting.insert(process.pid);
    for (const Death &death : std::exchange(m_dying, {})) {
        if (!death.reportedByStream && reporting.count(death.pid))
            continue;  // the stream reports its end
        ++m_deathsDumped;
        dump(death.reason);
    }
}

bool Dumper::hasNewFinding(std::uint64_t now)
{
    const bool due = m_limiter.isDumpDue(m_stuck(), now);
    if (m_limiter.beyondTheLast() > 0 && !std::exchange(m_reportedSpent, true))
        Q_EMIT reported(tr("one more coroutine is stuck; there is no dump of it, because findings get at most %1 dumps")
                            .arg(DumpLimiter::kMostDumps));
    return due;
}

/// Reports the findings that got no dump.
void Dumper::reportSpared()
{
    if (m_limiter.atDumpedSites() > 0)
        Q_EMIT reported(tr("no dump for %1 more findings at sites with a recent dump").arg(m_limiter.atDumpedSites()));
    if (m_limiter.beyondTheLast() > 0)
        Q_EMIT reported(tr("no dump for %1 more findings after the first %2 dumps of findings")
                            .arg(m_limiter.beyondTheLast())
                            .arg(DumpLimiter::kMostDumps));
}

void Dumper::dump(const QString &reason)
{
    if (std::find(m_due.begin(), m_due.end(), reason) == m_due.end())
        m_due.push_back(reason);
    if (!m_writer)
        startDump();
}

void Dumper::startDump()
{
    m_outcome = std::make_shared<Outcome>();
    do {
        m_outcome->path = numberedPath(m_line.outputPath, ++m_number);
    } while (isTaken(m_outcome->path) || isTaken(outputFormat(m_line).causesPath(m_outcome->path)));
    m_outcome->reason = m_due.front();
    m_due.pop_front();
    const auto write = [outcome = m_outcome, population = m_population, history = m_history,
                        sums = m_sums ? m_sums() : Accounting(), exportResolver = m_exportResolver,
                        &format = outputFormat(m_line)] {
        outcome->report = exportTrace(*population, *history, format, outcome->path, {}, sums, exportResolver);
    };
    m_writer.reset(QThread::create(write));
    connect(m_writer.get(), &QThread::finished, this, &Dumper::finishDump);
    if (!startQThread(*m_writer, "to write " + m_outcome->path)) {
        write();  // no thread: write at once, even if everything else waits
        QMetaObject::invokeMethod(this, &Dumper::finishDump, Qt::QueuedConnection);
    }
}

void Dumper::finishDump()
{
    if (!m_writer)
        return;  // finish() has called finishDump() before the signal arrived
    m_writer->wait();
    m_writer.reset();
    const Outcome outcome = *std::exchange(m_outcome, nullptr);
    if (const Result<ExportReport> &report = *outcome.report) {
        m_files.push_back(outcome.path);
        Q_EMIT reported(
            tr("%1: wrote %2 (%3)").arg(outcome.reason, QString::fromStdString(outcome.path), describe(*report)));
    } else {
        Q_EMIT failed(QString::fromStdString(report.error().message));
    }
    if (!m_due.empty())
        startDump();
}

void Dumper::finish(Ending ending, std::uint64_t now)
{
    m_checkTimer.stop();
    const bool finding = m_line.dumpOnFinding && hasNewFinding(now);
    const std::size_t deathsBefore = m_deathsDumped;
    if (m_line.dumpOnDeath) {
        // A target that was dead before, or that this program ended, needs no dump.
        if (ending == Ending::TargetDied || ending == Ending::Left)
            discoverDeaths();
        dumpDeaths();
        const bool died = ending == Ending::TargetDied || ending == Ending::Found;
        if (died && m_deathsDumped == 0 && !finding)
            dump(tr("the target has ended"));
    }
    if (finding && m_deathsDumped == deathsBefore)  // otherwise, the dump of a death has it, too
        dump(tr("a coroutine is stuck"));
    while (m_writer)
        finishDump();
    reportSpared();
}

}  // namespace ct
