// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/liveoutput.h"

#include "app/commandline/exportoptions.h"
#include "core/addresses/exportresolveradapter.h"
#include "core/exporting/exportformat.h"
#include "core/exporting/jsonlexport.h"

#include <QCoreApplication>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

std::uint64_t nanoseconds(std::optional<double> seconds)
{
    return seconds ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(*seconds * 1e9)) : 0;
}

}  // namespace

/// Counts the causes of the stream on the sink's thread. Read the count after the end of the capture.
class CauseCount final : public Sink {
public:
    Result<void> consume(const Batch &batch) override
    {
        m_count += batch.notes.causes();
        return {};
    }
    std::uint64_t count() const { return m_count; }

private:
    std::uint64_t m_count = 0;
};

LiveOutput::LiveOutput(const CommandLine &line, const CommandLine::Export &requested,
                       std::shared_ptr<const LatestInfo> latestInfo, ReportOf reportOf)
    : m_line(line), m_requested(requested), m_latestInfo(std::move(latestInfo)), m_reportOf(std::move(reportOf))
{
}

LiveOutput::~LiveOutput() = default;

QString LiveOutput::name() const
{
    if (m_line.convertsRegion)
        return QCoreApplication::translate("ct::BatchOutput", "a copy of %1")
            .arg(QString::fromStdString(m_line.start.inputPath()));
    return m_requested.output == "-" ? QCoreApplication::translate("ct::BatchOutput", "standard output")
                                     : QString::fromStdString(m_requested.output);
}

Result<void> LiveOutput::open(const std::shared_ptr<AddressResolver> &resolver, const IsCancelled &stops)
{
    const bool isRecording = m_requested.kind == kRecordingKind;
    Result<std::shared_ptr<Sink>> sink = isRecording ? openRecording() : openExport(resolver, stops);
    if (!sink)
        return sink.error();
    m_sink = *sink;
    return {};
}

Result<std::shared_ptr<Sink>> LiveOutput::openExport(const std::shared_ptr<AddressResolver> &resolver,
                                                     const IsCancelled &stops)
{
    const ExportFormat &format = exportFormatOf(m_line, m_requested);
    m_causesPath = format.causesPath(m_requested.output);
    ExportContext context(exportResolverOf(resolver));
    context.info = [info = m_latestInfo] { return info->get(); };
    context.report = m_reportOf;
    context.source = m_latestInfo->get().session;
    const auto stopsOpening = std::make_shared<IsCancelled>(stops);
    context.isCancelled = [stopsOpening] { return *stopsOpening && (*stopsOpening)(); };
    Result<std::shared_ptr<Sink>> sink = m_requested.oldContent == OldContent::Keep
                                             ? makeJsonlExport(m_requested.output, context, OldContent::Keep)
                                             : format.makeSink(m_requested.output, context);
    // Before the sink gets its thread: a signal ends the capture, and the output is completed then.
    *stopsOpening = nullptr;
    return sink;
}

Result<std::shared_ptr<Sink>> LiveOutput::openRecording()
{
    if (m_requested.output == "-" && ::isatty(STDOUT_FILENO) == 1)
        return Error{ErrorCode::InvalidArgument, "-o -: a recording cannot be shown on a terminal; redirect standard "
                                                 "output to a file or a pipe, or name a file"};
    Result<std::shared_ptr<RecordingWriter>> writer =
        RecordingWriter::open(m_requested.output, {m_line.limit.bytes.value_or(0), nanoseconds(m_line.limit.seconds)});
    if (!writer)
        return writer.error();
    m_recording = *writer;
    return std::shared_ptr<Sink>(m_recording);
}

Result<void> LiveOutput::addTo(Session &session)
{
    // --limit removes files itself.
    const bool isLimited = m_requested.kind == kRecordingKind && m_line.limit.any();
    if (!isLimited && m_requested.output != "-" && !isOfServer(m_requested))
        m_watch.emplace(m_requested.output);
    // The harvest must not wait for a file, which is slower than memory.
    Result<std::shared_ptr<QueuedSink>> queue = QueuedSink::make(std::move(m_sink), QueuedSink::kUsualBudget);
    if (!queue)
        return queue.error();
    m_queue = *queue;
    session.addSink(m_queue);
    if (!m_causesPath.empty()) {
        m_causes = std::make_shared<CauseCount>();
        session.addSink(m_causes);
    }
    return {};
}

LiveOutput::Missing LiveOutput::missing(const Accounting &accounting) const
{
    // The session does not finish a sink that has failed. Its error was reported.
    (void)m_queue->finish(accounting);
    const std::uint64_t captured = accounting.captured;
    Missing missing;
    missing.events = captured - std::min(captured, m_queue->written());
    const OutputWatch::Finding found = m_watch ? m_watch->check() : OutputWatch::Finding();
    missing.message = found.message;
    missing.isLost = found.isLost;
    if (found.isLost)
        missing.events = captured;
    missing.causesKept = m_queue->causesWritten();
    if (m_causes)
        missing.causes = m_causes->count() - std::min(m_causes->count(), missing.causesKept);
    return missing;
}

}  // namespace ct
