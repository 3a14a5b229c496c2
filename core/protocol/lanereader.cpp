// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/lanereader.h"

#include <algorithm>

namespace ct {

namespace {

using corotracer::kLaneBlock;
using corotracer::lane_lap;
using corotracer::LaneRecord;

/// A greater block number comes from a stray write. A producer would need a month at 100 million records per second.
constexpr std::uint64_t kMaxPlausibleBlock = (std::uint64_t{1} << 48) / kLaneBlock;
/// Skips per call of readOverwrite(), when the producer keeps overwriting the blocks that are due.
constexpr int kMaxLeaps = 8;
/// Attempts per call, when the producer changes a block during the reading.
constexpr int kMaxAttempts = 4;
/// Holes that one call of committedEndOverHoles() skips.
constexpr int kMostHoles = 64;

/// Returns the number of slots, from slot 0, that may be read.
std::uint32_t touchable(const LaneView &lane, std::memory_order order = std::memory_order_acquire)
{
    if (!lane.committed)
        return lane.capacity;
    return std::min(lane.committed->load(order), lane.capacity);
}

/// Returns the end of the longest run from `position` that stays in one lap, in slots with memory, and within `room`
/// records.
std::uint64_t runEnd(const LaneView &lane, std::uint64_t position, std::uint64_t room)
{
    const std::uint64_t slot = position % lane.capacity;
    const std::uint32_t usable = touchable(lane);
    return slot < usable ? position + std::min<std::uint64_t>(room, usable - slot) : position;
}

/// Copies records from [begin, end), which lies in one lap, up to the first slot that does not carry its lap. Returns
/// their count. `order` is the order of the payload loads. Discard mode: relaxed, because the producer overwrites no
/// record from `tail` on. Overwrite mode: acquire, to keep the second load of the block's number behind them.
template <std::memory_order order>
std::size_t copyRun(const LaneView &lane, std::uint64_t begin, std::uint64_t end, RecordCopy *copies)
{
    const std::uint64_t lap = lane_lap(begin, lane.capacity);
    const LaneRecord *record = lane.records + begin % lane.capacity;
    RecordCopy *copy = copies;
    for (const LaneRecord *const stop = record + (end - begin); record != stop; ++record, ++copy) {
        const std::uint64_t commit = record->commit.load(std::memory_order_acquire);  // partner: the producer's store
        if ((commit & 0xF) != lap)
            break;
        copy->ts = record->ts.load(order);
        copy->identity = record->identity.load(order);
        copy->arg = record->arg.load(order);
        copy->commit = commit;
    }
    return static_cast<std::size_t>(copy - copies);
}

LaneReading readDiscard(const LaneView &lane, std::uint64_t position, std::span<RecordCopy> copies)
{
    LaneReading reading;
    reading.next = position;
    while (reading.count < copies.size()) {
        const std::uint64_t end = runEnd(lane, reading.next, copies.size() - reading.count);
        const std::size_t copied =
            copyRun<std::memory_order_relaxed>(lane, reading.next, end, copies.data() + reading.count);
        reading.count += copied;
        reading.next += copied;
        if (copied == 0 || reading.next != end)
            break;
    }
    return reading;
}

/// Returns the block number (block + 1) at index `blockIndex`, of any lap. Returns 0 if the value there is not valid
/// for this index.
std::uint64_t blockNumber(const LaneView &lane, std::uint64_t blockIndex)
{
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    // Acquire: keeps the loads of the payload behind this load.
    const std::uint64_t number = lane.blockNumbers[blockIndex].load(std::memory_order_acquire);
    return number != 0 && number <= kMaxPlausibleBlock && (number - 1) % blocks == blockIndex ? number : 0;
}

bool isCommitted(const LaneView &lane, std::uint64_t position)
{
    const std::uint64_t slot = position % lane.capacity;
    // Acquire; partner: the producer's release store of commit.
    return slot < touchable(lane) &&
           (lane.records[slot].commit.load(std::memory_order_acquire) & 0xF) == lane_lap(position, lane.capacity);
}

/// Returns blockNumber() if the block's first slot carries the lap of this number, else 0. So a block that was only
/// begun, or whose number comes from a stray write, gives 0.
std::uint64_t filledBlock(const LaneView &lane, std::uint64_t blockIndex)
{
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
        const std::uint64_t number = blockNumber(lane, blockIndex);
        if (number == 0 || isCommitted(lane, (number - 1) * kLaneBlock))
            return number;
        // Relaxed: follows the acquire load of the slot's commit. If a later block had overwritten the slot, this load
        // would see the number of that block.
        if (lane.blockNumbers[blockIndex].load(std::memory_order_relaxed) == number)
            return 0;
    }
    return 0;
}

/// Returns the least number of a filled block above `number`, or 0 if there is none.
std::uint64_t blockAfter(const LaneView &lane, std::uint64_t number)
{
    std::uint64_t next = 0;
    for (std::uint64_t blockIndex = 0; blockIndex < lane.capacity / kLaneBlock; ++blockIndex) {
        // Most numbers are not greater. Check this first, to avoid a load of the block's slot.
        const std::uint64_t claimed = lane.blockNumbers[blockIndex].load(std::memory_order_relaxed);
        if (claimed <= number || (next != 0 && claimed >= next))
            continue;
        const std::uint64_t filled = filledBlock(lane, blockIndex);
        if (filled > number && (next == 0 || filled < next))
            next = filled;
    }
    return next;
}

/// Returns the greatest number of a filled block, or 0 if there is none.
std::uint64_t newestBlock(const LaneView &lane)
{
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    // Usually this is the greatest number, or the one before it. Try these two first, to avoid a load from each block.
    std::uint64_t limit = kMaxPlausibleBlock + 1;
    for (int attempt = 0; attempt < 2; ++attempt) {
        std::uint64_t greatest = 0;
        for (std::uint64_t blockIndex = 0; blockIndex < blocks; ++blockIndex) {
            if (const std::uint64_t number = blockNumber(lane, blockIndex); number < limit)
                greatest = std::max(greatest, number);
        }
        if (greatest == 0)
            break;  // no valid number, or the producer has replaced all lower ones since the first try
        if (filledBlock(lane, (greatest - 1) % blocks) == greatest)
            return greatest;
        limit = greatest;
    }
    std::uint64_t newest = 0;
    for (std::uint64_t blockIndex = 0; blockIndex < blocks; ++blockIndex)
        newest = std::max(newest, filledBlock(lane, blockIndex));
    return newest;
}

struct BlockReading {
    std::size_t count = 0;
    bool stopped = false;  ///< the reading ended at a slot that is not committed
};

/// Copies records of block `number` from `position` on. Returns nothing if the producer overwrites the block during the
/// copy.
BlockReading readBlock(const LaneView &lane, std::uint64_t position, std::uint64_t number, std::span<RecordCopy> copies)
{
    const std::uint64_t room = std::min<std::uint64_t>(copies.size(), kLaneBlock - position % kLaneBlock);
    const std::uint64_t end = runEnd(lane, position, room);
    const std::size_t copied = copyRun<std::memory_order_acquire>(lane, position, end, copies.data());
    // Relaxed: the acquire loads of the copy keep this load behind it. Partner: the producer's store of the number,
    // which precedes the release stores of the payload that would have torn the copy.
    const std::uint64_t blockIndex = (number - 1) % (lane.capacity / kLaneBlock);
    if (lane.blockNumbers[blockIndex].load(std::memory_order_relaxed) != number)
        return {};
    return {copied, copied < room};
}

LaneReading readOverwrite(const LaneView &lane, std::uint64_t position, std::span<RecordCopy> copies)
{
    LaneReading reading;
    reading.next = position;
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    std::uint64_t awaited = 0;  // 1 + the position that is due for a second reading, 0 = none
    for (int leaps = 0; reading.count < copies.size() && leaps <= kMaxLeaps;) {
        const std::uint64_t number = reading.next / kLaneBlock + 1;
        const std::uint64_t found = blockNumber(lane, (number - 1) % blocks);
        if (found == number) {
            const BlockReading block = readBlock(lane, reading.next, number, copies.subspan(reading.count));
            reading.count += block.count;
            reading.next += block.count;
            if (block.count != 0 && !block.stopped)
                continue;
        }
        if (reading.count != 0)
            break;  // skip only before the first copied record
        const std::uint64_t next = blockAfter(lane, number);
        if (next == 0)
            break;  // nothing new
        ++leaps;
        if (found <= number && awaited != reading.next + 1) {
            // A later block has records, so this position was filled before. The first reading may have been too early.
            awaited = reading.next + 1;
            continue;
        }
        // The block was overwritten, or a stray write damaged it. Continue at the oldest block behind it.
        const std::uint64_t target = (next - 1) * kLaneBlock;
        reading.skipped += target - reading.next;
        reading.next = target;
    }
    return reading;
}

/// Returns the end of the run of committed slots from `position` on, at most the end of the block.
std::uint64_t runInBlock(const LaneView &lane, std::uint64_t position)
{
    const std::uint64_t stop = (position / kLaneBlock + 1) * kLaneBlock;
    while (position != stop && isCommitted(lane, position))
        ++position;
    return position;
}

/// Loads each slot of the last block, as readOverwrite() does. A binary search could skip a hole.
std::uint64_t overwriteEnd(const LaneView &lane, std::uint64_t position)
{
    const std::uint64_t blocks = lane.capacity / kLaneBlock;
    std::uint64_t end = position;
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
        const std::uint64_t newest = newestBlock(lane);
        const std::uint64_t own = position / kLaneBlock + 1;
        const std::uint64_t last = std::max(newest, own);
        if (last == own && blockNumber(lane, (own - 1) % blocks) != own)
            return end;
        end = std::max(end, runInBlock(lane, last == own ? position : (last - 1) * kLaneBlock));
        // Relaxed: follows the acquire loads of the run. If the number changed, a later block may have cut the run
        // short.
        if (lane.blockNumbers[(last - 1) % blocks].load(std::memory_order_relaxed) == last)
            return end;
    }
    return end;
}

