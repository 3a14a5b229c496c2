// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/runrecording.h"

#include "core/recording/segments.h"

#include <QFile>

#include <filesystem>
#include <functional>

namespace ct {

namespace {

/// In the same second, of targets of the same name.
constexpr int kMostOfOneName = 100;
/// Of whoever closes a window, when the disk is slow.
constexpr std::chrono::seconds kPatience{5};

/// A sink whose failure is no failure of the session.
class SideSink final : public Sink {
public:
    using Tell = std::function<void(const Error &)>;
    SideSink(std::shared_ptr<Sink> sink, Tell tell) : m_sink(std::move(sink)), m_tell(std::move(tell)) {}

    Result<void> consume(const Batch &batch) override
    {
        if (m_sink)
            check(m_sink->consume(batch));
        return {};
    }
    Result<void> finish(const Accounting &accounting) override
    {
        if (m_sink)
            check(m_sink->finish(accounting));
        return {};
    }

private:
    void check(const Result<void> &done)
    {
        if (done)
            return;
        m_sink.reset();
        m_tell(done.error());
    }

    std::shared_ptr<Sink> m_sink;
    const Tell m_tell;
};

/// A file that was not there before, and that nobody else writes.
Result<std::pair<std::string, std::shared_ptr<RecordingWriter>>>
openNew(const std::filesystem::path &directory, const std::string &target, const RecordingLimits &limits)
{
    const std::time_t now = std::time(nullptr);
    for (int number = 1;; ++number) {
        const std::string name = number == 1 ? target : target + "-" + std::to_string(number);
        const std::string path = (directory / recordingFileName(now, name)).string();
        std::error_code ignored;
        if (std::filesystem::exists(ctr::segmentPath(path, 0), ignored) && number < kMostOfOneName)
            continue;
        Result<std::shared_ptr<RecordingWriter>> writer = RecordingWriter::open(path, limits);
        if (writer)
            return std::pair(path, std::move(*writer));
        if (writer.error().code != ErrorCode::AlreadyExists || number == kMostOfOneName)
            return writer.error();
    }
}

}  // namespace

RunRecording::RunRecording(std::string path, std::shared_ptr<QueuedSink> queue,
                           std::shared_ptr<const StreamPlaces> places)
    : m_path(std::move(path)), m_queue(std::move(queue)), m_places(std::move(places))
{
}

RunRecording::~RunRecording() = default;

Result<std::unique_ptr<RunRecording>> RunRecording::begin(Session &session,
                                                          std::shared_ptr<const Population> population,
                                                          const StartRequest &request, const std::string &target,
                                                          const RecordingPlace &place)
{
    if (Result<void> made = makeRecordingsDirectory(place.directory); !made)
        return made.error();
    auto opened = openNew(QFile::encodeName(place.directory).toStdString(), target, {place.limitBytes, 0});
    if (!opened)
        return opened.error();
    const std::shared_ptr<RecordingWriter> &writer = opened->second;
    writer->discardIfEmpty();
    auto places = std::make_shared<StreamPlaces>();
    writer->setPlaces(places);
    Result<std::shared_ptr<QueuedSink>> queue = QueuedSink::make(writer, place.queueBytes);
    if (!queue)
        return queue.error();
    std::unique_ptr<RunRecording> recording(new RunRecording(opened->first, *queue, std::move(places)));
    recording->m_recorder = std::make_unique<Recorder>(session, std::move(population), writer, aboutRun(request));
    // Called on the harvest thread; the session, and with it that thread, is gone before the recording is.
    session.addSink(std::make_shared<SideSink>(*queue, [told = recording.get()](const Error &error) {
        Q_EMIT told->failed(QString::fromStdString(error.message));
    }));
    connect(&session, &Session::stateChanged, recording.get(), [told = recording.get()](SessionState state) {
        // Once while it is still being written, and once more for the files that came since.
        if (state == SessionState::Draining || state == SessionState::Ended)
            told->m_claim = ctr::ReadClaim(ctr::segmentsOf(told->m_path));
    });
    return recording;
}

void RunRecording::started()
{
    m_recorder->started();
}

void RunRecording::letGo()
{
    m_recorder->end();
    m_queue->giveUpAfter(kPatience);
}

}  // namespace ct
