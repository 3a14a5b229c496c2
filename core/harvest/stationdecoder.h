// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Merges the batches of the full stations into the stream: numbers their coroutines among all, resolves their sites,
// and adds up their sums. Decoder's thread only.
#pragma once

#include "core/collect/stationqueue.h"
#include "core/harvest/harveststate.h"

#include <vector>

namespace ct {

class StationDecoder {
public:
    StationDecoder(StationQueue &queue, HarvestState &harvestState) : m_queue(queue), m_harvestState(harvestState) {}

    /// Appends the oldest batch. Returns false if there is another one.
    bool pass(Batch &batch);

private:
    /// Coroutines that were numbered in a row: number `from` in the stations is number `to` in the stream.
    struct Run {
        CoroutineId from = 0;
        CoroutineId to = 0;
    };

    void append(const Batch &stations, Batch &batch);
    void addBirth(Birth birth, Batch &batch);
    CoroutineId inStream(CoroutineId coroutine) const;

    StationQueue &m_queue;
    HarvestState &m_harvestState;
    std::vector<Run> m_runs;  ///< in order of `from`
};

}  // namespace ct
