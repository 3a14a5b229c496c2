// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Records a window's run on a thread of its own, in addition to the trace in memory. A failure does not end the
// capture. A disk that is too slow blocks the capture while the queue is full, and events lost by that are counted. A
// disk that hangs blocks the capture once, for two seconds, and ends the recording.
// See docs/decisions/0012-every-window-run-is-recorded.md.
#pragma once

#include "core/recording/read/streamindex.h"
#include "core/recording/write/fileclaim.h"
#include "core/recording/write/queuedsink.h"
#include "core/session/recordinginfowriter.h"
#include "core/session/recordingsdirectory.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <string>

namespace ct {

/// Lives on the session's thread, and outlives the session.
class WindowRecording final : public QObject {
    Q_OBJECT
public:
    /// Adds a sink to a session that has not started. `target`: the name for the file. A run without coroutines and
    /// output leaves no file.
    static Result<std::unique_ptr<WindowRecording>> create(Session &session,
                                                           std::shared_ptr<const Population> population,
                                                           const StartRequest &request, const std::string &target,
                                                           const RecordingFolder &folder);
    ~WindowRecording() override;

    /// Call it right after the session was started.
    void started();
    /// Start of the run according to the recording: ns, CLOCK_MONOTONIC.
    std::uint64_t startedAt() const { return m_infoWriter->startedAt(); }
    /// Also records resolved locations of coroutine frames. Call it before the session starts.
    void recordFrameLocations(const std::shared_ptr<AddressResolver> &resolver)
    {
        m_infoWriter->recordFrameLocations(resolver);
    }
    /// See RecordingInfoWriter. Call it while the session captures.
    void recordDecision(std::uint64_t ts)
    {
        m_queue->keepApart(ts);
        m_infoWriter->recordDecision(ts);
    }
    /// Call it before a session that captures is destroyed. Records the last facts, and limits the time for the rest.
    void endRecording();

    /// Base name of the files, "…/2026-11-22T07.31.05-server.ctr"; see ctr::segmentPath(). The files gain at least one
    /// whole block per half second of the stream. The oldest files are removed during the run, to keep the recording
    /// below its limit.
    const std::string &path() const { return m_path; }
    /// Change that was made to the directory, for the user; empty = none.
    const std::string &notice() const { return m_notice; }
    /// Index of the session's transitions: where they are in the files.
    std::shared_ptr<const StreamIndex> streamIndex() const { return m_streamIndex; }
    /// Returns true if a part of the run was not written. Any thread.
    bool hasFailed() const { return m_failed.load(std::memory_order_relaxed); }
    /// Transitions that are not in the file yet. Any thread.
    std::uint64_t pending() const { return m_queue->pending(); }

Q_SIGNALS:
    /// From here on, nothing is written. Emitted on the harvest thread.
    void failed(const QString &message);

private:
    class SideSink;

    WindowRecording(std::string path, std::shared_ptr<QueuedSink> queue, std::shared_ptr<StreamIndex> streamIndex);
    void claim();

    const std::string m_path;
    std::string m_notice;
    std::shared_ptr<QueuedSink> m_queue;
    const std::shared_ptr<StreamIndex> m_streamIndex;
    std::unique_ptr<RecordingInfoWriter> m_infoWriter;
    std::atomic<bool> m_failed = false;  // relaxed: no other data depends on it
    ctr::ReadClaim m_claim;              ///< set when writing ends; used by the harvest thread while there is one
};

}  // namespace ct
