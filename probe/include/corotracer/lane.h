// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// A thread's lane as it is used: room for a record, records, drops.
//
// The cursor in thread_state names a run of slots that may be written without looking (at most one block): `next` to
// `end`. At its end the slow path looks for the next run, by the reader's tail, the memory that is there and the clock;
// what finds no room is counted, and told by a drop marker as soon as there is room again.
#pragma once

#include "counterwatch.h"
#include "lanedirectory.h"
#include "regionclock.h"
#include "wake.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer::detail {

inline void pause() noexcept;  // pause.h

inline constexpr std::uint32_t no_slot = ~std::uint32_t{0};

/// Stores a record; the commit last. Release each; partner: the reader's acquire loads (the payloads' matter in
/// overwrite mode, where the reader looks at the block's number again after them).
[[gnu::always_inline]] inline void put_record(LaneRecord &record, std::uint64_t ts, std::uint64_t identity,
                                              std::uint64_t arg, std::uint64_t commit) noexcept
{
    record.ts.store(ts, std::memory_order_release);
    record.identity.store(identity, std::memory_order_release);
    record.arg.store(arg, std::memory_order_release);
    record.commit.store(commit, std::memory_order_release);
}

/// Writes the process's latest pair of clocks, at most every 100 ms, by whoever comes first; a flight recorder's also
/// the region's, for there may be no engine that does. The counter is checked on the way. `still`: it stands still, and
/// makes no pair due.
[[gnu::noinline, gnu::cold]] inline void publish_pair(bool still = false) noexcept
{
    process_state &state = state_v1;
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
    // One at a time, also where one is kept from going on for longer than that. Acquire; partner: the last store below.
    if ((seq & 1) != 0 ||
        !entry.late_seq.compare_exchange_strong(seq, seq + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return;
    if (clock_pair pair; read_checked_pair(entry, still, pair)) {
        entry.late_ns.store(pair.ns, std::memory_order_release);
        entry.late_counter.store(pair.counter, std::memory_order_release);
    }
    entry.late_seq.store(seq + 2, std::memory_order_release);  // partner: the engine's acquire loads
}

/// Memory behind the slots of the next step, or of a part of it. False: there is none; not asked again for a while.
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
        self.retry_ns = now + no_room_ns;
        return false;
    }
    const auto committed = begin + static_cast<std::uint32_t>(backed / sizeof(LaneRecord));
    // Partners: the acquire of the next owner, and the seq_cst load of an engine that is about to sleep.
    self.lane->committed.store(committed, std::memory_order_seq_cst);
    return true;
}

/// In the first lap, in front of the first slot without memory: makes the lane as long as its memory, for good. The
/// records so far are lap 1 of their slots in either length. False: it has to stay as it is.
[[nodiscard]] inline bool shrink_lane(thread_state &self, std::uint64_t position) noexcept
{
    const std::uint32_t committed = self.lane->committed.load(std::memory_order_relaxed);
    if (!state_v1.lanes.may_shrink || position != committed || committed % kLaneBlock != 0 ||
        committed < kLaneRecordsMin)
        return false;
    // Partners: the acquire of readers and of the next owner, and the seq_cst load of an engine that is about to sleep.
    // In front of the first record that depends on it.
    self.lane->records.store(committed, std::memory_order_seq_cst);
    self.capacity = committed;
    return true;
}

/// Where `position` lies, with memory behind it; no_slot: there is none.
[[nodiscard]] inline std::uint32_t backed_slot(thread_state &self, std::uint64_t position) noexcept
{
    const auto slot = static_cast<std::uint32_t>(position % self.capacity);
    if (slot < self.lane->committed.load(std::memory_order_relaxed) || commit_records(self, slot))
        return slot;
    return shrink_lane(self, position) ? 0 : no_slot;
}

