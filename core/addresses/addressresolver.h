// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Resolves the addresses in the events of one run, live or from a recording. Uses the modules of the run's processes
// and the frame locations of its coroutines. Qt-free.
// See docs/decisions/0011-what-addresses-mean.md.
#pragma once

#include "core/recording/format/recordinginfo.h"
#include "core/stream/framelocation.h"
#include "core/symbols/symbolworker.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ct {

/// Any thread, unless stated otherwise. No member waits for a file or for another process, except awaitCode().
class AddressResolver {
public:
    using Answer = SymbolWorker::Answer;

    /// An address of a coroutine's event.
    struct Query {
        CoroutineId coroutine = kNoCoroutine;
        std::uint32_t pid = 0;  ///< 0 = unknown
        std::uint64_t addr = 0;
        std::uint64_t since = 0;  ///< start of the suspension, ns, CLOCK_MONOTONIC; 0 = unknown
        bool lasts = false;       ///< this is the present suspension
    };
    /// The address of the coroutine's latest suspension. Meant for coroutines whose site is not known.
    static Query queryOf(const CoroutineSnapshot &coroutine);

    /// Reads files and frames on the worker's thread. `population`: of this run.
    AddressResolver(std::shared_ptr<SymbolWorker> worker, std::shared_ptr<const Population> population);
    ~AddressResolver();
    AddressResolver(const AddressResolver &) = delete;
    AddressResolver &operator=(const AddressResolver &) = delete;

    /// Returns the description of an address. nullptr: not resolved yet, but requested; call again when generation()
    /// has changed. Call it only for addresses on display.
    Answer resolveOrRequest(const Query &query);
    /// As resolveOrRequest(), but requests nothing. nullptr: not resolved.
    Answer known(const Query &query) const;
    /// True if resolveOrRequest() may still yield more about the address.
    bool isOpen(const Query &query) const;
    // For exports, which may wait.

    /// Requests the resolution of an address of code. Ignores other addresses, and returns false for them.
    bool requestCode(const Query &query);
    /// Waits until all requested code is resolved, `most` has passed, or `givenUp` is set (relaxed).
    void awaitCode(std::chrono::milliseconds most, const std::atomic<bool> &givenUp) const;
    /// Start (ns) of the suspension that the file and line of a frame belong to; 0 = no line is known, or no frame.
    std::uint64_t lineSince(const Query &query) const;

    /// Grows whenever an answer may have changed.
    std::uint64_t generation() const;
    /// The first reason why addresses are not resolved, with its remedy; empty = none so far.
    std::string problem() const;

    // Input from the recording.

    /// The processes whose modules are known, without executables.
    std::vector<RecordingInfo::Process> processes() const;
    void addInfo(const RecordingInfo &info);  ///< the whole info so far
    void addFrames(const std::vector<FrameLocation> &frames);

    // For the owner of the run, on one thread.

    /// Allows reading the processes of this run, from its start to its end.
    void setLive(bool live);
    /// Call before the harvest is asked to end. Stops reading frames. Frames that were read are compared when the
    /// stream is complete (compareRest(), or poll() after setLive(false)).
    void stopReading();
    /// The process of coroutines that do not name theirs (version 1); 0 = unknown.
    void setTarget(pid_t pid);
    /// Also reads frames without a request, a few at a time, so a recording has them.
    void setReadsAhead(bool ahead);
    using Listener = std::function<void(const std::vector<FrameLocation> &)>;
    /// Also reads frames of short suspensions, some of each function, and checks with the history whether the
    /// suspension lasted during the reading. So the listeners learn at which lines the coroutines of a function wait.
    /// Needs setReadsAhead(). Call it before the first poll().
    void setHistory(std::shared_ptr<const History> history);
    /// Adds a function that poll() and addFrames() call with new frame locations, and compareRest() as well, unless
    /// its caller is the listener. Call it before any of them.
    void addListener(Listener listener, bool callsCompareRest = false);
    /// Sets the function that poll() calls with coroutines that have finished, as their frames prove, although their
    /// latest event is a resumption. Finish::ts is when the frame was read. Needs setReadsAhead().
    void setFinishListener(std::function<void(const std::vector<Finish> &)> listener);
    /// Starts what was requested, and processes results. Call it about ten times per second until isIdle(),
    /// also after the run has ended. While it is idle and the run is live, less often is enough: frames of new waits
    /// are read that much later.
    void poll();
    /// Sets a function that is called when something was requested, and nothing was waiting before. Any thread calls
    /// it, under a lock of the resolver. Empty = none.
    void setAwaken(std::function<void()> awaken);
    /// Call when the population has the whole stream. Compares all frames that were read, however recently, and returns
    /// the new frame locations. For a recording that is about to end, on its thread.
    std::vector<FrameLocation> compareRest();
    /// Nothing is requested, in progress, or waiting to be compared.
    bool isIdle() const;
    /// True while short suspensions come, and many of their lines may still be read: see setHistory(). Then call poll()
    /// a hundred times per second, because the first suspensions of a function may be the only ones before a defect.
    bool samplesMany() const;
    /// All requested frames were read. Of more than kMostWaiting requests, the oldest are discarded.
    bool isRead() const;
    static constexpr std::size_t kMostWaiting = 4096;
    /// Call when the debug search path has changed. Addresses that could not be resolved are tried again.
    void retryUnresolved();

    /// This long (ns) after a frame was read, the harvest has captured everything that happened before.
    static constexpr std::uint64_t kCaptureDelayNs = 600'000'000;

private:
    struct Data;
    Answer resolve(const Query &query, bool ask) const;
    SymbolWorker::Modules modulesOf(const Query &query) const;
    static void report(const std::vector<FrameLocation> &frames, const std::vector<Listener> &to);
    void readAhead();
    bool readPageAhead(std::uint32_t page);
    bool readRunning(CoroutineId id);
    void wantMaps();

    std::shared_ptr<SymbolWorker> m_worker;
    std::shared_ptr<Data> m_data;  ///< shared with running tasks
    std::vector<Listener> m_listeners;
    std::vector<Listener> m_restListeners;  ///< those of m_listeners that compareRest() calls, too
    std::function<void(const std::vector<Finish> &)> m_finishListener;
    bool m_readsAhead = false;
    std::uint32_t m_aheadPage = 0;  ///< the latest page of coroutines that readAhead() visited
    /// For each page, the version (Population::pageVersion()) at which none of its coroutines needed its frame read.
    std::vector<std::uint64_t> m_withoutFrames;
    std::uint64_t m_mapsWantedAt = 0;      ///< when wantMaps() last requested maps; ns, CLOCK_MONOTONIC
    std::uint64_t m_mapsWantedEvents = 0;  ///< events captured by then
};

}  // namespace ct
