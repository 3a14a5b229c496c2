// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// When waiting events are emitted: after barriers, and by the watermark.
#include "core/harvest/merger.h"
#include "core/region/identity.h"

#include <limits>

namespace ct {

namespace {

constexpr std::size_t kQueueTrim = 4096;

}  // namespace

void Merger::beginBarrier()
{
    m_covered.swap(m_waiting);
    m_waiting.clear();
    m_coveredAt = 0;
    ++m_barrier;
}

bool Merger::completeBarrier(Batch &batch, std::size_t maxTransitions)
{
    for (; m_coveredAt < m_covered.size(); ++m_coveredAt) {
        if (batch.transitions.size() >= maxTransitions)
            return false;
        Hold *const hold = m_reorderBuffer.find(m_covered[m_coveredAt]);
        if (!hold)
            continue;
        hold->waiting = false;
        releaseCovered(*hold, batch);
    }
    m_covered.clear();
    if (m_linesOnly)
        settleNotes(~std::uint64_t{0}, batch);
    return true;
}

void Merger::distrustTimes()
{
    if (std::exchange(m_distrustsTimes, true))
        return;
    m_eventHorizon = 0;
    for (; m_queueAt < m_queue.size(); ++m_queueAt) {
        Hold *const hold = m_reorderBuffer.find(m_queue[m_queueAt].identity);
        if (!hold)
            continue;
        hold->queued = false;
        if (!std::exchange(hold->waiting, true))
            m_waiting.push_back(hold->identity);
    }
    m_queue.clear();
    m_queueAt = 0;
}

/// All lanes were read to the barrier's ends: nothing that precedes an event from before the barrier is unread.
void Merger::releaseCovered(Hold &hold, Batch &batch)
{
    std::uint64_t newest = 0;
    const bool anyEvent = m_reorderBuffer.newestBefore(hold, m_barrier, newest);
    const bool death = hold.hasDeath && hold.deathBarrier < m_barrier;
    conclude(hold, anyEvent ? newest + 1 : 0, death, hold.detached && hold.barrier < m_barrier, batch);
}

bool Merger::releaseSettled(Batch &batch, std::size_t maxTransitions)
{
    for (; m_queueAt < m_queue.size() && m_queue[m_queueAt].ns < m_eventHorizon; ++m_queueAt) {
        if (batch.transitions.size() >= maxTransitions)
            return false;
        Hold *const hold = m_reorderBuffer.find(m_queue[m_queueAt].identity);
        if (!hold)
            continue;
        hold->queued = false;
        std::uint64_t end = 0;
        m_reorderBuffer.newestUntil(*hold, m_eventHorizon, end);
        const bool deathKnown = hold->deathTs < m_eventHorizon;
        conclude(*hold, end, hold->hasDeath && deathKnown,
                 hold->detached && !hold->hasDeath && hold->deathTs != 0 && deathKnown, batch);
    }
    m_settledUntil = m_horizon;
    settleNotes(m_horizon, batch);
    if (m_queueAt == m_queue.size()) {
        m_queue.clear();
        m_queueAt = 0;
    } else if (m_queueAt > kQueueTrim) {
        m_queue.erase(m_queue.begin(), m_queue.begin() + static_cast<std::ptrdiff_t>(m_queueAt));
        m_queueAt = 0;
    }
    return true;
}

/// Settles a hold: numbers missing below `end` are lost. `death` settles everything before its death as well.
/// `followed` means that the station has a later coroutine, and that no lane has the death of this one.
void Merger::conclude(Hold &hold, std::uint64_t end, bool death, bool followed, Batch &batch)
{
    const std::uint64_t identity = hold.identity;
    if (end == 0 && !death && !followed) {
        listAgain(identity, batch);
        return;
    }
    if (!cursorOf(hold).isBorn()) {
        bearUnseen(hold, batch);
        if (m_reorderBuffer.find(identity) != &hold)
            return;  // everything was emitted with its birth
    }
    const CoroutineEntry place{&cursorOf(hold), &hold};
    release(place, end, batch);
    if (death) {
        release(place, hold.deathN, batch);
        lose(*place.cursor, hold.deathN, batch);
    } else if (hold.detached && followed) {
        release(place, ~std::uint64_t{0}, batch);
        lose(*place.cursor, hold.deathN, batch);
        die(place, identity, hold.deathTs, batch);
        return;
    }
    tidy(place, batch);
    listAgain(identity, batch);
}

void Merger::finish(Batch &batch)
{
    constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
    // In a lane that could not be read to its end, events are missing for which others still wait.
    m_horizon = ~std::uint64_t{0};
    static_cast<void>(releaseSettled(batch, kNoLimit));
    static_cast<void>(completeBarrier(batch, kNoLimit));
    beginBarrier();
    static_cast<void>(completeBarrier(batch, kNoLimit));
    settleNotes(~std::uint64_t{0}, batch);
}

/// Lists what is left in a hold, to wait for the next watermark or barrier.
void Merger::listAgain(std::uint64_t identity, const Batch &batch)
{
    Hold *const left = m_reorderBuffer.find(identity);
    if (!left)
        return;
    const ReorderBuffer::Event *const event = m_reorderBuffer.first(*left);
    list(*left, event ? event->transition.ts : left->deathTs, batch);
}

/// Discovers a coroutine whose birth was not seen: through its compact station, else through its events alone.
void Merger::bearUnseen(Hold &hold, Batch &batch)
{
    const std::uint32_t index = indexOf(hold.identity);
    const std::uint32_t generation = generationOf(hold.identity);
    if (generation > m_cursors[index].generation() && bearFromLine(index, generation, batch))
        return;
    Birth birth;
    birth.station = corotracer::kCompactBase + index;
    birth.generation = generation;
    birth.pid = hold.pid;
    birth.dialect = Dialect::Lane;
    install(hold.identity, birth, hold.own.state & LaneCursor::kAttached, 0, batch);
}

}  // namespace ct
