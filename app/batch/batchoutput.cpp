// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batchoutput.h"

#include "app/batch/consolesignals.h"
#include "app/batch/filesdiffer.h"
#include "app/batch/outputfolder.h"
#include "core/exporting/exportformat.h"
#include "core/recording/write/openforwriting.h"

#include <QEventLoop>
#include <QTimer>

#include <algorithm>
#include <csignal>
#include <utility>

namespace ct {

namespace {

constexpr int kReaderMs = 100;  ///< interval of the checks whether a pipe has a reader

/// The output of -o, and those of --export.
std::vector<CommandLine::Export> requestedOutputs(const CommandLine &line)
{
    std::vector<CommandLine::Export> outputs = line.exports;
    if (!line.outputPath.empty()) {
        const std::string kind(line.records() ? kRecordingKind : outputFormat(line).kind);
        outputs.insert(outputs.begin(), {kind, line.outputPath});
    }
    return outputs;
}

}  // namespace

BatchOutput::BatchOutput(const CommandLine &line, Session &session, std::shared_ptr<Population> population,
                         std::shared_ptr<AddressResolver> resolver, ReportOf reportOf, QObject *parent)
    : QObject(parent),
      m_line(line),
      m_session(session),
      m_population(std::move(population)),
      m_resolver(std::move(resolver)),
      m_reportOf(std::move(reportOf))
{
}

BatchOutput::~BatchOutput() = default;

/// Returns the result of `open()`.
template <class Open>
auto BatchOutput::openOnceRead(const std::string &path, const ConsoleSignals &signals, Open open)
{
    std::optional opened(open());
    const auto isUnread = [&] { return !*opened && opened->error().code == ErrorCode::Busy && isPipe(path); };
    if (isUnread()) {
        Q_EMIT reported(
            tr("the pipe %1 waits for a process that reads it; start one").arg(QString::fromStdString(path)));
        QEventLoop events;
        QTimer check;
        connect(&check, &QTimer::timeout, &events, [&] {
            opened.emplace(open());
            if (!isUnread())
                events.quit();
        });
        connect(&signals, &ConsoleSignals::received, &events, [&](int signal) {
            if (!isRequest(signal))
                events.quit();
        });
        check.start(kReaderMs);
        events.exec();
    }
    return std::move(*opened);
}

Result<void> BatchOutput::openSummary(const ConsoleSignals &signals)
{
    if (m_line.summaryPath.empty())
        return {};
    Result<DeferredFile> file =
        openOnceRead(m_line.summaryPath, signals, [this] { return DeferredFile::open(m_line.summaryPath); });
    if (!file)
        return file.error();
    m_summaryFile.emplace(std::move(*file));
    return {};
}

Result<void> BatchOutput::open(ConsoleSignals &signals)
{
    if (Result<void> checked = checkFilesDiffer(m_line); !checked)
        return checked;
    if (Result<void> opened = openSummary(signals); !opened)
        return opened;
    for (const CommandLine::Export &requested : m_line.exports) {
        if (Result<void> created = createFolderOf(requested); !created)
            return created;
    }
    // Check again, now that the summary and all folders exist: two names may mean one file, such as names that differ
    // only in case.
    if (Result<void> checked = checkFilesDiffer(m_line); !checked)
        return checked;
    if (Result<void> dropped = m_summaryFile ? m_summaryFile->dropOlder() : Result<void>(); !dropped)
        return dropped;
    return m_line.keepsOnly() ? Result<void>() : openOutputs(signals);
}

Result<void> BatchOutput::openOutputs(ConsoleSignals &signals)
{
    const RecordingInfo about = aboutRun(m_line.start, m_line.sessionId);
    const auto latestInfo = std::make_shared<LatestInfo>();
    latestInfo->set(about);
    for (const CommandLine::Export &requested : requestedOutputs(m_line)) {
        if (Result<void> opened = openOutput(requested, latestInfo, signals); !opened)
            return opened;
    }
    if (m_outputs.empty())
        return {};
    // Only that of -o can be a recording.
    const std::shared_ptr<RecordingWriter> &recording = m_outputs.front()->recording();
    // Without exports, the facts of all processes would only fill memory.
    const bool hasExports = !recording || m_outputs.size() > 1;
    // Not before: the run begins after the wait for the reader of a pipe, or for a server.
    m_infoWriter = std::make_unique<RecordingInfoWriter>(m_session, m_population, recording, about,
                                                         hasExports ? latestInfo : nullptr);
    m_infoWriter->recordFrameLocations(m_resolver);
    return {};
}

Result<void> BatchOutput::openOutput(const CommandLine::Export &requested,
                                     const std::shared_ptr<LatestInfo> &latestInfo, ConsoleSignals &signals)
{
    auto output = std::make_unique<LiveOutput>(m_line, requested, latestInfo, m_reportOf);
    bool isInterrupted = false;
    const auto stops = [&] { return isInterrupted = isInterrupted || signals.takeEnd(); };
    const auto open = [&] { return output->open(m_resolver, stops); };
    if (Result<void> opened = openOnceRead(requested.output, signals, open); !opened)
        return opened;
    if (isInterrupted)
        return Error{ErrorCode::Cancelled, requested.output + ": cancelled"};
    m_outputs.push_back(std::move(output));
    return m_outputs.back()->addTo(m_session);
}

QString BatchOutput::names() const
{
    QStringList names;
    for (const std::unique_ptr<LiveOutput> &output : m_outputs)
        names << output->name();
    return names.join(QStringLiteral(", "));
}

std::vector<std::shared_ptr<QueuedSink>> BatchOutput::queues() const
{
    std::vector<std::shared_ptr<QueuedSink>> queues;
    for (const std::unique_ptr<LiveOutput> &output : m_outputs)
        queues.push_back(output->queue());
    return queues;
}

void BatchOutput::check(Summary &summary)
{
    for (const std::unique_ptr<LiveOutput> &output : m_outputs) {
        const LiveOutput::Missing &missing = m_missing.emplace_back(output->missing(summary.accounting));
        summary.eventsNotWritten = std::max(summary.eventsNotWritten, missing.events);
        if (!missing.message.empty() && summary.outputError.empty()) {
            summary.outputError = missing.isLost ? missing.message : std::string();
            Q_EMIT reported(QString::fromStdString(missing.message));
        }
    }
}

void BatchOutput::reportRows()
{
    for (std::size_t i = 0; i < m_missing.size(); ++i) {
        const LiveOutput::Missing &missing = m_missing[i];
        const QString causesPath = QString::fromStdString(m_outputs[i]->causesPath());
        if (missing.events != 0)
            Q_EMIT reported(tr("%1 of these events are not in %2").arg(missing.events).arg(m_outputs[i]->name()));
        if (missing.causesKept != 0)
            Q_EMIT reported(
                tr("%1 causes, such as waits and wakes, are in %2").arg(missing.causesKept).arg(causesPath));
        if (missing.causes != 0)
            Q_EMIT reported(
                tr("%1 causes, such as waits and wakes, are not in %2").arg(missing.causes).arg(causesPath));
        if (const std::string remark = m_outputs[i]->queue()->remark(); !remark.empty())
            Q_EMIT reported(m_outputs[i]->name() + QStringLiteral(": ") + QString::fromStdString(remark));
    }
}

bool BatchOutput::writeSummary(const Summary &summary, const std::function<bool()> &isGivenUp)
{
    if (!m_summaryFile)
        return true;
    const Result<void> written = m_summaryFile->write(toJson(summary), isGivenUp);
    if (!written)
        Q_EMIT reported(QString::fromStdString(written.error().message));
    return bool(written);
}

void BatchOutput::discardSummary()
{
    if (m_summaryFile)
        m_summaryFile->discard();
}

}  // namespace ct
