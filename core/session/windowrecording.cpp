// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/windowrecording.h"

#include "core/recording/read/segments.h"

#include <QFile>

#include <filesystem>

namespace ct {

namespace {

/// Names to try, for targets of the same name in the same second.
constexpr int kMostOfOneName = 100;
/// Longest wait of the capture when the disk hangs. A disk that is only slow makes room again and again.
constexpr std::chrono::seconds kMostWait{2};
/// Longest waits when a window closes: for a disk that is slow, and then for one that hangs.
constexpr std::chrono::seconds kPatience{3};
constexpr std::chrono::seconds kHung{3};

}  // namespace

/// A sink whose failure does not fail the session. On the harvest thread.
class WindowRecording::SideSink final : public Sink {
public:
    explicit SideSink(WindowRecording &recording) : m_recording(recording), m_sink(recording.m_queue) {}

    Result<void> consume(const Batch &batch) override
    {
        if (m_sink)
            check(m_sink->consume(batch));
        if (m_sink && !m_isGivenUp && m_sink->hasGivenUp()) {
            m_isGivenUp = true;
            m_recording.m_failed.store(true, std::memory_order_relaxed);
            m_recording.m_streamIndex->close();
            m_recording.claim();
            Q_EMIT m_recording.failed(tr("the disk of %1 has accepted no data for %2 s; check that disk, or set "
                                         "XDG_CACHE_HOME to a directory on another one")
                                          .arg(QString::fromStdString(m_recording.m_path))
                                          .arg(kMostWait.count()));
        }
        return {};
    }
    Result<void> finish(const Accounting &accounting) override
    {
        // Claim the files while they are being written, and again for the files that were added since.
        m_recording.claim();
        if (m_sink)
            check(m_sink->finish(accounting));
        m_recording.claim();
        return {};
    }

private:
    void check(const Result<void> &done)
    {
        if (done)
            return;
        m_sink.reset();
        m_recording.m_failed.store(true, std::memory_order_relaxed);
        m_recording.m_streamIndex->close();
        m_recording.claim();
        Q_EMIT m_recording.failed(QString::fromStdString(done.error().message));
    }

    WindowRecording &m_recording;
    std::shared_ptr<QueuedSink> m_sink;
    bool m_isGivenUp = false;
};

namespace {

/// Opens a file that did not exist before, and that no other process writes.
Result<std::pair<std::string, std::shared_ptr<RecordingWriter>>>
openNew(const std::filesystem::path &directory, const std::string &target, const RecordingLimits &limits)
{
    const std::time_t now = std::time(nullptr);
    for (int number = 1;; ++number) {
        const std::string name = number == 1 ? target : target + "-" + std::to_string(number);
        const std::string path = (directory / recordingFileName(now, name)).string();
        if (!ctr::segmentsOf(path).empty() && number < kMostOfOneName)
            continue;
        Result<std::shared_ptr<RecordingWriter>> writer = RecordingWriter::open(path, limits, FileAccess::OwnerOnly);
        if (writer)
            return std::pair(path, std::move(*writer));
        if (writer.error().code != ErrorCode::AlreadyExists || number == kMostOfOneName)
            return writer.error();
    }
}

}  // namespace

WindowRecording::WindowRecording(std::string path, std::shared_ptr<QueuedSink> queue,
                                 std::shared_ptr<StreamIndex> streamIndex)
    : m_path(std::move(path)), m_queue(std::move(queue)), m_streamIndex(std::move(streamIndex))
{
}

WindowRecording::~WindowRecording() = default;

Result<std::unique_ptr<WindowRecording>> WindowRecording::create(Session &session,
                                                                 std::shared_ptr<const Population> population,
                                                                 const StartRequest &request, const std::string &target,
                                                                 const RecordingFolder &folder)
{
    const Result<std::string> made = makeRecordingsDirectory(folder.directory);
    if (!made)
        return made.error();
    auto opened = openNew(QFile::encodeName(folder.directory).toStdString(), target, {folder.limitBytes, 0});
    if (!opened)
        return opened.error();
    const std::shared_ptr<RecordingWriter> &writer = opened->second;
    writer->discardIfEmpty();
    auto streamIndex = std::make_shared<StreamIndex>();
    writer->setStreamIndex(streamIndex);
    Result<std::shared_ptr<QueuedSink>> queue = QueuedSink::make(writer, folder.queueBytes, kMostWait);
    if (!queue)
        return queue.error();
    std::unique_ptr<WindowRecording> recording(new WindowRecording(opened->first, *queue, std::move(streamIndex)));
    recording->m_notice = *made;
    recording->m_infoWriter =
        std::make_unique<RecordingInfoWriter>(session, std::move(population), writer, aboutRun(request));
    // The session, and with it the harvest thread, is destroyed before the recording.
    session.addSink(std::make_shared<SideSink>(*recording));
    return recording;
}

/// Keeps the files from being removed to make room, while this window shows them.
void WindowRecording::claim()
{
    m_claim = ctr::ReadClaim(ctr::segmentsOf(m_path));
}

void WindowRecording::started()
{
    m_infoWriter->started();
}

void WindowRecording::endRecording()
{
    m_infoWriter->recordEnd();
    m_queue->giveUpAfter(kPatience, kHung);
}

}  // namespace ct
