// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/tracestock.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ct {

namespace {

constexpr CoroutineId kCoroutinesPerPiece = 8192;

/// The first try reads every coroutine; a later one takes microseconds. The trace evicts an eighth of its records at
/// once, then none for a while.
constexpr int kTriesWithPause = 50;
constexpr std::chrono::milliseconds kPause{1};
/// Further tries follow without a pause. Each reads only the coroutines that were born during the try before.
constexpr int kMostTries = 150;

std::uint64_t firstNumberOf(const CoroutineSnapshot &snapshot)
{
    return snapshot.dialect == Dialect::Monotonic ? 1 : 0;
}

}  // namespace

bool TraceStock::fill(const Population &population, const GoOn &goOn)
{
    const GoOn unasked = [] { return true; };
    for (int tries = 1;; ++tries) {
        m_overflow = population.overflow();
        const Sums before = m_sums;
        forgetDropped(population);
        const Sums after = m_sums;
        const bool hasPause = tries <= kTriesWithPause;
        if (!addNew(population, hasPause ? goOn : unasked))
            return false;
        const bool isOfOneMoment = !population.hasDroppedSince(m_overflow);
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
void TraceStock::forgetDropped(const Population &population)
{
    for (CoroutineId first = 0; first < m_coroutines.size(); first += Population::kPageSize) {
        if (population.isKept(first))
            continue;
        const CoroutineId end = std::min(m_coroutines.size(), first + Population::kPageSize);
        for (CoroutineId id = first; id < end; ++id)
            forget(id);
    }
}

/// Counts the coroutines that forgetDropped() removed, unless the counters include them.
void TraceStock::addToOverflow(const Sums &before, const Sums &after)
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
bool TraceStock::addNew(const Population &population, const GoOn &goOn)
{
    const CoroutineId first = m_coroutines.size();
    const CoroutineId end = population.size();
    m_coroutines.resize(end);
    for (CoroutineId id = first; id < end; ++id) {
        if (population.isKept(id))
            add(population.at(id));
        if ((id - first + 1) % kCoroutinesPerPiece == 0 && !goOn())
            return false;
    }
    return true;
}

void TraceStock::add(const CoroutineSnapshot &snapshot)
{
    if (!snapshot.kept)
        return;
    CoroutineStock &stock = m_coroutines.make(snapshot.id);
    stock.first = firstNumberOf(snapshot);
    stock.captured = snapshot.events;
    stock.lost = snapshot.lost;
    stock.missed = snapshot.missed;
    stock.deathTs = snapshot.deathTs;
    stock.end = snapshot.flagged ? CoroutineStock::kNoEnd
                                 : stock.first + snapshot.events + snapshot.lost + snapshot.missed + snapshot.dropped;
    m_sums.coroutines += 1;
    m_sums.captured += stock.captured;
    m_sums.lost += stock.lost;
    m_sums.missed += stock.missed;
}

void TraceStock::forget(CoroutineId id)
{
    if (!m_coroutines[id].isThere())
        return;
    CoroutineStock &stock = m_coroutines.make(id);
    m_sums.coroutines -= 1;
    m_sums.captured -= stock.captured;
    m_sums.lost -= stock.lost;
    m_sums.missed -= stock.missed;
    stock.end = CoroutineStock::kNotThere;
}

}  // namespace ct
