// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// How a thread comes by a lane, and how it leaves it: a free one, else one carved from the pool, else (overwrite mode)
// the one whose thread ended longest ago.
#pragma once

#include "line.h"

#include <bit>

#include <cxxabi.h>

#include <pthread.h>

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer::detail {

inline constexpr std::uint64_t position_limit = std::uint64_t{1} << 62;  ///< beyond it is no position
inline constexpr std::uint64_t lane_bytes_min = kLaneRecordsMin * sizeof(LaneRecord);
inline constexpr std::uint64_t lane_step = 1U << 20;  ///< bytes of records that get memory at a time

/// Bytes of block numbers in front of a lane's records.
[[nodiscard]] inline constexpr std::uint64_t block_bytes(std::uint64_t records) noexcept
{
    return (records / kLaneBlock * sizeof(std::uint64_t) + 4095) & ~std::uint64_t{4095};
}

/// Where a lane lies, as its header says, checked.
struct lane_place {
    LaneRecord *records = nullptr;  ///< null: the header is none of a finished lane
    std::atomic<std::uint64_t> *block_numbers = nullptr;
    std::uint32_t capacity = 0;
};

[[nodiscard]] inline bool inside_pool(const lane_areas &areas, std::uint64_t offset, std::uint64_t size) noexcept
{
    return offset % 4096 == 0 && offset >= areas.pool_offset && offset - areas.pool_offset <= areas.pool_size &&
           size <= areas.pool_size - (offset - areas.pool_offset);
}

[[nodiscard]] inline lane_place place_of(const lane_areas &areas, const LaneHeader &lane) noexcept
{
    // Acquire; partner: the release of whoever made the lane. 0 until then.
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

[[nodiscard]] inline std::uint32_t lanes_made(const lane_areas &areas) noexcept
{
    const std::uint32_t count = areas.extension->lane_count.load(std::memory_order_acquire);
    return count < areas.lane_capacity ? count : areas.lane_capacity;
}

/// Bytes of records for the next lane when `left` bytes of the pool are left; 0 = none. A small part of what is left:
/// few threads have long lanes, and the hundredth thread still gets one.
[[nodiscard]] inline constexpr std::uint64_t lane_bytes(std::uint64_t wanted, std::uint64_t left) noexcept
{
    const std::uint64_t share = std::bit_floor(left / 32);
    std::uint64_t bytes = wanted < share ? wanted : share;
    bytes = bytes < lane_bytes_min ? lane_bytes_min : bytes;
    return bytes + block_bytes(bytes / sizeof(LaneRecord)) <= left ? bytes : 0;
}

/// Gives the first `most` bytes memory, or half of them, and so on. Returns how many have it; 0: not even the smallest
/// lane's. An attempt in vain takes all the memory there is, so that a part of it is worth having.
[[nodiscard]] inline std::uint64_t back_some(char *begin, std::uint64_t most) noexcept
{
    for (std::uint64_t bytes = most; bytes >= lane_bytes_min; bytes = bytes / 2 & ~std::uint64_t{lane_bytes_min - 1}) {
        if (back_with_memory(begin, bytes))
            return bytes;
    }
    return 0;
}

/// A part of the pool, from `begin`, in bytes: block numbers, with memory behind them, then records.
struct lane_carving {
    std::uint64_t begin = 0;
    std::uint64_t blocks = 0;
    std::uint64_t records = 0;    ///< 0: pool or memory are spent
    std::uint64_t committed = 0;  ///< of the records: those that have memory already

    [[nodiscard]] constexpr std::uint64_t end() const noexcept { return begin + blocks + records; }
};

/// Memory comes first, also for the first records: a lane that exists can be written, if only by wrapping early. As
/// long as there is none, the pool stays whole, however often and by how many it is asked for. What another thread
/// carves meanwhile begins in the same place, so that the memory serves its lane.
[[nodiscard]] inline lane_carving carve(const lane_areas &areas) noexcept
{
    std::atomic<std::uint64_t> &pool_used = areas.extension->lane_pool_used;
    lane_carving carving;
    carving.begin = pool_used.load(std::memory_order_relaxed);
    do {
        const std::uint64_t begin = carving.begin - areas.pool_skipped;
        // Whole pages: an untrusted count that is not would misplace the lane.
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

/// For want of a directory entry. Only the last carving can go back; behind another's it stays unused.
inline void give_back(const lane_areas &areas, const lane_carving &carving) noexcept
{
    std::uint64_t end = carving.end();
    (void)areas.extension->lane_pool_used.compare_exchange_strong(end, carving.begin, std::memory_order_relaxed,
                                                                  std::memory_order_relaxed);
}

/// Carves a lane from the pool; it is in state kLaneMaking. Null: pool, directory or memory are spent. An entry of the
/// directory is taken last, when nothing is wanting any more.
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
        // The entry has memory. Partners: the acquire in lanes_made and the engine's, seq_cst when it is about to
        // sleep.
    } while (!lane_count.compare_exchange_weak(index, index + 1, std::memory_order_seq_cst, std::memory_order_acquire));
    LaneHeader &lane = areas.directory[index];
    const std::uint64_t offset = areas.pool_offset + (carving.begin - areas.pool_skipped);
    // Release; partner: the acquire of an engine that looks for the lanes of the dead.
    lane.state.store(kLaneMaking, std::memory_order_release);
    lane.block_numbers_offset.store(offset, std::memory_order_relaxed);
    lane.offset.store(offset + carving.blocks, std::memory_order_relaxed);
    lane.committed.store(static_cast<std::uint32_t>(carving.committed / sizeof(LaneRecord)), std::memory_order_relaxed);
    lane.records.store(static_cast<std::uint32_t>(carving.records / sizeof(LaneRecord)), std::memory_order_release);
    return &lane;
}

/// Takes a lane out of `state`; it is in kLaneMaking then. Acquire; partner: the release of whoever set the state.
/// Release; partner: the acquire of an engine that looks for the lanes of the dead.
[[nodiscard]] inline bool seize(LaneHeader &lane, std::uint32_t state) noexcept
{
    return lane.state.compare_exchange_strong(state, kLaneMaking, std::memory_order_acq_rel, std::memory_order_relaxed);
}

[[nodiscard]] inline LaneHeader *seize_free_lane(const lane_areas &areas) noexcept
{
    const std::uint32_t count = lanes_made(areas);
    for (std::uint32_t i = 0; i < count; ++i) {
        LaneHeader &lane = areas.directory[i];
        if (lane.state.load(std::memory_order_relaxed) == kLaneFree && place_of(areas, lane).records != nullptr &&
            lane.tail.load(std::memory_order_relaxed) < position_limit && seize(lane, kLaneFree))
            return &lane;
    }
    return nullptr;
}

/// Overwrite mode: of the closed lanes that may be reused, the one that was closed first.
[[nodiscard]] inline LaneHeader *seize_closed_lane(const lane_areas &areas, std::uint64_t now) noexcept
{
    const std::uint64_t retention = std::uint64_t{areas.retention_ms} * 1'000'000;
    for (int attempt = 0; attempt < 8; ++attempt) {
        LaneHeader *oldest = nullptr;
        std::uint64_t oldest_ts = 0;
        const std::uint32_t count = lanes_made(areas);
        for (std::uint32_t i = 0; i < count; ++i) {
            LaneHeader &lane = areas.directory[i];
            if (lane.state.load(std::memory_order_acquire) != kLaneClosed || place_of(areas, lane).records == nullptr)
                continue;
            const std::uint64_t closed = lane.closed_ts.load(std::memory_order_relaxed);
            // One may have been closed after the look at the clock.
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

/// Overwrite mode, where no reader keeps a tail: the position behind the last record.
[[nodiscard]] inline std::uint64_t overwrite_position(const lane_place &place) noexcept
{
    std::uint64_t latest = 0;
    for (std::uint32_t i = 0; i < place.capacity / kLaneBlock; ++i) {
        const std::uint64_t number = place.block_numbers[i].load(std::memory_order_relaxed);
        // A block's number fits its place, or it is none.
        if (number > latest && number < position_limit / kLaneBlock &&
            (number - 1) % (place.capacity / kLaneBlock) == i)
            latest = number;
    }
    if (latest == 0)
        return 0;
    std::uint64_t position = (latest - 1) * kLaneBlock;
    const std::uint64_t end = position + kLaneBlock;
    const std::uint64_t lap = lane_lap(position, place.capacity);
    while (position < end &&
           (place.records[position % place.capacity].commit.load(std::memory_order_relaxed) & 0xF) == lap)
        ++position;
    return position;
}

/// The thread ends, or leaves: its lane is the engine's, its free compact stations everybody's.
inline void leave_lane(void *) noexcept
{
    thread_state &self = thread_v1;
    self.closer = 0;
    const std::uint32_t attached = page_v1.attached.load(std::memory_order_acquire);
    if (self.session == 0 || self.session != attached)
        return;  // a forked child's: all of it belongs to the parent
    push_free_lines(state_v1.lanes, self.free_lines, self.free_count);
    self.free_count = 0;
    if (self.lane == nullptr)
        return;
    self.lane->closed_ts.store(monotonic_ns(), std::memory_order_relaxed);
    self.lane->state.store(kLaneClosed, std::memory_order_release);  // partner: the engine's acquire load
    self.lane = nullptr;
    self.next = nullptr;
    self.end = nullptr;
    self.room_end = nullptr;
    self.drops = 0;
}

/// The program exits, or unloads the object that has the state: leave_lane is gone after that.
inline void end_thread_key(void *) noexcept
{
    leave_lane(nullptr);
    const std::uint32_t key = state_v1.thread_key.exchange(0, std::memory_order_relaxed);
    if (key != 0)
        (void)::pthread_key_delete(static_cast<pthread_key_t>(key - 1));
}

/// The C++ ABI's own means, because atexit(3) may belong to another object (thread sanitizer has one).
[[nodiscard]] inline bool call_at_unload() noexcept
{
    return ::__cxxabiv1::__cxa_atexit(&end_thread_key, nullptr, &this_object) == 0;
}

/// Code of the object that has the state. A plugin that shares the state may be unloaded while the state is in use.
struct COROTRACER_ONE_PER_PROCESS state_code {
    void (*leave)(void *) noexcept;
    bool (*call_at_unload)() noexcept;
};
COROTRACER_ONE_PER_PROCESS inline constinit state_code code_v1{&leave_lane, &call_at_unload};

/// Makes the key that calls leave_lane when a thread ends. The holder of init_lock only. Without a key, threads keep
/// their lanes until the process ends.
inline void make_thread_key() noexcept
{
    std::atomic<std::uint32_t> &thread_key = state_v1.thread_key;
    pthread_key_t key = 0;
    if (thread_key.load(std::memory_order_relaxed) != 0 || ::pthread_key_create(&key, code_v1.leave) != 0)
        return;  // a forked child has its parent's
    if (code_v1.call_at_unload())
        thread_key.store(static_cast<std::uint32_t>(key) + 1, std::memory_order_relaxed);
    else
        (void)::pthread_key_delete(key);
}

/// Has leave_lane called when the thread ends; again for a coroutine that runs after that. A key, because it allocates
/// nothing for the first 32 keys of a program and returns an error otherwise. A thread_local object with a destructor
/// allocates for each thread, and glibc ends the program when that fails.
[[gnu::noinline, gnu::cold]] inline void leave_at_thread_end(thread_state &self) noexcept
{
    const int saved_errno = errno;
    const std::uint32_t key = state_v1.thread_key.load(std::memory_order_relaxed);
    if (self.closer == 0 && key != 0)
        self.closer = ::pthread_setspecific(static_cast<pthread_key_t>(key - 1), &self) == 0 ? 1 : 0;
    errno = saved_errno;
}

inline std::uint64_t system_thread_name(const thread_state &self) noexcept;  // names.h

/// Gives this thread a lane. False: there is none; not asked again for a while.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool take_lane(thread_state &self) noexcept
{
    const no_cancellation guard;
    const lane_areas &areas = state_v1.lanes;
    leave_at_thread_end(self);
    const std::uint64_t now = monotonic_ns();
    if (now < self.retry_ns)
        return false;
    // Before there is a lane: a thread that is killed between seizing one and its state takes it along.
    if (self.thread_name == 0)
        self.thread_name = system_thread_name(self);
    const int saved_errno = errno;
    LaneHeader *lane = seize_free_lane(areas);
    std::uint64_t position = 0;
    if (lane != nullptr)
        position = lane->tail.load(std::memory_order_acquire);  // partner: the engine's release, before it freed it
    else
        lane = make_lane(areas);
    if (lane == nullptr && areas.overwrite && (lane = seize_closed_lane(areas, now)) != nullptr)
        position = overwrite_position(place_of(areas, *lane));
    errno = saved_errno;
    if (lane == nullptr) {
        self.retry_ns = now + no_room_ns;
        if (self.counted != self.session)
            areas.extension->threads_without_lane.fetch_add(1, std::memory_order_relaxed);
        self.counted = self.session;
        return false;
    }
    const lane_place place = place_of(areas, *lane);
    if (place.records == nullptr || position >= position_limit)
        return false;
    lane->process.store(state_v1.process_index, std::memory_order_relaxed);
    lane->tid.store(self.tid, std::memory_order_relaxed);
    lane->claims.store(lane->claims.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    lane->begin.store(position, std::memory_order_relaxed);
    lane->thread_name.store(self.thread_name, std::memory_order_relaxed);
    lane->closed_ts.store(0, std::memory_order_relaxed);
    // Partner: the engine's acquire load, seq_cst when it is about to sleep.
    lane->state.store(kLaneActive, std::memory_order_seq_cst);
    self.lane = lane;
    self.records = place.records;
    self.block_numbers = place.block_numbers;
    self.capacity = place.capacity;
    self.position_end = position;
    self.next = nullptr;
    self.end = nullptr;
    self.room_end = nullptr;
    self.drops = 0;
    self.retry_ns = 0;
    return true;
}

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
