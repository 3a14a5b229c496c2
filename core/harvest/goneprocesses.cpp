// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/goneprocesses.h"

#include "core/region/unfinishedlanes.h"

#include <utility>

namespace ct {

GoneProcesses::GoneProcesses(Region &region, ProcessList &processes, const ChunkReader &lanes, CompactSweep &sweep,
                             const Merger &merger, CollectorRequests &requests)
    : m_region(region), m_processes(processes), m_lanes(lanes), m_sweep(sweep), m_merger(merger), m_requests(requests)
{
}

bool GoneProcesses::collect(Batch &batch)
{
    bool any = false;
    for (const std::uint32_t process : m_processes.takeGone()) {
        m_gone.push_back({process, m_sweep.started() + 1, batch.now});
        m_requests.setProcess(process, CollectorRequests::ProcessState::Gone);  // before the next barrier's request
        any = true;
    }
    return any;
}

void GoneProcesses::retire(Batch &batch)
{
    std::erase_if(m_gone, [&](Gone &gone) { return retire(gone, batch); });
}

/// Returns true if the end of the process was emitted.
bool GoneProcesses::retire(Gone &gone, Batch &batch)
{
    if (m_sweep.finished() < gone.sweep || (readsLanes() && m_merger.settledUntil() < gone.ns))
        return false;
    if (gone.freed == 0 && isReusable(gone.process)) {
        m_requests.setProcess(gone.process, CollectorRequests::ProcessState::FreeLanes);
        gone.freed = m_requests.request();
    }
    // The lanes may bring drops of the process's last threads.
    if (gone.freed != 0 && !m_lanes.hasRead(gone.freed))
        return false;
    if (gone.freed != 0)
        reclaim(gone.process);
    m_processes.retire(gone.process, gone.freed != 0, batch);
    return true;
}

/// If no process needs the room, the region stays as it is for post-mortem reading.
bool GoneProcesses::isReusable(std::uint32_t process) const
{
    const bool wanted = m_processes.isKnowable(process) && (m_processes.sawAlive(process) || m_processes.active() != 0);
    return wanted && m_region.access() == RegionAccess::Owner && m_region.laneMode() == corotracer::kLanesDiscard;
}

/// Frees what a process used, except for its lanes and its entry.
void GoneProcesses::reclaim(std::uint32_t process)
{
    // Load these before the check for other processes: a living process that claims one of them is in the table by
    // then.
    const std::vector<std::uint32_t> unfinished = unfinishedLanes(m_region);
    const bool last = m_processes.isLast(process);
    if (last)
        freeUnfinishedLanes(m_region, unfinished);
    m_sweep.reclaim(process, last);
    m_requests.setProcess(process, CollectorRequests::ProcessState::Live);  // before another process uses the entry
}

void GoneProcesses::retireAll(Batch &batch)
{
    for (const std::uint32_t process : m_processes.takeGone())
        m_processes.retire(process, false, batch);
    for (const Gone &gone : std::exchange(m_gone, {}))
        m_processes.retire(gone.process, false, batch);
}

}  // namespace ct
