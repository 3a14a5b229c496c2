// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The recording of a window's run: written beside the trace in memory, by a thread of its own. What fails there does
// not end the capture. A disk that is too slow holds the capture up while the queue is full, and what that costs is
// counted as lost; one that hangs does so once, for two seconds, and ends the recording.
#pragma once

#include "core/recording/fileclaim.h"
#include "core/recording/queuedsink.h"
#include "core/recording/streamplaces.h"
#include "core/session/recorder.h"
#include "core/session/recordingstore.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <string>

namespace ct {

/// Lives on the session's thread, and longer than the session.
class RunRecording final : public QObject {
    Q_OBJECT
public:
    /// Adds a sink to a session that has not started. `target`: what the file is named after. A run where nothing
    /// happens leaves no file.
    static Result<std::unique_ptr<RunRecording>> begin(Session &session, std::shared_ptr<const Population> population,
                                                       const StartRequest &request, const std::string &target,
                                                       const RecordingPlace &place);
    ~RunRecording() override;

    /// Right after the session was.
    void started();
    /// ns, CLOCK_MONOTONIC: what the recording says of it.
    std::uint64_t startedAt() const { return m_recorder->startedAt(); }
    /// What is learned of coroutines goes into it, too. Before the session starts.
    void recordPlaces(const std::shared_ptr<Places> &places) { m_recorder->recordPlaces(places); }
    /// See Recorder. While the session captures.
    void tellJudged(std::uint64_t ts, std::uint64_t stuck) { m_recorder->tellJudged(ts, stuck); }
    /// Before a session that captures is destroyed: the last facts, and an end to what takes too long.
    void letGo();

    /// "…/2026-11-22T07.31.05-server.ctr"; its files are ctr::segmentPath() of it. At least each half second of the
    /// stream there is one more whole block in them; the oldest ones go while the run goes on.
    const std::string &path() const { return m_path; }
    /// What was changed about the directory, for the user; empty = nothing.
    const std::string &notice() const { return m_notice; }
    /// Where the transitions of the session are in the files.
    std::shared_ptr<const StreamPlaces> places() const { return m_places; }
    /// Something of the run was not written. Any thread.
    bool hasFailed() const { return m_failed.load(std::memory_order_relaxed); }
    /// Transitions that are not in the file yet. Any thread.
    std::uint64_t pending() const { return m_queue->pending(); }

Q_SIGNALS:
    /// Once: nothing more is written. From any thread.
    void failed(const QString &message);

private:
    class SideSink;

    RunRecording(std::string path, std::shared_ptr<QueuedSink> queue, std::shared_ptr<StreamPlaces> places);
    void claim();

    const std::string m_path;
    std::string m_notice;
    std::shared_ptr<QueuedSink> m_queue;
    const std::shared_ptr<StreamPlaces> m_places;
    std::unique_ptr<Recorder> m_recorder;
    std::atomic<bool> m_failed = false;  // relaxed: nothing else is read by it
    ctr::ReadClaim m_claim;              ///< from the end of the writing on; the harvest thread's while there is one
};

}  // namespace ct
