// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Gives a lane to a thread, and closes it when the thread ends. A thread gets a free lane, else a new one from the
// pool, else in overwrite mode the lane that was closed first.
#pragma once

#include "compactstation.h"

#include <bit>

#include <pthread.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

inline constexpr std::uint64_t position_limit = std::uint64_t{1} << 62;  ///< positions are below it
inline constexpr std::uint64_t lane_bytes_min = kLaneRecordsMin * sizeof(LaneRecord);
inline constexpr std::uint64_t lane_step = 1U << 20;  ///< bytes of records that get memory in one step

/// Returns the bytes of block numbers in front of a lane's records, in whole pages.
[[nodiscard]] inline constexpr std::uint64_t block_bytes(std::uint64_t records) noexcept
{
    return (records / kLaneBlock * sizeof(std::uint64_t) + 4095) & ~std::uint64_t{4095};
}

/// Location of a lane in memory, from its header, checked.
struct lane_memory {
    LaneRecord *records = nullptr;  ///< null: the header is not valid
    std::atomic<std::uint64_t> *block_numbers = nullptr;
    std::uint32_t capacity = 0;
};

[[nodiscard]] inline bool inside_pool(const lane_areas &areas, std::uint64_t offset, std::uint64_t size) noexcept
{
    return offset % 4096 == 0 && offset >= areas.pool_offset && offset - areas.pool_offset <= areas.pool_size &&
           size <= areas.pool_size - (offset - areas.pool_offset);
}

/// Returns the location of a lane; null records for a header that is not valid.
[[nodiscard]] inline lane_memory memory_of(const lane_areas &areas, const LaneHeader &lane) noexcept
{
    // Acquire; partner: the release in make_lane. 0 until then.
    const std::uint32_t untrusted_records = lane.records.load(std::memory_order_acquire);
    const std::uint64_t untrusted_offset = lane.offset.load(std::memory_order_relaxed);
    const std::uint64_t untrusted_blocks = lane.block_numbers_offset.load(std::memory_order_relaxed);
    if (untrusted_records % kLaneBlock != 0 || untrusted_records < kLaneRecordsMin ||
        untrusted_records > kLaneRecordsMax)
        return {};
    if (!inside_pool(areas, untrusted_offset, untrusted_records * sizeof(LaneRecord)) ||
        !inside_pool(areas, untrusted_blocks, block_bytes(untrusted_records)))
        return {};
    char *const blocks = areas.pool + (untrusted_blocks - areas.pool_offset);
    return {reinterpret_cast<LaneRecord *>(areas.pool + (untrusted_offset - areas.pool_offset)),
            reinterpret_cast<std::atomic<std::uint64_t> *>(blocks), untrusted_records};
}

/// Returns the number of directory entries in use, limited to the mapped ones.
[[nodiscard]] inline std::uint32_t lanes_made(const lane_areas &areas) noexcept
{
    const std::uint32_t count = areas.extension->lane_count.load(std::memory_order_acquire);
    return count < areas.lane_capacity ? count : areas.lane_capacity;
}

/// Returns the bytes of records of the next lane when `left` bytes of the pool are left; 0 = no lane. It is a small
/// part of the rest. So the first threads have long lanes, and the hundredth thread still gets one.
[[nodiscard]] inline constexpr std::uint64_t lane_bytes(std::uint64_t wanted, std::uint64_t left) noexcept
{
    const std::uint64_t share = std::bit_floor(left / 32);
    std::uint64_t bytes = wanted < share ? wanted : share;
    bytes = bytes < lane_bytes_min ? lane_bytes_min : bytes;
    return bytes + block_bytes(bytes / sizeof(LaneRecord)) <= left ? bytes : 0;
}

/// Gives memory to the first `most` bytes, else to half of them, and so on. Returns the bytes that have memory; 0 when
/// there is not enough for the smallest lane. Trying less makes sense: a failed attempt has used up all memory.
[[nodiscard]] inline std::uint64_t back_some(char *begin, std::uint64_t most) noexcept
{
    for (std::uint64_t bytes = most; bytes >= lane_bytes_min; bytes = bytes / 2 & ~std::uint64_t{lane_bytes_min - 1}) {
        if (back_with_memory(begin, bytes))
            return bytes;
    }
    return 0;
}

