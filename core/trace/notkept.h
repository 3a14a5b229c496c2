// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a trace has no record for. Records are made at birth. When there are as many as there can be, or the system has
// no more memory for them, later coroutines go without, and so do their events; over a budget, records of coroutines
// that have ended are dropped (residence.h). All of it is counted.
#pragma once

#include "core/trace/stream.h"

#include <algorithm>
#include <atomic>

namespace ct {

struct NotKept {
    std::uint64_t coroutines = 0;
    std::uint64_t events = 0;  ///< transitions of these
    std::uint64_t lost = 0;    ///< of these: what a snapshot says under the same name
    std::uint64_t missed = 0;
    std::uint64_t ended = 0;  ///< of the coroutines, those that had a record until they had ended
    std::uint64_t drops = 0;  ///< drops of records that had ended at load(); for hasDroppedSince()

    /// Of two parts of one trace, which decide alike: what one of them lacks, the other one lacks, too.
    NotKept together(const NotKept &other) const
    {
        return {std::max(coroutines, other.coroutines), std::max(events, other.events), std::max(lost, other.lost),
                std::max(missed, other.missed),         std::max(ended, other.ended),   std::max(drops, other.drops)};
    }
    void addTo(Accounting &sums) const
    {
        sums.coroutinesNotKept = coroutines;
        sums.eventsNotKept = events;
    }
};

/// One thread counts, any thread reads; that may see coroutines and not yet their events. A reader that needs the sums
/// and the records of one moment calls load(), reads the records, and does both again if hasDroppedSince().
class NotKeptCounter {
public:
    void addCoroutine() { increase(m_coroutines, 1); }
    /// Before the first addEnded() of records that are dropped together.
    void beginDrop() { increase(m_begun, 1); }
    /// After readers can see that these records are gone.
    void endDrop() { m_done.store(m_begun.load(std::memory_order_relaxed), std::memory_order_release); }
    /// Its record is about to be dropped. `ended` is first here and last in load(): a reader never finds it too low.
    void addEnded(std::uint64_t events, std::uint64_t lost, std::uint64_t missed)
    {
        increase(m_ended, 1);
        increase(m_coroutines, 1);
        increase(m_events, events);
        increase(m_lost, lost);
        increase(m_missed, missed);
    }
    void addEvent() { increase(m_events, 1); }
    void addLoss(const Loss &loss) { increase(loss.beforeAttach ? m_missed : m_lost, loss.count); }
    /// `known`: of how many coroutines there are records. To be called for each batch, after its births.
    void addEvents(const Batch &batch, CoroutineId known)
    {
        if (m_coroutines.load(std::memory_order_relaxed) == 0)
            return;
        const auto isUnknown = [known](const Transition &event) { return event.coroutine >= known; };
        increase(m_events, static_cast<std::uint64_t>(
                               std::count_if(batch.transitions.begin(), batch.transitions.end(), isUnknown)));
    }
    NotKept load() const
    {
        // Acquire; partner: endDrop(). The sums include these drops, and a later isKept() sees them.
        NotKept sums;
        sums.drops = m_done.load(std::memory_order_acquire);
        // Acquire; partner: increase(). A sum that includes a part of a later drop shows that this has begun.
        sums.coroutines = m_coroutines.load(std::memory_order_acquire);
        sums.events = m_events.load(std::memory_order_acquire);
        sums.lost = m_lost.load(std::memory_order_acquire);
        sums.missed = m_missed.load(std::memory_order_acquire);
        sums.ended = m_ended.load(std::memory_order_acquire);
        return sums;
    }
    /// Also true when a drop was in progress at load(). False: each record that the caller found dropped is in `sums`,
    /// and no other one is. Relaxed: the loads of the sums and of the marks of the records before it are acquire ones.
    bool hasDroppedSince(const NotKept &sums) const { return m_begun.load(std::memory_order_relaxed) != sums.drops; }

private:
    // Release; partner: load(). A sum shows what was increased before it. A single writer: plain load and store.
    static void increase(std::atomic<std::uint64_t> &sum, std::uint64_t by)
    {
        sum.store(sum.load(std::memory_order_relaxed) + by, std::memory_order_release);
    }
    std::atomic<std::uint64_t> m_coroutines{0};
    std::atomic<std::uint64_t> m_events{0};
    std::atomic<std::uint64_t> m_lost{0};
    std::atomic<std::uint64_t> m_missed{0};
    std::atomic<std::uint64_t> m_ended{0};
    std::atomic<std::uint64_t> m_begun{0};  ///< drops
    std::atomic<std::uint64_t> m_done{0};   ///< these are in the sums, and their records are marked
};

}  // namespace ct
