// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/overwritelosses.h"

#include "core/region/plausiblesum.h"

#include <utility>

namespace ct {

OverwriteLosses::OverwriteLosses(const Region &region, HarvestState &harvestState, Merger &merger,
                                 const CompactSweep &sweep)
    : m_region(region), m_harvestState(harvestState), m_merger(merger), m_sweep(sweep), m_atAttach(census())
{
}

/// Makes a census that is compared with everything emitted so far. account() must have counted all of it.
Census OverwriteLosses::census() const
{
    return Census(m_region, m_sweep.stationCount(), m_merger.cursors(), m_emitted, m_harvestState.nextCoroutine);
}

void OverwriteLosses::account(const Batch &batch, const BatchMark &since)
{
    m_emitted += countOf(batch, since);
    for (std::optional<Census> *const census : {&m_atAttach, &m_atEnd}) {
        if (*census)
            (*census)->addEmitted(batch, since);
    }
}

/// Settles the coroutines that are discovered, after every record from before `census` was read. The rest of the census
/// then belongs to coroutines that left no other trace.
void OverwriteLosses::settle(const Census &census, bool missed, Batch &batch)
{
    const bool attaching = m_merger.isAttaching();
    m_merger.setAttaching(missed);
    m_merger.settleCounts(census.stations(), batch);
    m_merger.setAttaching(attaching);
}

/// Reports the rest of a census: coroutines that left neither records nor a compact station.
void OverwriteLosses::countTraceless(std::optional<Census> &census, bool missed)
{
    const Census::Count unemitted = std::exchange(census, {})->unemitted();
    const Census::Count traceless{plausible(unemitted.generations), plausible(unemitted.events)};
    RunSums &sums = m_harvestState.sums;
    (missed ? sums.missedBeforeAttach : sums.lost) += traceless.events;
    (missed ? sums.missedWithoutCoroutine : sums.lostWithoutCoroutine) += traceless.events;
    sums.coroutinesMissed += traceless.generations;
    m_emitted += traceless;
    if (m_atEnd)
        m_atEnd->addTraceless(traceless);
}

void OverwriteLosses::settleAttach(Batch &batch)
{
    settle(*m_atAttach, true, batch);
}

void OverwriteLosses::closeAttach()
{
    countTraceless(m_atAttach, true);
}

void OverwriteLosses::countAtEnd()
{
    m_atEnd = census();
}

void OverwriteLosses::settleEnd(bool missed, Batch &batch)
{
    if (!m_atEnd)
        countAtEnd();
    if (m_atAttach)
        settleAttach(batch);
    settle(*m_atEnd, missed, batch);
}

void OverwriteLosses::closeEnd(bool missed)
{
    if (m_atAttach)
        closeAttach();
    countTraceless(m_atEnd, missed);
}

}  // namespace ct
