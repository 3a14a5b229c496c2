// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The harvest loop decodes a region into the stream. It uses no Qt, because the thread sanitizer has to check it. One
// thread calls it, while targets write.
#pragma once

#include "core/harvest/processlist.h"
#include "core/region/region.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <memory>

namespace ct {

class HarvestLoop {
public:
    /// Limit of transitions in one batch. Stations may exceed it by less than the events of one station; batches from
    /// lanes are smaller.
    static constexpr std::size_t kMaxTransitions = 262'144;

    explicit HarvestLoop(Region &region);
    /// `isAlive` decides which processes live; empty = processIsAlive(). Tests pass their own.
    HarvestLoop(Region &region, IsAlive isAlive);
    ~HarvestLoop();

    /// Makes one pass over all lanes and live stations. Appends to `batch`, which the caller has cleared, and sets its
    /// time. When the batch is full (kMaxTransitions), the pass stops, and the next pass continues from that station.
    /// Stations are checked for death in a slower rotation, so an idle station costs one cache line. An idle coroutine
    /// with a lane costs nothing.
    void pass(Batch &batch);
    /// Like pass(), but checks every station for death, and makes all periodic checks of the lanes.
    void safetyPass(Batch &batch);

    /// Returns true if a process of this project's probe has ended and its end is not emitted yet. For a harvest thread
    /// that sleeps; costs one system call. A pass emits the ends, and so does emitEnds(), which skips the stations.
    bool hasEndsToEmit();
    void emitEnds(Batch &batch);

    /// Announces sleep and makes one more pass (owner only). Stores tracer_sleeping (seq_cst); partners: the probe's
    /// seq_cst store of seq or commit and its load of the flag. Returns true if nothing was found and the caller may
    /// block.
    bool prepareSleep(Batch &batch);
    /// Withdraws the announcement of sleep, after a wake-up or a change of the flag.
    void cancelSleep();
    /// Returns true while the announcement stands, and no station was allocated or used again since then.
    bool stillQuiet() const;

    /// Returns false when sleep must not be announced: for observers, while paused, in overwrite mode, and for an
    /// adopted region with version-1 writers. Such a writer would wake an engine that has ended, through its closed
    /// socket, and get SIGPIPE.
    bool mayAnnounceSleep() const;

    /// Returns true if every known writer sends its byte when it clears the flag. Then the flag needs fewer checks.
    bool areWakesSure() const;

    /// Drains the region. The first call decides the end and notes the counts. Each call fills one batch up to that
    /// end. Returns false if there is more: call again. After true, accounting() is final and further calls change
    /// nothing.
    [[nodiscard]] bool finalDrain(Batch &batch);

    /// Switches tracing off or on in all processes of this project's probe (tracer_sleeping = kEnginePaused; owner
    /// only). While paused, sleep is not announced.
    void setPaused(bool paused);

    /// Returns true if the latest pass stopped at a full batch or left work unfinished. The next pass should follow at
    /// once.
    bool hasMore() const;
    /// Returns true if lanes fill so fast that the next pass must not wait.
    bool isUrgent() const;

    Accounting accounting() const;
    /// Events in `lost` and `missedBeforeAttach` that belong to no coroutine of the stream (overwrite mode only). No
    /// record and no compact station is left of their coroutines. Together with the sums of all coroutines in the
    /// stream, they add up to captured + lost + missedBeforeAttach.
    std::uint64_t eventsWithoutCoroutine() const;
    std::uint64_t lastPassNs() const;  ///< duration of the latest complete pass

private:
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
