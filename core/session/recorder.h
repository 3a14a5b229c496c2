// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tells a recording what the stream does not: who is recorded, on which machine, what its processes have mapped, how
// the clocks run, what the target prints and how it ends.
#pragma once

#include "core/recording/recordingwriter.h"
#include "core/session/places.h"
#include "core/session/session.h"
#include "core/session/startrequest.h"
#include "core/trace/population.h"

#include <QObject>
#include <QTimer>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace ct {

/// What is known of a run before it starts. `session`: as the user calls it; empty = a random number.
RecordingInfo aboutRun(const StartRequest &request, const std::string &session = {});

/// Lives on the session's thread; the files of processes are read on another one. Make it before the session starts,
/// and call started() right after that.
class Recorder final : public QObject {
    Q_OBJECT
public:
    /// `population`: a sink of the session, which knows the processes that have said who they are. `about` holds what
    /// only the caller knows: session id, program, version, command.
    Recorder(Session &session, std::shared_ptr<const Population> population, std::shared_ptr<RecordingWriter> writer,
             const RecordingInfo &about, QObject *parent = nullptr);
    ~Recorder() override;

    void started();
    /// ns, CLOCK_MONOTONIC: when the recording says that the run began.
    std::uint64_t startedAt() const { return m_startedAt; }
    /// What is learned of coroutines goes into the recording, to the last of it. Before the session starts.
    void recordPlaces(const std::shared_ptr<Places> &places);
    /// The target is about to be ended: so many coroutines were stuck at `ts`, ns, CLOCK_MONOTONIC.
    void tellJudged(std::uint64_t ts, std::uint64_t stuck);
    /// Says the last things; by itself when the session drains. To be called before a session that captures is
    /// destroyed.
    void end();

private:
    void onState(SessionState state);
    void look();
    void lookAtWanted();
    void lookAt(pid_t pid);
    void tellClocks();

    Session &m_session;
    std::shared_ptr<const Population> m_population;
    std::shared_ptr<RecordingWriter> m_writer;
    std::uint64_t m_startedAt = 0;
    QTimer m_lookTimer;
    QTimer m_clockTimer;
    pid_t m_toldTarget = 0;
    bool m_ended = false;
    // Of the looking thread, one at a time:
    std::map<pid_t, RecordingInfo::Process> m_told;  ///< without build ids
    bool m_environmentTold = false;
    std::mutex m_lookMutex;                   ///< guards the next two; held for a copy
    std::optional<std::set<pid_t>> m_wanted;  ///< to be looked at next: a slow system is looked at less often
    bool m_isLooking = false;
    std::thread m_looker;  ///< files are read that may be slow
};

}  // namespace ct
