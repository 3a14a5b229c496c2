// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/collectedlane.h"

#include <algorithm>
#include <utility>

namespace ct {

namespace {

/// How many slots behind a hole's first one are examined one at a time, in a lane without a writer.
constexpr std::uint64_t kSlotsExamined = 1024;

}  // namespace

LaneOrigin CollectedLane::originAt(std::uint64_t at, bool readsRetained) const
{
    const bool isBefore = at < begin && (view.overwrite || readsRetained);
    LaneOrigin result = isBefore ? before : origin;
    result.drained = at < drained;
    return result;
}

/// Returns the position of the next record, behind a hole if there is one. Returns the lane's limit if there is no
/// record.
std::uint64_t CollectedLane::nextRecord()
{
    // Without a writer, a second search from one position finds nothing new.
    const bool examines = isOver && examined != position;
    const std::uint64_t next = nextCommitted(view, position, limit, examines ? kSlotsExamined : std::uint64_t{0});
    if (examines && next == limit)
        examined = position;
    return next;
}

bool CollectedLane::isDrained()
{
    return nextRecord() == limit;
}

std::uint64_t CollectedLane::leapHole()
{
    if (view.overwrite)
        return 0;
    const std::uint64_t next = nextRecord();
    if (next == limit || next == position)
        return 0;
    damaged = true;
    return next - std::exchange(position, next);
}

void CollectedLane::resetWriter()
{
    isOver = leapt = false;
    examined = kNowhere;
}

}  // namespace ct