/// Part of the pool for one lane, in bytes: block numbers, which have memory, then records. `begin` counts from the
/// start of the region's pool.
struct lane_carving {
    std::uint64_t begin = 0;
    std::uint64_t blocks = 0;
    std::uint64_t records = 0;    ///< 0: the pool or the memory is used up
    std::uint64_t committed = 0;  ///< bytes of the records that have memory

    [[nodiscard]] constexpr std::uint64_t end() const noexcept { return begin + blocks + records; }
};

/// Allocates the next part of the pool. Block numbers and first records get memory before the allocation. So every lane
/// can be written, if only by wrapping early. While there is no memory, failed attempts use up nothing of the pool.
/// Another thread may allocate at the same time. Its part begins at the same offset, so its lane uses the memory.
[[nodiscard]] inline lane_carving carve(const lane_areas &areas) noexcept
{
    std::atomic<std::uint64_t> &pool_used = areas.extension->lane_pool_used;
    lane_carving carving;
    carving.begin = pool_used.load(std::memory_order_relaxed);
    do {
        const std::uint64_t begin = carving.begin - areas.pool_skipped;
        // Whole pages: any other untrusted value would misplace the lane.
        if (carving.begin < areas.pool_skipped || begin > areas.pool_size || begin % 4096 != 0)
            return {};
        carving.records = lane_bytes(std::uint64_t{areas.lane_records} * sizeof(LaneRecord), areas.pool_size - begin);
        carving.blocks = block_bytes(carving.records / sizeof(LaneRecord));
        if (carving.records == 0 || !back_with_memory(areas.pool + begin, carving.blocks))
            return {};
        const std::uint64_t first = carving.records < lane_step ? carving.records : lane_step;
        carving.committed = back_some(areas.pool + begin + carving.blocks, first);
        if (carving.committed == 0)
            return {};
    } while (!pool_used.compare_exchange_weak(carving.begin, carving.end(), std::memory_order_relaxed,
                                              std::memory_order_relaxed));
    return carving;
}

/// Returns a part to the pool, when there is no directory entry for it. Only the last part can be returned. In front of
/// another part it stays unused.
inline void give_back(const lane_areas &areas, const lane_carving &carving) noexcept
{
    std::uint64_t end = carving.end();
    (void)areas.extension->lane_pool_used.compare_exchange_strong(end, carving.begin, std::memory_order_relaxed,
                                                                  std::memory_order_relaxed);
}

/// Makes a lane from the pool, in state kLaneMaking. Returns null when pool, directory or memory is used up. The
/// directory entry is allocated last, when no other step can fail.
[[nodiscard]] inline LaneHeader *make_lane(const lane_areas &areas) noexcept
{
    std::atomic<std::uint32_t> &lane_count = areas.extension->lane_count;
    std::uint32_t index = lanes_made(areas);
    if (index >= areas.lane_capacity || !back_with_memory(areas.directory + index, sizeof(LaneHeader)))
        return nullptr;
    const lane_carving carving = carve(areas);
    if (carving.records == 0)
        return nullptr;
    do {
        if (index >= areas.lane_capacity || !back_with_memory(areas.directory + index, sizeof(LaneHeader))) {
            give_back(areas, carving);
            return nullptr;
        }
        // The entry has memory. Partners: the acquire in lanes_made, and the engine's load: acquire, or seq_cst before
        // it sleeps.
    } while (!lane_count.compare_exchange_weak(index, index + 1, std::memory_order_seq_cst, std::memory_order_acquire));
    LaneHeader &lane = areas.directory[index];
    const std::uint64_t offset = areas.pool_offset + (carving.begin - areas.pool_skipped);
    // Release; partner: the acquire of an engine that searches for lanes of killed threads.
    lane.state.store(kLaneMaking, std::memory_order_release);
    lane.block_numbers_offset.store(offset, std::memory_order_relaxed);
    lane.offset.store(offset + carving.blocks, std::memory_order_relaxed);
    lane.committed.store(static_cast<std::uint32_t>(carving.committed / sizeof(LaneRecord)), std::memory_order_relaxed);
    lane.records.store(static_cast<std::uint32_t>(carving.records / sizeof(LaneRecord)), std::memory_order_release);
    return &lane;
}

