// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/stationdecoder.h"

#include <algorithm>

namespace ct {

bool StationDecoder::pass(Batch &batch)
{
    if (const Batch *const stations = m_queue.front()) {
        append(*stations, batch);
        m_queue.pop();
    }
    return m_queue.front() == nullptr;
}

void StationDecoder::append(const Batch &stations, Batch &batch)
{
    RunSums &sums = m_harvestState.sums;
    for (const Birth &birth : stations.births)
        addBirth(birth, batch);
    for (Loss loss : stations.losses) {
        loss.coroutine = inStream(loss.coroutine);
        batch.losses.push_back(loss);
        (loss.beforeAttach ? sums.missedBeforeAttach : sums.lost) += loss.count;
    }
    for (Transition transition : stations.transitions) {
        transition.coroutine = inStream(transition.coroutine);
        transition.site = m_harvestState.sites.resolve(transition.site, batch);
        batch.transitions.push_back(transition);
    }
    for (Death death : stations.deaths) {
        death.coroutine = inStream(death.coroutine);
        batch.deaths.push_back(death);
    }
    for (Flag flag : stations.flags) {
        flag.coroutine = inStream(flag.coroutine);
        batch.flags.push_back(flag);
    }
    sums.coroutines += stations.births.size();
    sums.captured += stations.transitions.size();
    sums.flaggedStations += stations.flags.size();
}

void StationDecoder::addBirth(Birth birth, Batch &batch)
{
    const CoroutineId from = birth.coroutine;
    birth.coroutine = m_harvestState.number();
    if (m_runs.empty() || birth.coroutine - m_runs.back().to != from - m_runs.back().from)
        m_runs.push_back({from, birth.coroutine});
    batch.births.push_back(birth);
}

CoroutineId StationDecoder::inStream(CoroutineId coroutine) const
{
    const auto behind = std::upper_bound(m_runs.begin(), m_runs.end(), coroutine,
                                         [](CoroutineId wanted, const Run &run) { return wanted < run.from; });
    return std::prev(behind)->to + (coroutine - std::prev(behind)->from);
}

}  // namespace ct