/// The next run of slots. False: the lane is full.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool next_run(thread_state &self) noexcept
{
    const std::uint64_t position = self.position_end;
    const std::uint32_t slot = backed_slot(self, position);
    if (slot == no_slot)
        return false;
    const std::uint32_t in_block = slot % kLaneBlock;
    std::uint64_t count = kLaneBlock - in_block;
    if (!state_v1.lanes.overwrite) {
        // Acquire; partner: the reader's release, after it copied what will be overwritten.
        const std::uint64_t used = position - self.lane->tail.load(std::memory_order_acquire);
        const std::uint64_t room = used < self.capacity ? self.capacity - used : 0;
        // After drops, not for a handful of records: each gap costs a marker.
        if (room == 0 || (self.drops != 0 && room < kLaneBlock))
            return false;
        count = room < count ? room : count;
    } else if (in_block == 0) {
        // Relaxed: the records behind it are stored with release, and the reader acquires those before it looks again.
        self.block_numbers[slot / kLaneBlock].store(position / kLaneBlock + 1, std::memory_order_relaxed);
    }
    self.next = self.records + slot;
    self.room_end = self.next + count;
    self.position_end = position + count;
    self.lap = static_cast<std::uint32_t>(lane_lap(position, self.capacity));
    if (self.drops != 0) {
        put_record(*self.next, self.first_drop, self.drops, self.last_drop, lane_commit(0, 0, kRecordDrops, self.lap));
        ++self.next;
        self.drops = 0;
    }
    return true;
}

/// The slot for a record that does not simply go to `next`: the thread's first, the end of a run, no counter. Null:
/// there is no room; that is counted.
[[nodiscard, gnu::noinline, gnu::cold]] inline LaneRecord *find_slot(thread_state &self, std::uint32_t session,
                                                                     std::uint64_t ts) noexcept
{
    if (self.session != (session & ~paused_bit))
        join_session(self, session);
    const bool still = state_v1.raw_clock.load(std::memory_order_relaxed) == kClockCounter && stands_still(self, ts);
    if (still || is_pair_due(ts))
        publish_pair(still);
    while (self.next == self.room_end) {
        if (self.lane == nullptr && !take_lane(self)) {
            state_v1.lanes.extension->records_without_lane.fetch_add(1, std::memory_order_relaxed);
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
    // Without a counter every record comes here, for it needs another clock; so it does where the engine does not
    // fence, for a transition then ends in another way.
    const bool counts = state_v1.raw_clock.load(std::memory_order_relaxed) == kClockCounter;
    self.end = counts && (session & engine_fences_bit) != 0 ? self.room_end : self.next + 1;
    return self.next;
}

/// tracer_sleeping is not kEngineAwake. What it is else, this probe takes for awake.
[[gnu::noinline, gnu::cold]] inline void heed_engine() noexcept
{
    switch (state_v1.header->tracer_sleeping.load(std::memory_order_acquire)) {
    case kEngineSleeps: return wake_engine();
    case kEnginePaused: return pause();
    default: return;
    }
}

/// After a record for an engine that may sleep. The caller stored its commit (without a lane: the station's seq) with
/// seq_cst unless the engine fences for both sides, and then only the compiler must keep the order. Partners: the
/// engine's seq_cst store to tracer_sleeping and its seq_cst load of commit or seq after it
/// (HarvestLoop::prepareSleep); or its membarrier(2) between the two.
[[gnu::always_inline]] inline void look_at_engine() noexcept
{
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (state_v1.header->tracer_sleeping.load(std::memory_order_seq_cst) != kEngineAwake) [[unlikely]]
        heed_engine();
}

/// The last step of a transition where the engine does not fence for both sides. `last`: the record's commit or the
/// station's seq. The seq_cst store and load (xchg and mov on x86-64) cost more than the rest of the transition;
/// partners: the engine's seq_cst store to tracer_sleeping and its seq_cst load of `last` after it.
[[gnu::noinline]] inline void publish_fenced(std::atomic<std::uint64_t> &last, std::uint64_t value) noexcept
{
    last.store(value, std::memory_order_seq_cst);
    look_at_engine();
}

/// write_record, at a raw time that the caller read.
inline bool write_record_at(std::uint32_t session, std::uint64_t ts, std::uint64_t identity, std::uint64_t arg,
                            std::uint32_t n, std::uint32_t site, std::uint8_t kind) noexcept
{
    thread_state &self = thread_v1;
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
    look_at_engine();
    return true;
}

/// Writes a record of any kind into the calling thread's lane, with the present time. Returns whether it got in; what
/// did not is counted. Only with a session that has lanes_bit and not paused_bit (writing_session, in pause.h).
inline bool write_record(std::uint32_t session, std::uint64_t identity, std::uint64_t arg, std::uint32_t n,
                         std::uint32_t site, std::uint8_t kind) noexcept
{
    return write_record_at(session, raw_now(), identity, arg, n, site, kind);
}

}  // namespace corotracer::detail

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