/// Claims a lane in `state`, and sets it to kLaneMaking. Returns false when another thread was faster. Acquire;
/// partner: the release that set the state. Release; partner: the acquire of an engine that searches for lanes of
/// killed threads.
[[nodiscard]] inline bool seize(LaneHeader &lane, std::uint32_t state) noexcept
{
    return lane.state.compare_exchange_strong(state, kLaneMaking, std::memory_order_acq_rel, std::memory_order_relaxed);
}

/// Claims a free lane; null when there is none. A lane with an invalid header is skipped.
[[nodiscard]] inline LaneHeader *seize_free_lane(const lane_areas &areas) noexcept
{
    const std::uint32_t count = lanes_made(areas);
    for (std::uint32_t i = 0; i < count; ++i) {
        LaneHeader &lane = areas.directory[i];
        if (lane.state.load(std::memory_order_relaxed) == kLaneFree && memory_of(areas, lane).records != nullptr &&
            lane.tail.load(std::memory_order_relaxed) < position_limit && seize(lane, kLaneFree))
            return &lane;
    }
    return nullptr;
}

/// Claims the closed lane that was closed first, in overwrite mode; null when none may be used again yet. `now`: ns,
/// CLOCK_MONOTONIC.
[[nodiscard]] inline LaneHeader *seize_closed_lane(const lane_areas &areas, std::uint64_t now) noexcept
{
    const std::uint64_t retention = std::uint64_t{areas.retention_ms} * 1'000'000;
    for (int attempt = 0; attempt < 8; ++attempt) {
        LaneHeader *oldest = nullptr;
        std::uint64_t oldest_ts = 0;
        const std::uint32_t count = lanes_made(areas);
        for (std::uint32_t i = 0; i < count; ++i) {
            LaneHeader &lane = areas.directory[i];
            if (lane.state.load(std::memory_order_acquire) != kLaneClosed || memory_of(areas, lane).records == nullptr)
                continue;
            const std::uint64_t closed = lane.closed_ts.load(std::memory_order_relaxed);
            // The lane may have been closed after `now` was read.
            const std::uint64_t age = closed < now ? now - closed : 0;
            if ((oldest == nullptr || closed < oldest_ts) && age >= retention) {
                oldest = &lane;
                oldest_ts = closed;
            }
        }
        if (oldest == nullptr)
            return nullptr;
        if (seize(*oldest, kLaneClosed))
            return oldest;
    }
    return nullptr;
}

/// Returns the position behind the last record, in overwrite mode, where no reader stores a tail.
[[nodiscard]] inline std::uint64_t overwrite_position(const lane_memory &memory) noexcept
{
    std::uint64_t latest = 0;
    for (std::uint32_t i = 0; i < memory.capacity / kLaneBlock; ++i) {
        const std::uint64_t number = memory.block_numbers[i].load(std::memory_order_relaxed);
        // A number that does not match its index is not valid.
        if (number > latest && number < position_limit / kLaneBlock &&
            (number - 1) % (memory.capacity / kLaneBlock) == i)
            latest = number;
    }
    if (latest == 0)
        return 0;
    std::uint64_t position = (latest - 1) * kLaneBlock;
    const std::uint64_t end = position + kLaneBlock;
    const std::uint64_t lap = lane_lap(position, memory.capacity);
    while (position < end &&
           (memory.records[position % memory.capacity].commit.load(std::memory_order_relaxed) & 0xF) == lap)
        ++position;
    return position;
}

