// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Collects the facts of a run that the stream lacks: target, machine, mapped modules, clocks, exit status and decisions
// about its end. Its recording and its exports get the same facts; the recording also gets the output of the target.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/latestinfo.h"
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

/// Facts about a run before it starts. `session`: the user's name for the run; empty = a random number.
RecordingInfo aboutRun(const StartRequest &request, const std::string &session = {});

/// Lives on the session's thread; another thread reads the files of processes. Create it before the session starts, and
/// call started() right after that.
class RecordingInfoWriter final : public QObject {
    Q_OBJECT
public:
    /// `population`: a sink of the session, which knows the processes that have registered. `about`: facts that only
    /// the caller knows, such as session id, program, version and command.
    /// `writer` gets each fact as soon as it is known; nullptr: there is no recording. `latestInfo` keeps all facts,
    /// for exports, which write them at their end; nullptr: there are none.
    RecordingInfoWriter(Session &session, std::shared_ptr<const Population> population,
                        std::shared_ptr<RecordingWriter> writer, const RecordingInfo &about,
                        std::shared_ptr<LatestInfo> latestInfo = {}, QObject *parent = nullptr);
    ~RecordingInfoWriter() override;

    void started();
    /// Start of the run according to its facts: ns, CLOCK_MONOTONIC.
    std::uint64_t startedAt() const { return m_startedAt; }
    /// Records all resolved locations of coroutine frames, up to the last. Call it before the session starts.
    void recordFrameLocations(const std::shared_ptr<AddressResolver> &resolver);
    /// Call it just before we end the target: `stuck` coroutines were stuck at `ts` (ns, CLOCK_MONOTONIC).
    void recordJudgement(std::uint64_t ts, std::uint64_t stuck);
    /// Call it at once when the end of the run is decided, at time `ts` (ns, CLOCK_MONOTONIC): it must be in a
    /// recording before what follows.
    void recordDecision(std::uint64_t ts);
    /// Records the last facts. Happens automatically when the session drains. Call it before a session that captures is
    /// destroyed.
    void recordEnd();

private:
    void add(const RecordingInfo &info);
    void onState(RunState state);
    void readProcesses();
    void readWanted();
    void readProcess(pid_t pid);
    void recordClocks();

    Session &m_session;
    std::shared_ptr<const Population> m_population;
    // Both have locks of their own, because add() runs on two threads.
    const std::shared_ptr<RecordingWriter> m_writer;
    const std::shared_ptr<LatestInfo> m_latestInfo;
    std::uint64_t m_startedAt = 0;
    QTimer m_processTimer;
    std::uint64_t m_eventsAtRead = ~std::uint64_t{0};  ///< captured at the latest time of m_processTimer; first: none
    int m_idleReads = 0;                               ///< times since then without an event
    QTimer m_clockTimer;
    pid_t m_recordedTarget = 0;
    bool m_ended = false;
    // Used by readWanted() only, which never runs twice at a time.
    std::map<pid_t, RecordingInfo::Process> m_recorded;  ///< recorded facts, without build ids
    bool m_environmentRecorded = false;
    std::mutex m_readMutex;  ///< guards m_wanted and m_isReading; locked only for a copy
    /// Processes to read next. Later requests replace them, so a slow system is read less often.
    std::optional<std::set<pid_t>> m_wanted;
    bool m_isReading = false;
    std::thread m_readThread;  ///< reads files that may be slow
};

}  // namespace ct
