// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts what a trace has no record for. Each record is made at birth. When the limit is reached, or the system has no
// more memory, later coroutines and their events get none. Over a limit, records of ended coroutines are evicted
// (coroutineeviction.h).
#pragma once

#include "core/stream/stream.h"

#include <algorithm>
#include <atomic>

namespace ct {

struct Overflow {
    std::uint64_t coroutines = 0;
    std::uint64_t events = 0;  ///< transitions of these coroutines
    std::uint64_t lost = 0;    ///< losses of these coroutines, as CoroutineSnapshot::lost
    std::uint64_t missed = 0;
    std::uint64_t ended = 0;      ///< coroutines that had a record until after their end
    std::uint64_t evictions = 0;  ///< finished evictions of records at the time of load(); for hasEvictedSince()

    /// Combines two parts of one trace. They decide alike, so the missing records of both are the same: takes the
    /// maxima.
    Overflow together(const Overflow &other) const
    {
        return {std::max(coroutines, other.coroutines),
                std::max(events, other.events),
                std::max(lost, other.lost),
                std::max(missed, other.missed),
                std::max(ended, other.ended),
                std::max(evictions, other.evictions)};
    }
    void addTo(Accounting &sums) const
    {
        sums.overflowCoroutines = coroutines;
        sums.overflowEvents = events;
    }
};

/// One thread counts, any thread reads. A reader may see coroutines before their events. To get sums and records of the
/// same moment, call load(), read the records, and repeat both if hasEvictedSince().
class OverflowCounter {
public:
    void addCoroutine() { increaseAndRelease(m_coroutines, 1); }
    /// Call before the first addEnded() of records that are evicted together.
    void beginEviction() { increaseAndRelease(m_begun, 1); }
    /// Call when readers can see that these records are gone.
    void endEviction() { m_done.store(m_begun.load(std::memory_order_relaxed), std::memory_order_release); }
    /// Call before a record is evicted. `ended` is stored first here and loaded last in load(), so it is never too low.
    void addEnded(std::uint64_t events, std::uint64_t lost, std::uint64_t missed)
    {
        increaseAndRelease(m_ended, 1);
        increaseAndRelease(m_coroutines, 1);
        increaseAndRelease(m_events, events);
        increaseAndRelease(m_lost, lost);
        increaseAndRelease(m_missed, missed);
    }
    void addEvent() { increaseAndRelease(m_events, 1); }
    void addLoss(const Loss &loss) { increaseAndRelease(loss.beforeAttach ? m_missed : m_lost, loss.count); }
    /// Call for each batch, after its births. `known`: how many coroutines have an id in the trace.
    void addEvents(const Batch &batch, CoroutineId known)
    {
        if (m_coroutines.load(std::memory_order_relaxed) == 0)
            return;
        const auto isUnknown = [known](const Transition &event) { return event.coroutine >= known; };
        increaseAndRelease(m_events, static_cast<std::uint64_t>(
                                         std::count_if(batch.transitions.begin(), batch.transitions.end(), isUnknown)));
    }
    Overflow load() const
    {
        // Acquire; partner: endEviction(). The sums include these evictions, and a later isKept() reports them.
        Overflow sums;
        sums.evictions = m_done.load(std::memory_order_acquire);
        // Acquire; partner: increaseAndRelease(). A reader of a sum with a part of a later eviction sees that it has
        // begun.
        sums.coroutines = m_coroutines.load(std::memory_order_acquire);
        sums.events = m_events.load(std::memory_order_acquire);
        sums.lost = m_lost.load(std::memory_order_acquire);
        sums.missed = m_missed.load(std::memory_order_acquire);
        sums.ended = m_ended.load(std::memory_order_acquire);
        return sums;
    }
    /// Returns true also when an eviction was in progress at load(). If false, `sums` includes exactly those records
    /// that the caller found evicted. Relaxed: the loads of the sums and of the records' marks before it are acquire
    /// loads.
    bool hasEvictedSince(const Overflow &sums) const
    {
        return m_begun.load(std::memory_order_relaxed) != sums.evictions;
    }

private:
    // Release; partner: load(). A reader of a sum sees all earlier increases. There is a single writer: plain load and
    // store.
    static void increaseAndRelease(std::atomic<std::uint64_t> &sum, std::uint64_t by)
    {
        sum.store(sum.load(std::memory_order_relaxed) + by, std::memory_order_release);
    }
    std::atomic<std::uint64_t> m_coroutines{0};
    std::atomic<std::uint64_t> m_events{0};
    std::atomic<std::uint64_t> m_lost{0};
    std::atomic<std::uint64_t> m_missed{0};
    std::atomic<std::uint64_t> m_ended{0};
    std::atomic<std::uint64_t> m_begun{0};  ///< evictions that have begun
    std::atomic<std::uint64_t> m_done{0};   ///< evictions that are in the sums, with their records marked
};

}  // namespace ct