/// Closes the thread's lane, and returns its free compact stations to the region. Runs when the thread ends. The
/// argument is not used.
inline void leave_lane(void *) noexcept
{
    thread_state &self = thread_v2;
    self.closer = 0;
    const std::uint32_t attached = page_v2.attached.load(std::memory_order_acquire);
    if (self.session == 0 || self.session != attached)
        return;  // in a forked child all of it belongs to the parent
    push_free_compact(state_v2.lanes, self.free_compact_stations, self.free_compact_count);
    self.free_compact_count = 0;
    if (self.lane == nullptr)
        return;
    self.lane->closed_ts.store(monotonic_ns(), std::memory_order_relaxed);
    self.lane->state.store(kLaneClosed, std::memory_order_release);  // partner: the engine's acquire load
    self.lane = nullptr;
    self.next = nullptr;
    self.end = nullptr;
    self.run_end = nullptr;
    self.drops = 0;
}

/// Makes the thread's end call leave_lane, also again for a coroutine that runs after an earlier call. A key allocates
/// nothing if it is among the first 32 of the program, and otherwise returns an error. A thread_local object with a
/// destructor would allocate for each thread, and glibc ends the program if that fails.
[[gnu::noinline, gnu::cold]] inline void leave_at_thread_end(thread_state &self) noexcept
{
    const int saved_errno = errno;
    const std::uint32_t key = state_v2.thread_key.load(std::memory_order_relaxed);
    if (self.closer == 0 && key != 0)
        self.closer = ::pthread_setspecific(static_cast<pthread_key_t>(key - 1), &self) == 0 ? 1 : 0;
    errno = saved_errno;
}

inline std::uint64_t system_thread_name(const thread_state &self) noexcept;  // names.h

/// Gives this thread a lane. Returns false when there is none; then no call tries again for memory_retry_ns.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool acquire_lane(thread_state &self) noexcept
{
    const no_cancellation guard;
    const lane_areas &areas = state_v2.lanes;
    leave_at_thread_end(self);
    const std::uint64_t now = monotonic_ns();
    if (now < self.retry_ns)
        return false;
    // Before the lane is claimed: if the thread is killed between claiming it and setting its state, the lane is lost.
    if (self.thread_name == 0)
        self.thread_name = system_thread_name(self);
    const int saved_errno = errno;
    LaneHeader *lane = seize_free_lane(areas);
    std::uint64_t position = 0;
    if (lane != nullptr)
        position = lane->tail.load(std::memory_order_acquire);  // partner: the engine's release when it freed the lane
    else
        lane = make_lane(areas);
    if (lane == nullptr && areas.overwrite && (lane = seize_closed_lane(areas, now)) != nullptr)
        position = overwrite_position(memory_of(areas, *lane));
    errno = saved_errno;
    if (lane == nullptr) {
        self.retry_ns = now + memory_retry_ns;
        if (self.counted != self.session)
            areas.extension->threads_without_lane.fetch_add(1, std::memory_order_relaxed);
        self.counted = self.session;
        return false;
    }
    const lane_memory memory = memory_of(areas, *lane);
    if (memory.records == nullptr || position >= position_limit)
        return false;
    lane->process.store(state_v2.process_index, std::memory_order_relaxed);
    lane->tid.store(self.tid, std::memory_order_relaxed);
    lane->claims.store(lane->claims.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    lane->begin.store(position, std::memory_order_relaxed);
    lane->thread_name.store(self.thread_name, std::memory_order_relaxed);
    lane->closed_ts.store(0, std::memory_order_relaxed);
    // Partner: the engine's load: acquire, or seq_cst before it sleeps.
    lane->state.store(kLaneActive, std::memory_order_seq_cst);
    self.lane = lane;
    self.records = memory.records;
    self.block_numbers = memory.block_numbers;
    self.capacity = memory.capacity;
    self.position_end = position;
    self.next = nullptr;
    self.end = nullptr;
    self.run_end = nullptr;
    self.drops = 0;
    self.retry_ns = 0;
    return true;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
