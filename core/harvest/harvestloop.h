// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The harvest loop: turns a region into the decoded stream. Qt-free, so that thread sanitizer can judge it; one
// thread calls it, targets write at will.
#pragma once

#include "core/harvest/processlist.h"
#include "core/harvest/region.h"
#include "core/trace/stream.h"

#include <cstdint>
#include <memory>

namespace ct {

class HarvestLoop {
public:
    /// A batch from stations exceeds it by less than one station's; lanes give smaller ones.
    static constexpr std::size_t kMaxTransitions = 262'144;

    explicit HarvestLoop(Region &region);
    /// With another idea of which processes live.
    HarvestLoop(Region &region, IsAlive isAlive);
    ~HarvestLoop();

    /// One pass over the live stations; appends to `batch` (which the caller has cleared) and sets its time. A pass
    /// that fills the batch (kMaxTransitions) stops there; the next one goes on from that station.
    /// Deaths are looked for in a slower rotation, so that an idle station costs one cache line; a coroutine with a
    /// lane costs nothing while it is idle.
    void scan(Batch &batch);
    /// The same, but every station's death as well.
    void safetyScan(Batch &batch);

    /// While nothing is scanned, at the cost of a system call: a process of this project's probe has ended, and is not
    /// told yet. Scans, or calls of the second, will tell it; that leaves out the stations.
    bool hasEndsToTell();
    void tellEnds(Batch &batch);

    /// Announces sleep (owner only): sets tracer_sleeping (seq_cst; partners: the probe's seq_cst store of seq or
    /// commit and its load of the flag), then scans everything again. True: nothing was found and the caller may block.
    bool prepareSleep(Batch &batch);
    /// After a wake-up, or on the ~10 ms look at the flag: takes the announcement back.
    void cancelSleep();
    /// True while announced sleep still stands and nothing was allocated since: nobody tried to wake us.
    bool stillQuiet() const;

    /// False when sleep must not be announced: we are an observer, or an adopted region has version-1 writers, whose
    /// answer to the announcement would go to a dead engine's socket and raise SIGPIPE in the target.
    bool mayAnnounceSleep() const;

    /// Every writer is known to send its byte when it takes the announcement away: nobody need look at the flag often.
    bool areWakesSure() const;

    /// The first call decides the end: it takes a snapshot of the counts. Each call harvests a batch full up to it;
    /// false: call again. True: the accounts are closed and accounting() is final; a further call changes nothing.
    [[nodiscard]] bool finalDrain(Batch &batch);

    /// Owner: switches tracing off and on in all processes of this project's probe (tracer_sleeping = kEnginePaused).
    /// Paused, sleep is not announced.
    void setPaused(bool paused);

    /// The latest pass stopped because the batch had enough, or something is under way: the next should follow at once.
    bool hasMore() const;
    /// Lanes fill so fast that the next pass must not wait at all.
    bool isUrgent() const;

    Accounting accounting() const;
    /// A part of lost and missedBeforeAttach, in overwrite mode only: events of lives of which no record and no compact
    /// station is left, so that the stream names no coroutine for them. The sums over the stream's coroutines, and
    /// this, are captured + lost + missedBeforeAttach.
    std::uint64_t eventsWithoutCoroutine() const;
    std::uint64_t lastScanNs() const;  ///< what the latest full pass cost

private:
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
