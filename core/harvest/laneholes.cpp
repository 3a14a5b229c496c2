// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Holes in lanes: uncommitted slots in front of committed ones.
#include "core/harvest/lanelist.h"

#include <algorithm>

namespace ct {

namespace {

/// How many slots behind a hole's first one are examined one at a time, in a lane without a writer.
constexpr std::uint64_t kSlotsExamined = 1024;

}  // namespace

/// Returns the position of the next record, behind a hole if there is one. Returns the lane's limit if there is no
/// record.
std::uint64_t LaneList::nextRecord(Lane &lane) const
{
    // Without a writer, a second search from one position finds nothing new.
    const bool examines = lane.isOver && lane.examined != lane.position;
    const std::uint64_t next =
        nextCommitted(lane.view, lane.position, lane.limit, examines ? kSlotsExamined : std::uint64_t{0});
    if (examines && next == lane.limit)
        lane.examined = lane.position;
    return next;
}

/// Returns true if no record is left, not even behind a hole. For a lane whose writer has ended.
bool LaneList::isDrained(Lane &lane) const
{
    return nextRecord(lane) == lane.limit;
}

/// Skips a hole at the lane's position, up to the next committed slot. Returns false if there is none.
bool LaneList::leapHole(Lane &lane)
{
    if (lane.view.overwrite)
        return false;
    const std::uint64_t next = nextRecord(lane);
    if (next == lane.limit || next == lane.position)
        return false;
    m_inHoles += next - lane.position;
    lane.position = next;
    lane.damaged = true;
    return true;
}

/// Resets the state of an ended writer, before the lane gets its next thread.
void LaneList::forgetEnd(Lane &lane)
{
    lane.isOver = lane.leapt = false;
    lane.examined = kNowhere;
}

std::uint32_t LaneList::damaged() const
{
    return static_cast<std::uint32_t>(
        std::count_if(m_lanes.begin(), m_lanes.end(), [](const Lane &lane) { return lane.damaged; }));
}

}  // namespace ct
