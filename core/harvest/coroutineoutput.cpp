// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/coroutineoutput.h"

#include "corotracer/clock.h"

#include <algorithm>

namespace ct {

std::uint64_t dueAt(std::uint64_t ts, const Batch &batch)
{
    return ts <= batch.now ? ts : std::min(ts, corotracer::detail::monotonic_ns());
}

CoroutineOutput::CoroutineOutput(const MergeMode &mode, HarvestState &harvestState, ReorderBuffer &reorderBuffer,
                                 PendingDeaths &deaths)
    : m_mode(mode), m_harvestState(harvestState), m_reorderBuffer(reorderBuffer), m_deaths(deaths)
{
}

void CoroutineOutput::emit(LaneCursor &cursor, const Transition &transition, Batch &batch)
{
    batch.transitions.push_back(transition);
    batch.transitions.back().coroutine = cursor.coroutine;
    cursor.setNext(transition.n + 1);
    if (transition.coroutine != kDrained)
        cursor.state &= ~LaneCursor::kAttached;
}

void CoroutineOutput::reportLoss(LaneCursor &cursor, std::uint64_t end, Batch &batch)
{
    if (end <= cursor.next())
        return;
    const std::uint64_t count = end - cursor.next();
    // In overwrite mode each lane is overwritten at its own pace, so there were gaps before the engine attached.
    const bool missed = (cursor.state & LaneCursor::kAttached) != 0 || (m_mode.attaching && m_mode.overwrites);
    batch.losses.push_back({cursor.coroutine, cursor.next(), count, missed});
    (missed ? m_harvestState.sums.missedBeforeAttach : m_harvestState.sums.lost) += count;
    cursor.setNext(end);
    if (!m_mode.readsRetained)
        cursor.state &= ~LaneCursor::kAttached;
}

void CoroutineOutput::release(const CoroutineEntry &entry, std::uint64_t end, Batch &batch)
{
    LaneCursor &cursor = *entry.cursor;
    while (const ReorderBuffer::Event *const event = m_reorderBuffer.first(*entry.waitList)) {
        const Transition &waiting = event->transition;
        if (waiting.n > cursor.next() && waiting.n >= end)
            break;
        if (waiting.n >= cursor.next()) {
            reportLoss(cursor, waiting.n, batch);
            emit(cursor, waiting, batch);
        }
        m_reorderBuffer.popFirst(*entry.waitList);
    }
}

void CoroutineOutput::endOrErase(const CoroutineEntry &entry, Batch &batch)
{
    WaitList &waiting = *entry.waitList;
    if (waiting.hasDeath && entry.cursor->isDiscovered() && entry.cursor->next() >= waiting.deathN) {
        addDeath(entry, waiting.identity, waiting.deathTs, batch);
        return;
    }
    if (waiting.detached || waiting.hasDeath || m_reorderBuffer.first(waiting))
        return;
    entry.cursor->state &= ~LaneCursor::kBuffered;
    m_reorderBuffer.erase(waiting);
}

void CoroutineOutput::addDeath(const CoroutineEntry &entry, std::uint64_t identity, std::uint64_t ts, Batch &batch)
{
    const Death death{entry.cursor->coroutine, ts != 0 ? ts : batch.now};
    const std::uint64_t due = m_mode.distrustsTimes ? corotracer::detail::monotonic_ns() : dueAt(death.ts, batch);
    m_deaths.addDeath({identity, entry.cursor->next(), due, death});
    entry.cursor->state = (entry.cursor->state | LaneCursor::kEnded) & ~LaneCursor::kBuffered;
    if (entry.waitList)
        m_reorderBuffer.erase(*entry.waitList);
}

}  // namespace ct
