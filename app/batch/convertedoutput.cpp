// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/convertedoutput.h"

#include "app/batch/consolesignals.h"
#include "app/batch/outputfolder.h"
#include "app/commandline/exportoptions.h"
#include "core/addresses/exportresolveradapter.h"
#include "core/databases/serveraddress.h"

#include <algorithm>

namespace ct {

namespace {

Result<std::shared_ptr<Sink>> makeRecording(const std::string &path, const std::string &, const ExportContext &)
{
    Result<std::shared_ptr<RecordingWriter>> writer = RecordingWriter::open(path);
    if (!writer)
        return writer.error();
    return std::shared_ptr<Sink>(*writer);
}

/// Unlike the format in the table, facts and output get the positions in the stream that they have in the input.
constexpr ExportFormat kRecording{kRecordingKind, "Recording", "ctr", &makeRecording};

/// The facts of `later` that `earlier` lacks. `earlier` is an earlier state of the same Info.
RecordingInfo newFacts(const RecordingInfo &earlier, const RecordingInfo &later)
{
    RecordingInfo facts = later;
    const auto removeKnown = [](auto &items, const auto &known) {
        std::erase_if(items,
                      [&](const auto &item) { return std::find(known.begin(), known.end(), item) != known.end(); });
    };
    removeKnown(facts.processes, earlier.processes);
    removeKnown(facts.clocks, earlier.clocks);
    if (facts.environment == earlier.environment)
        facts.environment.clear();
    return facts;
}

}  // namespace

ConvertedOutput::ConvertedOutput(const CommandLine &line, const CommandLine::Export &requested)
    : m_requested(requested),
      m_source(sourceOfInput(line.start.inputPath())),
      m_format(isRecording() ? kRecording : exportFormatOf(line, requested))
{
}

void ConvertedOutput::fail(const Error &error)
{
    m_failure = (m_files ? m_files->nothingWritten(error) : error).message;
    m_sink.reset();
    m_queue.reset();
    m_recording.reset();
    m_files.reset();
}

void ConvertedOutput::open(const std::shared_ptr<AddressResolver> &resolver, const ReportOf &reportOf)
{
    if (!isOfServer(m_requested)) {
        if (Result<void> created = createFolderOf(m_requested); !created)
            return fail(created.error());
        Result<NewFiles> files = NewFiles::prepare(m_format, m_requested.output);
        if (!files)
            return fail(files.error());
        m_files.emplace(std::move(*files));
    }
    openSink(resolver, reportOf);
}

void ConvertedOutput::openSink(const std::shared_ptr<AddressResolver> &resolver, const ReportOf &reportOf)
{
    ExportContext context(waitingExportResolverOf(resolver));
    context.info = [info = m_latestInfo] { return info->get(); };
    context.report = reportOf;
    context.isCancelled = [] { return notedEndSignal() != 0; };
    context.source = m_source;
    context.isPart = [isPart = m_isPart] { return isPart->load(std::memory_order_relaxed); };
    Result<std::shared_ptr<Sink>> sink =
        m_files ? m_files->makeSink(m_format, context) : m_format.makeSink(m_requested.output, context);
    if (!sink)
        return fail(sink.error());
    m_recording = std::dynamic_pointer_cast<RecordingWriter>(*sink);
    m_sink = std::move(*sink);
    // A recording has no queue: facts and printed output keep their positions in the stream.
    if (m_recording)
        return;
    Result<std::shared_ptr<QueuedSink>> queue = QueuedSink::make(std::move(m_sink), QueuedSink::kUsualBudget);
    if (!queue)
        return fail(queue.error());
    m_queue = *queue;
    m_sink = m_queue;
}

void ConvertedOutput::setSums(const std::function<Accounting()> &sums)
{
    if (m_recording)
        m_recording->setSums(sums);
}

void ConvertedOutput::addOutput(const ctr::OutputPiece &piece)
{
    // Only a conversion to a recording reads on the main thread, so m_recording is its own.
    if (!isRecording())
        m_lacksPrinted.store(true, std::memory_order_relaxed);
    else if (m_recording)
        m_recording->addOutput(piece.ts, piece.bytes);
}

void ConvertedOutput::addFacts(const FileFacts &facts)
{
    const RecordingInfo earlier = m_latestInfo->get();
    if (facts.info != earlier)
        m_latestInfo->set(facts.info);
    if (!m_recording)
        return;
    if (facts.info != earlier)
        m_recording->addInfo(newFacts(earlier, facts.info));
    m_recording->addFrames(facts.frames);
}

void ConvertedOutput::consume(const Batch &batch)
{
    if (!m_sink)
        return;
    if (const Result<void> consumed = m_sink->consume(batch); !consumed)
        fail(consumed.error());
}

/// Closes the files, but does not rename them: the main thread does, or removes them.
void ConvertedOutput::complete(const Accounting &accounting, std::uint64_t dropped, bool isPart)
{
    if (!m_sink)
        return;
    m_isPart->store(isPart, std::memory_order_relaxed);
    if (isPart && m_recording) {
        RecordingInfo info;
        info.part = RecordingInfo::Part{dropped};
        m_recording->addInfo(info);
    }
    m_outcome = m_sink->finish(accounting);
    m_isOnServer.store(bool(m_outcome) && isOfServer(m_requested), std::memory_order_release);
    m_written = m_queue ? m_queue->written() : m_recording->written();
    m_causes = m_queue ? m_queue->causesWritten() : 0;
    m_remark = m_queue ? m_queue->remark() : std::string();
    m_sink.reset();
    m_queue.reset();
    m_recording.reset();
}

std::vector<std::string> ConvertedOutput::paths() const
{
    std::vector<std::string> paths{m_requested.output};
    if (m_causes != 0)
        paths.push_back(m_files->causesPath());
    return paths;
}

void ConvertedOutput::commit(const std::vector<ConvertedOutput *> &former)
{
    if (!m_failure.empty())
        return;
    if (!m_outcome)
        return fail(m_outcome.error());
    if (!m_files)
        return;
    for (const std::string &path : paths()) {
        for (const ConvertedOutput *const other : former) {
            if (const std::optional<FileKey> key = FileKey::of(path);
                key && std::find(other->m_keys.begin(), other->m_keys.end(), *key) != other->m_keys.end())
                return fail({ErrorCode::InvalidArgument,
                             path + " is the same file as that of " + other->name() + "; choose different names"});
        }
    }
    if (const Result<void> replaced = m_files->commit(m_causes != 0); !replaced)
        return fail(replaced.error());
    for (const std::string &path : paths()) {
        if (const std::optional<FileKey> key = FileKey::of(path))
            m_keys.push_back(*key);
    }
}

std::string ConvertedOutput::content() const
{
    std::string text = m_requested.output + " has " + std::to_string(m_written) + " events";
    if (m_causes != 0)
        text += ", and " + m_files->causesPath() + " " + std::to_string(m_causes) + " causes, such as waits and wakes";
    if (!m_remark.empty())
        text += "; " + m_remark;
    if (m_lacksPrinted.load(std::memory_order_relaxed))
        text += "; the output that the target printed is not kept";
    return text;
}

}  // namespace ct