/// Returns the end of the committed positions in [position, position + room). Assumes that they come first.
std::uint64_t searchEnd(const LaneView &lane, std::uint64_t position, std::uint64_t room)
{
    std::uint64_t low = 0;  // positions below position + low are committed
    std::uint64_t high = 1;
    while (high <= room && isCommitted(lane, position + high - 1)) {
        low = high;
        high *= 2;
    }
    high = std::min(high - 1, room);  // position + high is not committed, or is out of reach
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (isCommitted(lane, position + middle))
            low = middle + 1;
        else
            high = middle;
    }
    return position + low;
}

/// Returns read(lane) for the present capacity of an overwrite lane. Calls `read` again if the lane shrank during the
/// call: the producer may have overwritten the records that were due, and the newer records are only found with the new
/// capacity. Once is enough, because a lane shrinks once. It also bounds the call for any contents of the lane.
template <class Read>
auto readShrinking(const LaneView &view, Read read)
{
    const LaneView before = shrunk(view);
    auto result = read(before);
    // Acquire; partner: the producer's release store. The loads of commits in `read` keep this load behind them.
    const LaneView after = shrunk(view);
    return after.capacity == before.capacity ? result : read(after);
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

LaneReading readLane(const LaneView &view, std::uint64_t position, std::span<RecordCopy> copies)
{
    if (!view.overwrite)
        return readDiscard(shrunk(view), position, copies);
    return readShrinking(view, [&](const LaneView &lane) { return readOverwrite(lane, position, copies); });
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
    if (!view.overwrite) {
        const LaneView lane = shrunk(view);
        return searchEnd(lane, position, lane.capacity);
    }
    return readShrinking(view, [&](const LaneView &lane) { return overwriteEnd(lane, position); });
}

std::uint64_t oldestRetained(const LaneView &view, std::uint64_t tail)
{
    const LaneView lane = shrunk(view);
    // The producer may have been killed while it wrote the next record. Then the record that it overwrites is not
    // whole, although it still carries its lap.
    const std::uint64_t taken = committedEnd(lane, tail) + 1;
    std::uint64_t position = taken > lane.capacity ? taken - lane.capacity : 0;
    while (position < tail && !isCommitted(lane, position))
        ++position;
    return std::min(position, tail);
}

std::uint64_t nextCommitted(const LaneView &view, std::uint64_t position, std::uint64_t limit, std::uint64_t examined)
{
    const LaneView lane = shrunk(view);
    if (position >= limit || isCommitted(lane, position))
        return std::min(position, limit);
    const std::uint64_t reach = std::min<std::uint64_t>(limit - position, lane.capacity);
    std::uint64_t next = position + 1;
    std::uint64_t found = position + std::min(examined + 1, reach);
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
    // Slots are committed in order. If the first slot is committed by now, there was no hole.
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
    if (!view.overwrite)
        return 0;
    const std::uint64_t oldest = readShrinking(view, [](const LaneView &lane) { return blockAfter(lane, 0); });
    return oldest != 0 ? (oldest - 1) * kLaneBlock : 0;
}

}  // namespace ct
