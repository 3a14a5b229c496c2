// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/stationqueue.h"

#include <utility>

namespace ct {

StationBatch &StationQueue::spare()
{
    if (m_filling)
        return *m_filling;
    if (!m_free)
        m_free = m_released.takeAll();
    if (m_free) {
        m_filling = std::exchange(m_free, m_free->below);
        m_filling->batch.clear();
    } else {
        m_filling = m_all.emplace_back(std::make_unique<StationBatch>()).get();
    }
    return *m_filling;
}

bool StationQueue::push()
{
    if (!m_filling || m_filling->batch.empty())
        return false;
    m_transitions.fetch_add(m_filling->batch.transitions.size(), std::memory_order_relaxed);
    m_filled.push(std::exchange(m_filling, nullptr));
    return true;
}

const Batch *StationQueue::front()
{
    if (m_waiting.empty()) {
        for (StationBatch *batch = m_filled.takeAll(); batch; batch = batch->below)
            m_waiting.push_front(batch);
    }
    return m_waiting.empty() ? nullptr : &m_waiting.front()->batch;
}

void StationQueue::pop()
{
    StationBatch *const batch = m_waiting.front();
    m_waiting.pop_front();
    m_transitions.fetch_sub(batch->batch.transitions.size(), std::memory_order_relaxed);
    m_released.push(batch);
}

}  // namespace ct
