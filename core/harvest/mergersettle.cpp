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
        WaitList *const waitList = m_reorderBuffer.find(m_covered[m_coveredAt]);
        if (!waitList)
            continue;
        waitList->waiting = false;
        releaseCovered(*waitList, batch);
    }
    m_covered.clear();
    if (m_stationsOnly)
        settleNotes(~std::uint64_t{0}, batch);
    return true;
}

void Merger::distrustTimes()
{
    if (std::exchange(m_distrustsTimes, true))
        return;
    m_eventWatermark = 0;
    for (; m_queueAt < m_queue.size(); ++m_queueAt) {
        WaitList *const waitList = m_reorderBuffer.find(m_queue[m_queueAt].identity);
        if (!waitList)
            continue;
        waitList->queued = false;
        if (!std::exchange(waitList->waiting, true))
            m_waiting.push_back(waitList->identity);
    }
    m_queue.clear();
    m_queueAt = 0;
}

/// All lanes were read to the barrier's ends: nothing that precedes an event from before the barrier is unread.
void Merger::releaseCovered(WaitList &waitList, Batch &batch)
{
    std::uint64_t newest = 0;
    const bool anyEvent = m_reorderBuffer.newestBefore(waitList, m_barrier, newest);
    const bool death = waitList.hasDeath && waitList.deathBarrier < m_barrier;
    settleUntil(waitList, anyEvent ? newest + 1 : 0, death, waitList.detached && waitList.barrier < m_barrier, batch);
}

bool Merger::releaseSettled(Batch &batch, std::size_t maxTransitions)
{
    for (; m_queueAt < m_queue.size() && m_queue[m_queueAt].ns < m_eventWatermark; ++m_queueAt) {
        if (batch.transitions.size() >= maxTransitions)
            return false;
        WaitList *const waitList = m_reorderBuffer.find(m_queue[m_queueAt].identity);
        if (!waitList)
            continue;
        waitList->queued = false;
        std::uint64_t end = 0;
        m_reorderBuffer.newestUntil(*waitList, m_eventWatermark, end);
        const bool deathKnown = waitList->deathTs < m_eventWatermark;
        settleUntil(*waitList, end, waitList->hasDeath && deathKnown,
                    waitList->detached && !waitList->hasDeath && waitList->deathTs != 0 && deathKnown, batch);
    }
    m_settledUntil = m_watermark;
    settleNotes(m_watermark, batch);
    if (m_queueAt == m_queue.size()) {
        m_queue.clear();
        m_queueAt = 0;
    } else if (m_queueAt > kQueueTrim) {
        m_queue.erase(m_queue.begin(), m_queue.begin() + static_cast<std::ptrdiff_t>(m_queueAt));
        m_queueAt = 0;
    }
    return true;
}

/// Settles a wait list: numbers missing below `end` are lost. `death` settles everything before its death as well.
/// `followed` means that the station has a later coroutine, and that no lane has the death of this one.
void Merger::settleUntil(WaitList &waitList, std::uint64_t end, bool death, bool followed, Batch &batch)
{
    const std::uint64_t identity = waitList.identity;
    if (end == 0 && !death && !followed) {
        listAgain(identity, batch);
        return;
    }
    if (!cursorOf(waitList).isBorn()) {
        discoverUnseen(waitList, batch);
        if (m_reorderBuffer.find(identity) != &waitList)
            return;  // everything was emitted with its birth
    }
    const CoroutineEntry entry{&cursorOf(waitList), &waitList};
    release(entry, end, batch);
    if (death) {
        release(entry, waitList.deathN, batch);
        lose(*entry.cursor, waitList.deathN, batch);
    } else if (waitList.detached && followed) {
        release(entry, ~std::uint64_t{0}, batch);
        lose(*entry.cursor, waitList.deathN, batch);
        die(entry, identity, waitList.deathTs, batch);
        return;
    }
    tidy(entry, batch);
    listAgain(identity, batch);
}

void Merger::finish(Batch &batch)
{
    constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
    // In a lane that could not be read to its end, events are missing for which others still wait.
    m_watermark = ~std::uint64_t{0};
    static_cast<void>(releaseSettled(batch, kNoLimit));
    static_cast<void>(completeBarrier(batch, kNoLimit));
    beginBarrier();
    static_cast<void>(completeBarrier(batch, kNoLimit));
    settleNotes(~std::uint64_t{0}, batch);
}

/// Lists what is left in a wait list, to wait for the next watermark or barrier.
void Merger::listAgain(std::uint64_t identity, const Batch &batch)
{
    WaitList *const left = m_reorderBuffer.find(identity);
    if (!left)
        return;
    const ReorderBuffer::Event *const event = m_reorderBuffer.first(*left);
    list(*left, event ? event->transition.ts : left->deathTs, batch);
}

/// Discovers a coroutine whose birth was not seen: through its compact station, else through its events alone.
void Merger::discoverUnseen(WaitList &waitList, Batch &batch)
{
    const std::uint32_t index = indexOf(waitList.identity);
    const std::uint32_t generation = generationOf(waitList.identity);
    if (generation > m_cursors[index].generation() && discoverFromStation(index, generation, batch))
        return;
    Birth birth;
    birth.station = corotracer::kCompactBase + index;
    birth.generation = generation;
    birth.pid = waitList.pid;
    birth.dialect = Dialect::Lane;
    install(waitList.identity, birth, waitList.own.state & LaneCursor::kAttached, 0, batch);
}

}  // namespace ct
