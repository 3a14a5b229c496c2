// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/settlequeue.h"

#include <utility>

namespace ct {

namespace {

/// ns; times that are later than now by more than this are not believed.
constexpr std::uint64_t kFutureNs = 1'000'000;
/// Settled entries at the front of m_timed before they are erased.
constexpr std::size_t kTrim = 4096;

}  // namespace

void SettleQueue::addWaitList(WaitList &waitList, std::uint64_t ns, const Batch &batch)
{
    // The time of death of a station's former coroutine may be unknown.
    const bool endUnknown = waitList.detached && !waitList.hasDeath && waitList.deathTs == 0;
    const bool believable = ns < batch.now + kFutureNs && !m_mode.distrustsTimes;
    if (!believable || endUnknown) {
        if (!waitList.waiting)
            m_waiting.push_back(waitList.identity);
        waitList.waiting = true;
    }
    if (believable && !(endUnknown && !m_reorderBuffer.first(waitList))) {
        if (!waitList.queued)
            m_timed.push_back({waitList.identity, ns});
        waitList.queued = true;
    }
}

void SettleQueue::addAgain(std::uint64_t identity, const Batch &batch)
{
    WaitList *const left = m_reorderBuffer.findWaitList(identity);
    if (!left)
        return;
    const ReorderBuffer::Event *const event = m_reorderBuffer.first(*left);
    addWaitList(*left, event ? event->transition.ts : left->deathTs, batch);
}

void SettleQueue::beginBarrier()
{
    m_covered.erase(m_covered.begin(), m_covered.begin() + static_cast<std::ptrdiff_t>(m_coveredAt));
    m_covered.insert(m_covered.end(), m_waiting.begin(), m_waiting.end());
    m_waiting.clear();
    m_coveredAt = 0;
    ++m_barrier;
}

void SettleQueue::trim()
{
    if (m_timedAt == m_timed.size()) {
        m_timed.clear();
        m_timedAt = 0;
    } else if (m_timedAt > kTrim) {
        m_timed.erase(m_timed.begin(), m_timed.begin() + static_cast<std::ptrdiff_t>(m_timedAt));
        m_timedAt = 0;
    }
}

void SettleQueue::clearTimes()
{
    for (; m_timedAt < m_timed.size(); ++m_timedAt) {
        WaitList *const waitList = m_reorderBuffer.findWaitList(m_timed[m_timedAt].identity);
        if (!waitList)
            continue;
        waitList->queued = false;
        if (!std::exchange(waitList->waiting, true))
            m_waiting.push_back(waitList->identity);
    }
    m_timed.clear();
    m_timedAt = 0;
}

}  // namespace ct
