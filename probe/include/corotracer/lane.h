// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Writes records into a thread's lane.
//
// The cursor in thread_state is a run of slots, `next` to `end`, that may be written without a check: at most one
// block. At the end of the run, a slow path finds the next run. It checks the reader's tail, the memory of the lane,
// and the clock. A record that finds no room is counted as dropped. A drop record follows when there is room again.
// See docs/decisions/0018-lanes-follow-the-space.md.
#pragma once

#include "calendartime.h"
#include "counterwatch.h"
#include "lanedirectory.h"
#include "wake.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

inline void pause() noexcept;  // pause.h

inline constexpr std::uint32_t no_slot = ~std::uint32_t{0};

/// Stores a record, the commit last. Release each; partner: the reader's acquire loads. The payload needs release in
/// overwrite mode, where the reader checks the block's number again after it.
[[gnu::always_inline]] inline void put_record(LaneRecord &record, std::uint64_t ts, std::uint64_t identity,
                                              std::uint64_t arg, std::uint64_t commit) noexcept
{
    record.ts.store(ts, std::memory_order_release);
    record.identity.store(identity, std::memory_order_release);
    record.arg.store(arg, std::memory_order_release);
    record.commit.store(commit, std::memory_order_release);
}

/// Publishes the process's latest pair of clocks, at most every 100 ms, and checks the counter with it. The first
/// thread that finds the pair due does it. In overwrite mode it also publishes the region's clock, because there may be
/// no engine. `still`: the counter stands still, so it makes no pair due; publish now.
[[gnu::noinline, gnu::cold]] inline void publish_pair(bool still = false) noexcept
{
    process_state &state = state_v2;
    const std::uint64_t now = raw_now();
    std::uint64_t due = state.pair_due.load(std::memory_order_relaxed);
    if ((!still && !is_pair_due(now)) ||
        !state.pair_due.compare_exchange_strong(due, now + state.pair_ticks, std::memory_order_relaxed,
                                                std::memory_order_relaxed))
        return;
    const std::uint32_t kind = state.raw_clock.load(std::memory_order_relaxed);
    if (state.lanes.overwrite)
        publish_moment(*state.lanes.extension, read_moment(kind == kClockCounter), false);
    if (kind == kClockMonotonic)
        return;
    ProcessEntry &entry = *state.process;
    std::uint64_t seq = entry.late_seq.load(std::memory_order_relaxed);
    // One thread at a time, even if it is preempted for longer than 100 ms. Acquire; partner: the last store below.
    if ((seq & 1) != 0 ||
        !entry.late_seq.compare_exchange_strong(seq, seq + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return;
    if (clock_pair pair; read_checked_pair(entry, still, pair)) {
        entry.late_ns.store(pair.ns, std::memory_order_release);
        entry.late_counter.store(pair.counter, std::memory_order_release);
    }
    entry.late_seq.store(seq + 2, std::memory_order_release);  // partner: the engine's acquire loads
}

/// Gives memory to the slots of the next step, or to a part of them. Returns false when there is none; then no call
/// asks again for memory_retry_ns. Preserves errno.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool commit_records(thread_state &self, std::uint32_t slot) noexcept
{
    const std::uint64_t now = monotonic_ns();
    if (now < self.retry_ns)
        return false;
    constexpr std::uint32_t step = lane_step / sizeof(LaneRecord);
    const std::uint32_t rounded = (slot / step + 1) * step;
    const std::uint32_t end = rounded < self.capacity ? rounded : self.capacity;
    const std::uint32_t begin = slot / kLaneBlock * kLaneBlock;
    const int saved_errno = errno;
    const std::uint64_t backed =
        back_some(reinterpret_cast<char *>(self.records + begin), (end - begin) * sizeof(LaneRecord));
    errno = saved_errno;
    if (backed == 0) {
        self.retry_ns = now + memory_retry_ns;
        return false;
    }
    const auto committed = begin + static_cast<std::uint32_t>(backed / sizeof(LaneRecord));
    // Partners: the acquire load of the lane's next thread, and the seq_cst load of an engine that is about to sleep.
    self.lane->committed.store(committed, std::memory_order_seq_cst);
    return true;
}

/// Shortens the lane to the memory that it has, for good. Only in the first lap, in front of the first slot without
/// memory. All records so far have lap 1 of their slots for both lengths. Returns false when the lane must keep its
/// length.
[[nodiscard]] inline bool shrink_lane(thread_state &self, std::uint64_t position) noexcept
{
    const std::uint32_t committed = self.lane->committed.load(std::memory_order_relaxed);
    if (!state_v2.lanes.may_shrink || position != committed || committed % kLaneBlock != 0 ||
        committed < kLaneRecordsMin)
        return false;
    // Before the first record that depends on it. Partners: the acquire loads of readers and of the lane's next thread,
    // and the seq_cst load of an engine that is about to sleep.
    self.lane->records.store(committed, std::memory_order_seq_cst);
    self.capacity = committed;
    return true;
}

/// Returns the slot of `position`, with memory; no_slot when there is none.
[[nodiscard]] inline std::uint32_t backed_slot(thread_state &self, std::uint64_t position) noexcept
{
    const auto slot = static_cast<std::uint32_t>(position % self.capacity);
    if (slot < self.lane->committed.load(std::memory_order_relaxed) || commit_records(self, slot))
        return slot;
    return shrink_lane(self, position) ? 0 : no_slot;
}

/// Finds the next run of slots, and writes the drop record that is due. Returns false when the lane is full.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool next_run(thread_state &self) noexcept
{
    const std::uint64_t position = self.position_end;
    const std::uint32_t slot = backed_slot(self, position);
    if (slot == no_slot)
        return false;
    const std::uint32_t in_block = slot % kLaneBlock;
    std::uint64_t count = kLaneBlock - in_block;
    if (!state_v2.lanes.overwrite) {
        // Acquire; partner: the reader's release, after it has copied the records that will be overwritten.
        const std::uint64_t used = position - self.lane->tail.load(std::memory_order_acquire);
        const std::uint64_t room = used < self.capacity ? self.capacity - used : 0;
        // After drops, writing resumes only with room for a whole block, because each gap costs a drop record.
        if (room == 0 || (self.drops != 0 && room < kLaneBlock))
            return false;
        count = room < count ? room : count;
    } else if (in_block == 0) {
        // Relaxed: the block's records are stored with release. The reader acquires them before it loads the number
        // again.
        self.block_numbers[slot / kLaneBlock].store(position / kLaneBlock + 1, std::memory_order_relaxed);
    }
    self.next = self.records + slot;
    self.run_end = self.next + count;
    self.position_end = position + count;
    self.lap = static_cast<std::uint32_t>(lane_lap(position, self.capacity));
    if (self.drops != 0) {
        put_record(*self.next, self.first_drop, self.drops, self.last_drop, lane_commit(0, 0, kRecordDrops, self.lap));
        ++self.next;
        self.drops = 0;
    }
    return true;
}

/// Returns the slot of the next record where `next` cannot be used at once: the thread's first record, the end of a
/// run, no counter, no fence by the engine. Returns null when there is no room; the record is then counted as dropped
/// or without lane. `ts`: raw clock of the record.
[[nodiscard, gnu::noinline, gnu::cold]] inline LaneRecord *find_slot(thread_state &self, std::uint32_t session,
                                                                     std::uint64_t ts) noexcept
{
    if (self.session != (session & ~paused_bit))
        join_session(self, session);
    const bool still = state_v2.raw_clock.load(std::memory_order_relaxed) == kClockCounter && stands_still(self, ts);
    if (still || is_pair_due(ts))
        publish_pair(still);
    while (self.next == self.run_end) {
        if (self.lane == nullptr && !acquire_lane(self)) {
            state_v2.lanes.extension->records_without_lane.fetch_add(1, std::memory_order_relaxed);
            return nullptr;
        }
        if (!next_run(self)) {
            if (self.drops++ == 0)
                self.first_drop = ts;
            self.last_drop = ts;
            std::atomic<std::uint64_t> &dropped = self.lane->dropped;
            dropped.store(dropped.load(std::memory_order_relaxed) + 1, std::memory_order_release);
            return nullptr;
        }
    }
    // Every record uses this slow path if there is no counter, or if the engine does not fence. The fast path reads the
    // counter and ends without a fence.
    const bool counts = state_v2.raw_clock.load(std::memory_order_relaxed) == kClockCounter;
    self.end = counts && (session & engine_fences_bit) != 0 ? self.run_end : self.next + 1;
    return self.next;
}

/// Handles a value of tracer_sleeping other than kEngineAwake. Unknown values count as awake.
[[gnu::noinline, gnu::cold]] inline void react_to_engine() noexcept
{
    switch (state_v2.header->tracer_sleeping.load(std::memory_order_acquire)) {
    case kEngineSleeps: return wake_engine();
    case kEnginePaused: return pause();
    default: return;
    }
}

/// Checks for a sleeping or pausing engine, after an event. Before it, the caller stored commit, or seq of the station
/// where there is no record. If the engine fences for both sides, release is enough: only the compiler must keep the
/// order. Otherwise the store is seq_cst. Partners: the engine's seq_cst store to tracer_sleeping, and after it its
/// seq_cst load of commit or seq (Collector::prepareSleep); or its membarrier(2) between the two.
[[gnu::always_inline]] inline void check_engine() noexcept
{
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (state_v2.header->tracer_sleeping.load(std::memory_order_seq_cst) != kEngineAwake) [[unlikely]]
        react_to_engine();
}

/// Last step of an event if the engine does not fence for both sides. `last` is the record's commit or the station's
/// seq. The seq_cst store and load (xchg and mov on x86-64) cost more than the rest of the event. Partners: the
/// engine's seq_cst store to tracer_sleeping and its seq_cst load of `last` after it.
[[gnu::noinline]] inline void publish_fenced(std::atomic<std::uint64_t> &last, std::uint64_t value) noexcept
{
    last.store(value, std::memory_order_seq_cst);
    check_engine();
}

/// As write_record, with a raw time that the caller has read.
inline bool write_record_at(std::uint32_t session, std::uint64_t ts, std::uint64_t identity, std::uint64_t arg,
                            std::uint32_t n, std::uint32_t site, std::uint8_t kind) noexcept
{
    thread_state &self = thread_v2;
    LaneRecord *slot = self.next;
    if (self.session != session || slot == self.end) [[unlikely]] {
        slot = find_slot(self, session, ts);
        if (slot == nullptr)
            return false;
    }
    self.next = slot + 1;
    const std::uint64_t commit = lane_commit(n, site, kind, self.lap);
    put_record(*slot, ts, identity, arg, commit);
    if ((session & engine_fences_bit) == 0)
        slot->commit.store(commit, std::memory_order_seq_cst);
    check_engine();
    return true;
}

/// Writes a record of any kind into the calling thread's lane, with the present time. Returns whether it was written; a
/// record without room is counted. `session` must have lanes_bit and not paused_bit (writing_session, in pause.h).
inline bool write_record(std::uint32_t session, std::uint64_t identity, std::uint64_t arg, std::uint32_t n,
                         std::uint32_t site, std::uint8_t kind) noexcept
{
    return write_record_at(session, raw_now(), identity, arg, n, site, kind);
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
