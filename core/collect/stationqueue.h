// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the full stations had, on its way to the decoder: batches whose coroutines are numbered among the full stations
// only, and whose sites are the numbers in the region. The batches are used again.
#pragma once

#include "core/base/takeallstack.h"
#include "core/stream/stream.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace ct {

struct StationBatch {
    Batch batch;
    StationBatch *below = nullptr;  ///< for TakeAllStack
};

class StationQueue {
public:
    /// Limit of transitions in the queue, 48 bytes each. Over it, the collector leaves events in the stations.
    static constexpr std::size_t kMostTransitions = std::size_t{8} << 20;
    /// Limit of transitions in one batch. Stations may exceed it by less than the events of one station.
    static constexpr std::size_t kMostInBatch = 262'144;

    // Collector's thread.
    bool isFull() const { return m_transitions.load(std::memory_order_relaxed) >= kMostTransitions; }
    /// Returns an empty batch to fill and pass to push().
    StationBatch &spare();
    /// Hands over the batch from spare(), unless it is empty. Returns true if it was not.
    bool push();

    // Decoder's thread.
    /// Returns the oldest batch, which stays valid until pop(); nullptr if there is none.
    const Batch *front();
    void pop();

private:
    std::vector<std::unique_ptr<StationBatch>> m_all;  ///< owns them; collector's thread
    StationBatch *m_free = nullptr;                    ///< collector's thread
    StationBatch *m_filling = nullptr;                 ///< collector's thread
    TakeAllStack<StationBatch> m_filled;
    TakeAllStack<StationBatch> m_released;
    std::deque<StationBatch *> m_waiting;       ///< decoder's thread, the oldest first
    std::atomic<std::size_t> m_transitions{0};  ///< in the queue; relaxed, a limit
};

}  // namespace ct
