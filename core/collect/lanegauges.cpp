// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The figures of a LaneCollector: how full and how urgent its lanes are, and what it publishes for other threads.
#include "core/base/relaxed.h"
#include "core/collect/lanecollector.h"

#include <algorithm>

namespace ct {

namespace {

constexpr double kUrgentNs = 4'000'000;

}  // namespace

std::uint32_t LaneCollector::damaged() const
{
    return static_cast<std::uint32_t>(
        std::count_if(m_lanes.begin(), m_lanes.end(), [](const CollectedLane &lane) { return lane.damaged; }));
}

void LaneCollector::gauge(std::uint64_t nowNs)
{
    const double elapsed = static_cast<double>(nowNs - m_gaugedNs);
    m_gaugedNs = nowNs;
    m_fill = 0;
    m_urgent = false;
    m_starved = false;
    auto timeToQuarter = static_cast<double>(kLongestToQuarterNs);
    for (CollectedLane &lane : m_lanes) {
        lane.view = shrunk(lane.view);
        checkDrops(lane);
        m_starved = m_starved || lane.starved;
        const double waiting = static_cast<double>(committedEnd(lane.view, lane.position) - lane.position);
        const double rate = static_cast<double>(lane.position - lane.gauged) / std::max(elapsed, 1.0);
        lane.gauged = lane.position;
        if (lane.view.overwrite && rate == 0)
            continue;
        m_fill = std::max(m_fill, std::min(waiting / lane.view.capacity, 1.0));
        m_urgent = m_urgent || rate * kUrgentNs > static_cast<double>(lane.view.capacity) - waiting;
        if (rate > 0)
            timeToQuarter = std::min(timeToQuarter, lane.view.capacity / 4 / rate);
    }
    m_timeToQuarterNs = std::max(static_cast<std::uint64_t>(timeToQuarter), kShortestToQuarterNs);
}

void LaneCollector::publish() const
{
    CollectorFacts &facts = m_queue.facts;
    facts.recordsDropped.store(m_dropped + m_skipped + m_inHoles, kRelaxed);
    facts.recordsInHoles.store(m_inHoles, kRelaxed);
    facts.lanesInUse.store(m_inUse, kRelaxed);
    facts.lanesShortened.store(m_shortened, kRelaxed);
    facts.lanesDamaged.store(damaged(), kRelaxed);
    facts.lanesStarved.store(m_starved, kRelaxed);
    facts.laneFill.store(m_fill, kRelaxed);
}

}  // namespace ct
