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
/// How often one call looks again at what the producer changed while we looked.
constexpr int kMaxLooks = 4;
/// How many holes of a lane one call steps over.
constexpr int kMostHoles = 64;

/// Slots that may be touched.
std::uint32_t touchable(const LaneView &lane, std::memory_order order = std::memory_order_acquire)
{
    if (!lane.committed)
        return lane.capacity;
    return std::min(lane.committed->load(order), lane.capacity);
}

/// One past the last position that a run from `position` may reach without touching a slot that has no memory, without
/// a new lap, and without exceeding `room`.
std::uint64_t runEnd(const LaneView &lane, std::uint64_t position, std::uint64_t room)
{
    const std::uint64_t slot = position % lane.capacity;
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
    const LaneRecord *record = lane.records + begin % lane.capacity;
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

bool isCommitted(const LaneView &lane, std::uint64_t position)
{
    const std::uint64_t slot = position % lane.capacity;
    // Acquire; partner: the producer's release store of commit.
    return slot < touchable(lane) &&
           (lane.records[slot].commit.load(std::memory_order_acquire) & 0xF) == lane_lap(position, lane.capacity);
}

/// The same for a block with something in it: its first slot carries the lap that the number tells. A block that was
/// merely begun, or whose number was scribbled, is 0.
std::uint64_t filledBlock(const LaneView &lane, std::uint64_t place)
{
    for (int look = 0; look < kMaxLooks; ++look) {
        const std::uint64_t number = blockNumber(lane, place);
        if (number == 0 || isCommitted(lane, (number - 1) * kLaneBlock))
            return number;
        // Relaxed: behind an acquire load of what would have overwritten the slot. The same: nobody did.
        if (lane.blockNumbers[place].load(std::memory_order_relaxed) == number)
            return 0;
    }
    return 0;
}

/// The least number of a filled block above `number`; 0 = none.
std::uint64_t blockAfter(const LaneView &lane, std::uint64_t number)
{
    std::uint64_t next = 0;
    for (std::uint64_t place = 0; place < lane.capacity / kLaneBlock; ++place) {
        // Most are not above, and then their slots are left alone.
        const std::uint64_t claimed = lane.blockNumbers[place].load(std::memory_order_relaxed);
        if (claimed <= number || (next != 0 && claimed >= next))
            continue;
        const std::uint64_t filled = filledBlock(lane, place);
        if (filled > number && (next == 0 || filled < next))
            next = filled;
    }
    return next;
}

/// The greatest number of a filled block; 0 = none.
std::uint64_t newestBlock(const LaneView &lane)
{
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    // Mostly it is the latest that was begun, or the one before it: the slots of the others are left alone.
    std::uint64_t limit = kMaxPlausibleBlock + 1;
    for (int look = 0; look < 2; ++look) {
        std::uint64_t greatest = 0;
        for (std::uint64_t place = 0; place < blocks; ++place) {
            if (const std::uint64_t number = blockNumber(lane, place); number < limit)
                greatest = std::max(greatest, number);
        }
        if (greatest == 0 || filledBlock(lane, (greatest - 1) % blocks) == greatest)
            return greatest;
        limit = greatest;
    }
    std::uint64_t newest = 0;
    for (std::uint64_t place = 0; place < blocks; ++place)
        newest = std::max(newest, filledBlock(lane, place));
    return newest;
}

struct BlockReading {
    std::size_t count = 0;
    bool stopped = false;  ///< in front of a slot that does not carry its lap
};

/// What the block of `position`, number `number`, holds from there on; nothing if it is overwritten meanwhile.
BlockReading readBlock(const LaneView &lane, std::uint64_t position, std::uint64_t number, std::span<LaneItem> items)
{
    const std::uint64_t room = std::min<std::uint64_t>(items.size(), kLaneBlock - position % kLaneBlock);
    const std::uint64_t end = runEnd(lane, position, room);
    const std::size_t copied = copyRun<std::memory_order_acquire>(lane, position, end, items.data());
    // Relaxed: kept behind the copy by its acquire loads. Partner: the producer's store of the number, which comes
    // before the (release) payload that would have torn the copy.
    const std::uint64_t place = (number - 1) % (lane.capacity / kLaneBlock);
    if (lane.blockNumbers[place].load(std::memory_order_relaxed) != number)
        return {};
    return {copied, copied < room};
}

LaneReading readOverwrite(const LaneView &lane, std::uint64_t position, std::span<LaneItem> items)
{
    LaneReading reading;
    reading.next = position;
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    std::uint64_t awaited = 0;  // the position that a later block says must have been filled
    for (int leaps = 0; reading.count < items.size() && leaps <= kMaxLeaps;) {
        const std::uint64_t number = reading.next / kLaneBlock + 1;
        const std::uint64_t found = blockNumber(lane, (number - 1) % blocks);
        if (found == number) {
            const BlockReading block = readBlock(lane, reading.next, number, items.subspan(reading.count));
            reading.count += block.count;
            reading.next += block.count;
            if (block.count != 0 && !block.stopped)
                continue;
        }
        if (reading.count != 0)
            break;  // a leap comes before all items
        const std::uint64_t next = blockAfter(lane, number);
        if (next == 0)
            break;  // nothing new
        ++leaps;
        if (found <= number && awaited != reading.next + 1) {
            // Later blocks are filled after this one, so a second look sees what the first came too early for.
            awaited = reading.next + 1;
            continue;
        }
        // Overwritten before us or under us, or scribbled: go on at the oldest block that is there.
        const std::uint64_t target = (next - 1) * kLaneBlock;
        reading.skipped += target - reading.next;
        reading.next = target;
    }
    return reading;
}

/// One past the last position of a run of committed ones, from `position` to at most the end of its block.
std::uint64_t runInBlock(const LaneView &lane, std::uint64_t position)
{
    const std::uint64_t stop = (position / kLaneBlock + 1) * kLaneBlock;
    while (position != stop && isCommitted(lane, position))
        ++position;
    return position;
}

/// Looks at each slot of the last block, as readOverwrite does: a search would leap over a hole.
std::uint64_t overwriteEnd(const LaneView &lane, std::uint64_t position)
{
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    std::uint64_t end = position;
    for (int look = 0; look < kMaxLooks; ++look) {
        const std::uint64_t newest = newestBlock(lane);
        const std::uint64_t own = position / kLaneBlock + 1;
        const std::uint64_t last = std::max(newest, own);
        if (last == own && blockNumber(lane, (own - 1) % blocks) != own)
            return end;
        end = std::max(end, runInBlock(lane, last == own ? position : (last - 1) * kLaneBlock));
        // Relaxed: behind the acquire loads of the run. Changed: it was cut short by what overwrites the block.
        if (lane.blockNumbers[(last - 1) % blocks].load(std::memory_order_relaxed) == last)
            return end;
    }
    return end;
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

LaneView shrunk(LaneView lane, std::memory_order order)
{
    if (!lane.capacityNow)
        return lane;
    const std::uint32_t untrusted = lane.capacityNow->load(order);
    if (untrusted < lane.capacity && untrusted >= corotracer::kLaneRecordsMin && untrusted % kLaneBlock == 0)
        lane.capacity = untrusted;
    return lane;
}

LaneReading readLane(const LaneView &view, std::uint64_t position, std::span<LaneItem> items)
{
    const LaneView lane = shrunk(view);
    return lane.overwrite ? readOverwrite(lane, position, items) : readDiscard(lane, position, items);
}

bool hasRecordAt(const LaneView &view, std::uint64_t position)
{
    constexpr std::memory_order order = std::memory_order_seq_cst;
    const LaneView lane = shrunk(view, order);
    const std::uint64_t slot = position % lane.capacity;
    return slot < touchable(lane, order) &&
           (lane.records[slot].commit.load(order) & 0xF) == lane_lap(position, lane.capacity);
}

std::uint64_t committedEnd(const LaneView &view, std::uint64_t position)
{
    const LaneView lane = shrunk(view);
    return lane.overwrite ? overwriteEnd(lane, position) : searchEnd(lane, position, lane.capacity);
}

std::uint64_t oldestHeld(const LaneView &view, std::uint64_t tail)
{
    const LaneView lane = shrunk(view);
    // The producer may have been killed in the middle of the next record: then the slot is neither of this lap nor
    // whole.
    const std::uint64_t taken = committedEnd(lane, tail) + 1;
    std::uint64_t position = taken > lane.capacity ? taken - lane.capacity : 0;
    while (position < tail && !isCommitted(lane, position))
        ++position;
    return std::min(position, tail);
}

std::uint64_t nextCommitted(const LaneView &view, std::uint64_t position, std::uint64_t limit, std::uint64_t looks)
{
    const LaneView lane = shrunk(view);
    if (position >= limit || isCommitted(lane, position))
        return std::min(position, limit);
    const std::uint64_t reach = std::min<std::uint64_t>(limit - position, lane.capacity);
    std::uint64_t next = position + 1;
    std::uint64_t found = position + std::min(looks + 1, reach);
    while (next < found && !isCommitted(lane, next))
        ++next;
    if (next == found) {
        std::uint64_t step = 1;
        while (step < reach && !isCommitted(lane, position + step))
            step *= 2;
        if (step >= reach)
            return limit;
        next = std::max(next, position + step / 2 + 1);
        found = position + step;
    }
    // Slots are committed in order: a first slot that is committed by now was no hole.
    if (isCommitted(lane, position))
        return position;
    while (next < found && !isCommitted(lane, next))
        ++next;
    return next;
}

std::uint64_t committedEndOverHoles(const LaneView &view, std::uint64_t position, std::uint64_t limit)
{
    std::uint64_t end = std::min(committedEnd(view, position), limit);
    for (int holes = 0; holes < kMostHoles && !view.overwrite; ++holes) {
        const std::uint64_t next = nextCommitted(view, end, limit);
        if (next == limit)
            break;
        end = std::min(committedEnd(view, next), limit);
    }
    return end;
}

std::uint64_t oldestPosition(const LaneView &view)
{
    const LaneView lane = shrunk(view);
    const std::uint64_t oldest = lane.overwrite ? blockAfter(lane, 0) : 0;
    return oldest != 0 ? (oldest - 1) * kLaneBlock : 0;
}

}  // namespace ct
