// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batchoutput.h"

#include "app/batch/consolesignals.h"
#include "app/batch/filesdiffer.h"
#include "core/addresses/exportresolveradapter.h"
#include "core/exporting/exporting.h"
#include "core/recording/write/openforwriting.h"

#include <QEventLoop>
#include <QTimer>

#include <algorithm>
#include <csignal>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

constexpr int kReaderMs = 100;  ///< interval of the checks whether a pipe has a reader

std::uint64_t nanoseconds(std::optional<double> seconds)
{
    return seconds ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(*seconds * 1e9)) : 0;
}

}  // namespace

/// Counts the causes of the stream. The sink's thread counts, and others read after the end of the capture.
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

BatchOutput::BatchOutput(const CommandLine &line, Session &session, std::shared_ptr<Population> population,
                         std::shared_ptr<AddressResolver> resolver, QObject *parent)
    : QObject(parent),
      m_line(line),
      m_session(session),
      m_population(std::move(population)),
      m_resolver(std::move(resolver))
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

Result<void> BatchOutput::open(const ConsoleSignals &signals)
{
    if (Result<void> checked = checkFilesDiffer(m_line); !checked)
        return checked;
    if (Result<void> opened = openSummary(signals); !opened)
        return opened;
    // Check again, now that the summary exists: two names may mean one file, as in upper and lower case.
    if (Result<void> checked = checkFilesDiffer(m_line); !checked)
        return checked;
    if (Result<void> dropped = m_summaryFile ? m_summaryFile->dropOlder() : Result<void>(); !dropped)
        return dropped;
    if (m_line.keepsOnly() || m_line.outputPath.empty())
        return {};
    Result<std::shared_ptr<Sink>> writer = openOnceRead(m_line.outputPath, signals, [this] { return openSink(); });
    if (!writer)
        return writer.error();
    if (!m_line.limit.any() && !m_line.streams())  // --limit removes files itself
        m_watch.emplace(m_line.outputPath);
    // A file is slower than memory, and the harvest must not wait for it.
    Result<std::shared_ptr<QueuedSink>> queue = QueuedSink::make(*writer, QueuedSink::kUsualBudget);
    if (!queue)
        return queue.error();
    m_queue = *queue;
    m_session.addSink(m_queue);
    if (!m_causesPath.empty()) {
        m_causes = std::make_shared<CauseCount>();
        m_session.addSink(m_causes);
    }
    return {};
}

Result<std::shared_ptr<Sink>> BatchOutput::openSink()
{
    if (!m_line.records()) {
        const ExportFormat &format = outputFormat(m_line);
        m_causesPath = format.causesPath(m_line.outputPath);
        return format.makeSink(m_line.outputPath, exportResolverOf(m_resolver));
    }
    if (m_line.streams() && ::isatty(STDOUT_FILENO) == 1)
        return Error{ErrorCode::InvalidArgument, "-o -: a recording cannot be shown on a terminal; redirect standard "
                                                 "output to a file or a pipe, or name a file"};
    Result<std::shared_ptr<RecordingWriter>> writer =
        RecordingWriter::open(m_line.outputPath, {m_line.limit.bytes.value_or(0), nanoseconds(m_line.limit.seconds)});
    if (!writer)
        return writer.error();
    m_infoWriter = std::make_unique<RecordingInfoWriter>(m_session, m_population, *writer,
                                                         aboutRun(m_line.start, m_line.sessionId));
    m_infoWriter->recordFrameLocations(m_resolver);
    return std::shared_ptr<Sink>(*writer);
}

QString BatchOutput::name() const
{
    return m_line.streams() ? tr("standard output") : QString::fromStdString(m_line.outputPath);
}

void BatchOutput::check(Summary &summary)
{
    const std::uint64_t captured = summary.accounting.captured;
    summary.eventsNotWritten = m_queue ? captured - std::min(captured, m_queue->written()) : 0;
    const OutputWatch::Finding found = m_watch ? m_watch->check() : OutputWatch::Finding();
    if (found.isLost)
        summary.eventsNotWritten = captured;
    if (!found.message.empty() && summary.outputError.empty()) {
        summary.outputError = found.isLost ? found.message : std::string();
        Q_EMIT reported(QString::fromStdString(found.message));
    }
}

void BatchOutput::reportRows(const Summary &summary)
{
    if (summary.eventsNotWritten != 0)
        Q_EMIT reported(tr("%1 of these events are not in %2").arg(summary.eventsNotWritten).arg(name()));
    if (!m_causes || m_causes->count() == 0)
        return;
    const QString path = QString::fromStdString(m_causesPath);
    const std::uint64_t written = m_queue->causesWritten();
    if (written != 0)
        Q_EMIT reported(tr("%1 causes, such as waits and wakes, are in %2").arg(written).arg(path));
    if (const std::uint64_t left = m_causes->count() - std::min(m_causes->count(), written); left != 0)
        Q_EMIT reported(tr("%1 causes, such as waits and wakes, are not in %2").arg(left).arg(path));
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
