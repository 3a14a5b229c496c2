// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a trace has no record for. Records are made at birth and never given back: when there are as many as there can
// be, or the system has no more memory for them, later coroutines go without, and so do their events. They are counted.
#pragma once

#include "core/trace/stream.h"

#include <algorithm>
#include <atomic>

namespace ct {

struct NotKept {
    std::uint64_t coroutines = 0;
    std::uint64_t events = 0;  ///< transitions of these

    /// Of two parts of one trace. Both lack the youngest coroutines: what one of them lacks, the other one lacks, too.
    NotKept together(const NotKept &other) const
    {
        return {std::max(coroutines, other.coroutines), std::max(events, other.events)};
    }
    void addTo(Accounting &sums) const
    {
        sums.coroutinesNotKept = coroutines;
        sums.eventsNotKept = events;
    }
};

/// One thread counts, any thread reads; that may see coroutines and not yet their events.
class NotKeptCounter {
public:
    void addCoroutine() { increase(m_coroutines, 1); }
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
        return {m_coroutines.load(std::memory_order_relaxed), m_events.load(std::memory_order_relaxed)};
    }

private:
    // Relaxed: sums for people, they publish nothing. A single writer: plain load and store.
    static void increase(std::atomic<std::uint64_t> &sum, std::uint64_t by)
    {
        sum.store(sum.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    std::atomic<std::uint64_t> m_coroutines{0};
    std::atomic<std::uint64_t> m_events{0};
};

}  // namespace ct
