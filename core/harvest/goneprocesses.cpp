// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/goneprocesses.h"

#include "core/region/unfinishedlanes.h"

#include <utility>

namespace ct {

GoneProcesses::GoneProcesses(Region &region, ProcessList &processes, LaneList &lanes, CompactSweep &sweep,
                             const Merger &merger)
    : m_region(region), m_processes(processes), m_lanes(lanes), m_sweep(sweep), m_merger(merger)
{
}

bool GoneProcesses::collect(Batch &batch)
{
    bool any = false;
    for (const std::uint32_t process : m_processes.takeGone()) {
        m_gone.push_back({process, m_sweep.started() + 1, batch.now});
        any = true;
        if (readsLanes())
            m_lanes.refresh(batch, true);  // marks its lanes as ended before the next barrier marks ends
    }
    return any;
}

void GoneProcesses::retire(Batch &batch)
{
    std::erase_if(m_gone, [&](const Gone &gone) {
        if (m_sweep.finished() < gone.sweep || (readsLanes() && m_merger.settledUntil() < gone.ns))
            return false;
        const bool reuse = isReusable(gone.process);
        if (reuse)
            free(gone.process, batch);
        m_processes.retire(gone.process, reuse, batch);
        return true;
    });
}

/// If no process needs the room, the region stays as it is for post-mortem reading.
bool GoneProcesses::isReusable(std::uint32_t process) const
{
    const bool wanted = m_processes.isKnowable(process) && (m_processes.sawAlive(process) || m_processes.active() != 0);
    return wanted && m_region.access() == RegionAccess::Owner && m_region.laneMode() == corotracer::kLanesDiscard;
}

void GoneProcesses::free(std::uint32_t process, Batch &batch)
{
    // Load these before the check for other processes: a living process that claims one of them is in the table by
    // then.
    const std::vector<std::uint32_t> unfinished = unfinishedLanes(m_region);
    const bool last = m_processes.isLast(process);
    m_lanes.freeLanesOf(process, batch);
    if (last)
        freeUnfinishedLanes(m_region, unfinished);
    m_sweep.reclaim(process, last);
}

void GoneProcesses::retireAll(Batch &batch)
{
    for (const std::uint32_t process : m_processes.takeGone())
        m_processes.retire(process, false, batch);
    for (const Gone &gone : std::exchange(m_gone, {}))
        m_processes.retire(gone.process, false, batch);
}

}  // namespace ct
