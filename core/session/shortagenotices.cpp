// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/shortagenotices.h"

#include <utility>

namespace ct {

namespace {

/// Share of the memory for collected records from which on its end is near.
constexpr double kNearlyFull = 0.75;

}  // namespace

QStringList ShortageNotices::newNotices(const Accounting &sums)
{
    QStringList found;
    if ((sums.growthStopped || sums.lanesShortened > 0) && !std::exchange(m_reportedSpace, true))
        found += tr("The file system of the region is full: new threads and coroutines may go untraced, and threads "
                    "have short lanes. Lost events are counted. Enlarge it (mount -o remount,size=1G /dev/shm, docker "
                    "run --shm-size=1g), choose another file system (--shm), or start again with smaller lanes "
                    "(--lane-size 1MiB).");
    if (sums.memoryFill >= kNearlyFull && !std::exchange(m_reportedMemory, true))
        found += tr("The views and the output are %1 s behind the target, and the memory for events that are not shown "
                    "yet is almost full. When it is full, new events are lost; the sums count them. End other "
                    "programs, let the target do less, or write to a faster disk.")
                     .arg(static_cast<double>(sums.behindNs) / 1e9, 0, 'f', 1);
    if (sums.processesUnmapped > 0 && !std::exchange(m_reportedUnmapped, true))
        found += tr("A process is untraced: its address space has too little room for the region. Raise the limit of "
                    "the program (ulimit -v).");
    if (sums.processesPartlyMapped > 0 && (sums.recordsDropped > sums.recordsInHoles || sums.untraced > 0) &&
        !std::exchange(m_reportedPartlyMapped, true))
        found +=
            tr("The address space of a process has room for only a part of the region: it has fewer or shorter "
               "lanes and fewer stations. Dropped records and untraced coroutines are counted. Raise the limit of the "
               "program (ulimit -v).");
    if (sums.birthsOvertaken > 0 && sums.untraced > 0 && !std::exchange(m_reportedOvertaken, true))
        found += tr("Coroutines were born faster than the region grew: some are untraced, and counted. Give the number "
                    "of coroutines with -n, so that all stations have their memory from the start.");
    if (sums.lanesDamaged > 0 && !std::exchange(m_reportedDamaged, true))
        found += tr(
            "A thread left holes in its lane: a signal handler resumed a coroutine in the middle of an event, or the "
            "program overwrote shared memory. The missing events are counted as lost. Resume no coroutine in a signal "
            "handler, and look for stray writes with a memory checker.");
    return found;
}

}  // namespace ct
