// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the addresses in the events of one run mean, for whoever shows them: which modules its processes had mapped, and
// what could be learned from the frames of its coroutines. Live, from a recording, or both. Qt-free. See
// docs/decisions/0011.
#pragma once

#include "core/recording/frameplace.h"
#include "core/recording/recordinginfo.h"
#include "core/symbols/symbolworker.h"
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

/// Members may be called on any thread unless it says otherwise; none waits for a file or for another process.
class Places {
public:
    using Answer = SymbolWorker::Answer;

    /// An address of a coroutine's event.
    struct Spot {
        CoroutineId coroutine = kNoCoroutine;
        std::uint32_t pid = 0;  ///< 0 = not known
        std::uint64_t addr = 0;
        std::uint64_t since = 0;  ///< ns, CLOCK_MONOTONIC, of the suspension; 0 = which one is not known
        bool lasts = false;       ///< it is the present suspension
    };
    /// Of its latest suspension. Meant for coroutines whose site is not known.
    static Spot spotOf(const CoroutineSnapshot &coroutine);

    /// Files are read, and frames are, on the worker's thread. `population` is of this run.
    Places(std::shared_ptr<SymbolWorker> worker, std::shared_ptr<const Population> population);
    ~Places();
    Places(const Places &) = delete;
    Places &operator=(const Places &) = delete;

    /// nullptr: not known yet, and asked for; ask again when generation() has changed. Ask for what is shown only.
    Answer find(const Spot &spot);
    /// The same, but nothing is asked for; nullptr: not known.
    Answer known(const Spot &spot) const;
    /// Something may still be learned of it, for whoever asks with find().
    bool isOpen(const Spot &spot) const;
    // For exports, which may wait.

    /// Has an address of code looked up; nothing happens for others.
    void askForCode(const Spot &spot);
    /// Until all code that was asked for is looked up, the time is over, or it is given up.
    void awaitCode(std::chrono::milliseconds most, const std::atomic<bool> &givenUp) const;
    /// When the suspension began that file and line of its frame are of, ns; 0 = of none, or it is no known frame.
    std::uint64_t lineSince(const Spot &spot) const;

    /// Grows whenever an answer may have changed.
    std::uint64_t generation() const;
    /// Why addresses stay addresses, and what to do about it: the first such sentence; empty = none so far.
    std::string problem() const;

    // What the recording says.

    void addInfo(const RecordingInfo &info);  ///< all that it has said so far
    void addFrames(const std::vector<FramePlace> &frames);

    // For the owner of the run, on one thread.

    /// Processes of this run may be looked at: from its start to its end.
    void setLive(bool live);
    /// Before the harvest is asked to end: frames are read no longer, and what was read is compared when the stream is
    /// whole (takeRest(), or look() after setLive(false)).
    void stopReading();
    /// The process of coroutines that do not say theirs (version 1); 0 = not known.
    void setTarget(pid_t pid);
    /// Also reads frames that nobody asked for, few at a time, so that a recording has them.
    void setLooksAhead(bool ahead);
    /// Gets what was learned from frames, in look().
    void setListener(std::function<void(const std::vector<FramePlace> &)> listener);
    /// Passes on what was asked for, and takes what has come. To be called some ten times a second while the run
    /// lives, and afterwards until it is idle.
    void look();
    /// Once all of the stream is in the population: takes what was read, however short ago, and returns what was
    /// learned. For a recording that is about to end, on its thread.
    std::vector<FramePlace> takeRest();
    /// Nothing is asked for, under way, or waiting to be compared.
    bool isIdle() const;
    /// All that was asked for has been read. More than kMostWaiting at a time is not.
    bool isRead() const;
    static constexpr std::size_t kMostWaiting = 4096;
    /// After the places of debug files have changed: what could not be told is tried again.
    void forgetGaps();

    /// Of frames that were read: how long until the harvest is sure to have seen all that happened before, ns.
    static constexpr std::uint64_t kSettleNs = 600'000'000;

private:
    struct Core;
    Answer lookUp(const Spot &spot, bool ask) const;
    SymbolWorker::Modules modulesOf(const Spot &spot) const;
    void lookAhead();
    void wantMaps();

    std::shared_ptr<SymbolWorker> m_worker;
    std::shared_ptr<Core> m_core;  ///< shared with tasks that are under way
    std::function<void(const std::vector<FramePlace> &)> m_listener;
    bool m_looksAhead = false;
    CoroutineId m_ahead = 0;           ///< the latest one looked at
    std::uint64_t m_mapsWantedAt = 0;  ///< ns, CLOCK_MONOTONIC
};

}  // namespace ct
