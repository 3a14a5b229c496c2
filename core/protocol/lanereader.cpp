// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/lanereader.h"

#include <algorithm>

namespace ct {

namespace {

using corotracer::kLaneBlock;
using corotracer::lane_lap;
using corotracer::LaneRecord;

/// No producer gets there (a hundred million records a second for a month); such a block number was scribbled.
constexpr std::uint64_t kMaxPlausibleBlock = (std::uint64_t{1} << 48) / kLaneBlock;
/// How often one call leaps after a producer that laps us.
constexpr int kMaxLeaps = 8;

/// Slots that may be touched.
std::uint32_t touchable(const LaneView &lane)
{
    if (!lane.committed)
        return lane.capacity;
    return std::min(lane.committed->load(std::memory_order_acquire), lane.capacity);
}

/// One past the last position that a run from `position` may reach without touching a slot that has no memory, without
/// a new lap, and without exceeding `room`.
std::uint64_t runEnd(const LaneView &lane, std::uint64_t position, std::uint64_t room)
{
    const std::uint64_t slot = position & (lane.capacity - 1);
    const std::uint32_t usable = touchable(lane);
    return slot < usable ? position + std::min<std::uint64_t>(room, usable - slot) : position;
}

/// Copies what carries its lap from [begin, end), which lies in one lap; returns how many. Order: the payload's type
/// of load. Discard mode: relaxed, as nothing in front of the tail is rewritten. Overwrite mode: acquire, so that the
/// second load of the block's number stays behind.
template <std::memory_order order>
std::size_t copyRun(const LaneView &lane, std::uint64_t begin, std::uint64_t end, LaneItem *items)
{
    const std::uint64_t lap = lane_lap(begin, lane.capacity);
    const LaneRecord *record = lane.records + (begin & (lane.capacity - 1));
    LaneItem *item = items;
    for (const LaneRecord *const stop = record + (end - begin); record != stop; ++record, ++item) {
        const std::uint64_t commit = record->commit.load(std::memory_order_acquire);  // partner: the store of commit
        if ((commit & 0xF) != lap)
            break;
        item->ts = record->ts.load(order);
        item->identity = record->identity.load(order);
        item->arg = record->arg.load(order);
        item->n = static_cast<std::uint32_t>(commit >> 32);
        item->site = static_cast<std::uint32_t>(commit >> 12) & 0xF'FFFFU;
        item->kind = static_cast<std::uint8_t>(commit >> 4);
    }
    return static_cast<std::size_t>(item - items);
}

LaneReading readDiscard(const LaneView &lane, std::uint64_t position, std::span<LaneItem> items)
{
    LaneReading reading;
    reading.next = position;
    while (reading.count < items.size()) {
        const std::uint64_t end = runEnd(lane, reading.next, items.size() - reading.count);
        const std::size_t copied =
            copyRun<std::memory_order_relaxed>(lane, reading.next, end, items.data() + reading.count);
        reading.count += copied;
        reading.next += copied;
        if (copied == 0 || reading.next != end)
            break;
    }
    return reading;
}

/// The number that a block's place may hold (block + 1, or that of a lap before or after), or 0 for anything else.
std::uint64_t blockNumber(const LaneView &lane, std::uint64_t place)
{
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    // Acquire: the payloads read next are of this block or of one after it.
    const std::uint64_t number = lane.blockNumbers[place].load(std::memory_order_acquire);
    return number != 0 && number <= kMaxPlausibleBlock && (number - 1) % blocks == place ? number : 0;
}

/// The newest block that was begun, plus 1; 0 = none.
std::uint64_t newestBlock(const LaneView &lane)
{
    std::uint64_t newest = 0;
    for (std::uint64_t place = 0; place < lane.capacity / kLaneBlock; ++place)
        newest = std::max(newest, blockNumber(lane, place));
    return newest;
}

LaneReading readOverwrite(const LaneView &lane, std::uint64_t position, std::span<LaneItem> items)
{
    LaneReading reading;
    reading.next = position;
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    for (int leaps = 0; reading.count < items.size() && leaps <= kMaxLeaps;) {
        const std::uint64_t block = reading.next / kLaneBlock;
        const std::uint64_t number = blockNumber(lane, block % blocks);
        if (number < block + 1)
            break;  // not begun yet
        if (number == block + 1) {
            const std::uint64_t room =
                std::min<std::uint64_t>(items.size() - reading.count, kLaneBlock - reading.next % kLaneBlock);
            const std::uint64_t end = runEnd(lane, reading.next, room);
            const std::size_t copied =
                copyRun<std::memory_order_acquire>(lane, reading.next, end, items.data() + reading.count);
            // Relaxed: kept behind the copy by its acquire loads. Partner: the producer's store of the number, which
            // comes before the (release) payload that would have torn the copy.
            if (lane.blockNumbers[block % blocks].load(std::memory_order_relaxed) == number) {
                reading.count += copied;
                reading.next += copied;
                if (copied == 0 || reading.next != end)
                    break;
                continue;
            }
        }
        // Overwritten before us or under us: go on at the oldest block that may still be whole.
        const std::uint64_t newest = newestBlock(lane);
        const std::uint64_t oldest = newest > blocks ? newest - blocks : 0;
        const std::uint64_t target = std::max(oldest, block + 1) * kLaneBlock;
        reading.skipped += target - reading.next;
        reading.next = target;
        ++leaps;
    }
    return reading;
}

bool isCommitted(const LaneView &lane, std::uint64_t position)
{
    const std::uint64_t slot = position & (lane.capacity - 1);
    // Acquire; partner: the producer's release store of commit.
    return slot < touchable(lane) &&
           (lane.records[slot].commit.load(std::memory_order_acquire) & 0xF) == lane_lap(position, lane.capacity);
}

/// One past the last committed position in [position, position + room): those that are come first.
std::uint64_t searchEnd(const LaneView &lane, std::uint64_t position, std::uint64_t room)
{
    std::uint64_t low = 0;  // positions below position + low are committed
    std::uint64_t high = 1;
    while (high <= room && isCommitted(lane, position + high - 1)) {
        low = high;
        high *= 2;
    }
    high = std::min(high - 1, room);  // position + high is not, or is out of reach
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (isCommitted(lane, position + middle))
            low = middle + 1;
        else
            high = middle;
    }
    return position + low;
}

}  // namespace

LaneReading readLane(const LaneView &lane, std::uint64_t position, std::span<LaneItem> items)
{
    return lane.overwrite ? readOverwrite(lane, position, items) : readDiscard(lane, position, items);
}

std::uint64_t committedEnd(const LaneView &lane, std::uint64_t position)
{
    if (!lane.overwrite)
        return searchEnd(lane, position, lane.capacity);
    const std::uint64_t newest = newestBlock(lane);
    if (newest == 0)
        return position;
    return std::max(position, searchEnd(lane, std::max((newest - 1) * kLaneBlock, position), kLaneBlock));
}

}  // namespace ct
