// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/exportedcoroutines.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ct {

namespace {

constexpr CoroutineId kCoroutinesPerPiece = 8192;

/// The first try reads every coroutine; a later one takes microseconds. The trace evicts an eighth of its records at
/// once, and then none for a while.
constexpr int kTriesWithPause = 50;
constexpr std::chrono::milliseconds kPause{1};
/// Further tries follow without a pause. Each reads only the coroutines that were born during the try before.
constexpr int kMostTries = 150;

constexpr std::chrono::milliseconds kHistoryPatience{2000};
constexpr std::chrono::milliseconds kHistoryPollInterval{1};

std::uint32_t firstNumberOf(const CoroutineSnapshot &snapshot)
{
    return snapshot.dialect == Dialect::Monotonic ? 1 : 0;
}

}  // namespace

bool ExportedCoroutines::fill(const Population &population, const GoOn &goOn)
{
    const GoOn unasked = [] { return true; };
    for (int tries = 1;; ++tries) {
        m_overflow = population.overflow();
        const Sums before = m_sums;
        removeEvicted(population);
        const Sums after = m_sums;
        const bool hasPause = tries <= kTriesWithPause;
        if (!addNew(population, hasPause ? goOn : unasked))
            return false;
        const bool isOfOneMoment = !population.hasEvictedSince(m_overflow);
        if (!isOfOneMoment && tries == kMostTries)
            addToOverflow(before, after);
        if (isOfOneMoment || tries == kMostTries)
            return true;
        if (!hasPause)
            continue;
        if (!goOn())
            return false;
        std::this_thread::sleep_for(kPause);
    }
}

/// Removes coroutines of earlier tries whose records were evicted.
void ExportedCoroutines::removeEvicted(const Population &population)
{
    for (CoroutineId first = 0; first < m_coroutines.size(); first += Population::kPageSize) {
        if (population.isKept(first))
            continue;
        const CoroutineId end = std::min(m_coroutines.size(), first + Population::kPageSize);
        for (CoroutineId id = first; id < end; ++id)
            remove(id);
    }
}

/// Counts the coroutines that removeEvicted() removed, unless the counters already include them.
void ExportedCoroutines::addToOverflow(const Sums &before, const Sums &after)
{
    const std::uint64_t gone = before.coroutines - after.coroutines;
    if (m_sums.coroutines + m_overflow.coroutines + gone > m_coroutines.size())
        return;
    m_overflow.coroutines += gone;
    m_overflow.events += before.captured - after.captured;
    m_overflow.lost += before.lost - after.lost;
    m_overflow.missed += before.missed - after.missed;
}

/// Adds coroutines that were born since the try before.
bool ExportedCoroutines::addNew(const Population &population, const GoOn &goOn)
{
    const CoroutineId first = m_coroutines.size();
    const CoroutineId end = population.size();
    m_coroutines.resize(end);
    for (CoroutineId id = first; id < end; ++id) {
        if (population.isKept(id))
            addCoroutine(population.at(id));
        if ((id - first + 1) % kCoroutinesPerPiece == 0 && !goOn())
            return false;
    }
    return true;
}

void ExportedCoroutines::addCoroutine(const CoroutineSnapshot &snapshot)
{
    if (!snapshot.kept)
        return;
    ExportedCoroutine &atStart = m_coroutines.make(snapshot.id);
    atStart.first = firstNumberOf(snapshot);
    atStart.captured = snapshot.events;
    atStart.lost = snapshot.lost;
    atStart.missed = snapshot.missed;
    atStart.deathTs = snapshot.deathTs;
    atStart.flagReason = snapshot.flagReason;
    atStart.end = snapshot.flagged
                      ? ExportedCoroutine::kNoEnd
                      : atStart.first + snapshot.events + snapshot.lost + snapshot.missed + snapshot.unexplained;
    m_sums.coroutines += 1;
    m_sums.captured += atStart.captured;
    m_sums.lost += atStart.lost;
    m_sums.missed += atStart.missed;
}

void ExportedCoroutines::remove(CoroutineId id)
{
    if (!m_coroutines[id].hasRecord())
        return;
    ExportedCoroutine &atStart = m_coroutines.make(id);
    m_sums.coroutines -= 1;
    m_sums.captured -= atStart.captured;
    m_sums.lost -= atStart.lost;
    m_sums.missed -= atStart.missed;
    atStart.end = ExportedCoroutine::kWithoutRecord;
}

void awaitHistory(const Population &population, const History &history, const ExportedCoroutines::GoOn &goOn)
{
    const std::uint64_t arrived = population.arrived();
    for (auto waited = kHistoryPollInterval; history.streamed() < arrived && waited < kHistoryPatience && goOn();
         waited += kHistoryPollInterval)
        std::this_thread::sleep_for(kHistoryPollInterval);
}

}  // namespace ct
