// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// When what is held is told: by barriers, and by time.
#include "core/harvest/identity.h"
#include "core/harvest/merger.h"

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
        Hold *const hold = m_holdings.find(m_covered[m_coveredAt]);
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
        Hold *const hold = m_holdings.find(m_queue[m_queueAt].identity);
        if (!hold)
            continue;
        hold->queued = false;
        if (!std::exchange(hold->waiting, true))
            m_waiting.push_back(hold->identity);
    }
    m_queue.clear();
    m_queueAt = 0;
}

/// The lanes were read to their ends: what was held before the barrier began has all that will ever come before it.
void Merger::releaseCovered(Hold &hold, Batch &batch)
{
    std::uint64_t newest = 0;
    const bool anyEvent = m_holdings.newestBefore(hold, m_barrier, newest);
    const bool death = hold.hasDeath && hold.deathBarrier < m_barrier;
    conclude(hold, anyEvent ? newest + 1 : 0, death, hold.detached && hold.barrier < m_barrier, batch);
}

bool Merger::releaseSettled(Batch &batch, std::size_t maxTransitions)
{
    for (; m_queueAt < m_queue.size() && m_queue[m_queueAt].ns < m_eventHorizon; ++m_queueAt) {
        if (batch.transitions.size() >= maxTransitions)
            return false;
        Hold *const hold = m_holdings.find(m_queue[m_queueAt].identity);
        if (!hold)
            continue;
        hold->queued = false;
        std::uint64_t end = 0;
        m_holdings.newestUntil(*hold, m_eventHorizon, end);
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

/// Nothing that is missing below `end` will come. `death`: nor anything before its death; `followed`: the station has
/// another coroutine, born after the end of this one, of which no lane tells.
void Merger::conclude(Hold &hold, std::uint64_t end, bool death, bool followed, Batch &batch)
{
    const std::uint64_t identity = hold.identity;
    if (end == 0 && !death && !followed) {
        listAgain(identity, batch);
        return;
    }
    if (!cursorOf(hold).isBorn()) {
        bearUnseen(hold, batch);
        if (m_holdings.find(identity) != &hold)
            return;  // all told with its birth
    }
    const Place place{&cursorOf(hold), &hold};
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
    // A lane that was cut short leaves events held for what it would have brought.
    m_horizon = ~std::uint64_t{0};
    static_cast<void>(releaseSettled(batch, kNoLimit));
    static_cast<void>(completeBarrier(batch, kNoLimit));
    beginBarrier();
    static_cast<void>(completeBarrier(batch, kNoLimit));
    settleNotes(~std::uint64_t{0}, batch);
}

/// What is left of a hold waits on.
void Merger::listAgain(std::uint64_t identity, const Batch &batch)
{
    Hold *const left = m_holdings.find(identity);
    if (!left)
        return;
    const Holdings::Event *const event = m_holdings.first(*left);
    list(*left, event ? event->transition.ts : left->deathTs, batch);
}

/// Its birth was not seen. Its line may still tell; else it is known by its events alone.
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
