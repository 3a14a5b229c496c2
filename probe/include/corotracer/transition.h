// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The out-of-line part of PromiseMixin: birth, events and death, with both kinds of station. Included by promise.h.
#pragma once

#include "promise.h"
#include "running.h"

#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

namespace corotracer {
inline namespace v2 {
namespace detail {

/// An Epoch's site, kind and the three reserved bytes after them, for one store.
using site_and_kind [[gnu::may_alias]] = std::uint64_t;
static_assert(offsetof(Epoch, kind) == offsetof(Epoch, site) + 4 && offsetof(Epoch, site) % 8 == 0);

/// Writes an event into a full station (seqlock dialect), except for the last store of seq. Returns the even value that
/// the caller must store there.
[[gnu::always_inline]] inline std::uint64_t store_epoch(Epoch &epoch, std::uint64_t number, std::uint64_t now,
                                                        std::uint64_t tid, std::uint64_t addr, std::uint64_t point,
                                                        bool is_active) noexcept
{
    const std::uint64_t odd = (number / 4) | 1;  // number / 8 * 2 + 1
    // Relaxed: a reader that acquires one of the payload stores also sees the odd value.
    epoch.seq.store(odd, std::memory_order_relaxed);
    // Release each; partner: the engine's acquire loads of the payload, after which it reloads seq.
    epoch.timestamp.store(now, std::memory_order_release);
    epoch.tid.store(tid, std::memory_order_release);
    epoch.addr.store(addr, std::memory_order_release);
    __atomic_store_n(reinterpret_cast<site_and_kind *>(&epoch.site), point, __ATOMIC_RELEASE);
    epoch.is_active.store(is_active ? 1 : 0, std::memory_order_release);
    return odd + 1;
}

/// Events of a full station between two checks of the shared clock.
inline constexpr std::uint64_t events_per_check = 1024;

/// Returns the slot of event n of a full station: n % 8.
[[nodiscard, gnu::always_inline]] inline Epoch &epoch_of(StationData &station, std::uint64_t number) noexcept
{
    Epoch *epoch = &station.slots[number % kSlotsPerStation];
    asm("" : "+r"(epoch));  // one address for all stores; otherwise g++ computes three
    return *epoch;
}

/// Writes an event into a compact station, except for the last store of seq. See CompactState for the order.
[[gnu::always_inline]] inline void store_compact(CompactState &compact, std::uint64_t number, std::uint64_t now,
                                                 std::uint64_t tid, std::uint64_t addr, std::uint64_t what) noexcept
{
    // Relaxed, then release each, as in store_epoch. The event's record was stored before. So a reader that acquires
    // the even value of seq finds the record in the lane.
    compact.seq.store(2 * number + 1, std::memory_order_relaxed);
    compact.ts.store(now, std::memory_order_release);
    compact.addr.store(addr, std::memory_order_release);
    compact.what.store(what, std::memory_order_release);
    compact.tid.store(tid, std::memory_order_release);
}

/// Returns the commit of an event: as lane_commit, in fewer instructions.
[[gnu::always_inline]] inline std::uint64_t transition_commit(std::uint64_t number, std::uint64_t what,
                                                              std::uint64_t lap) noexcept
{
    return number << 32 | static_cast<std::uint32_t>(what << 12) | (what >> 28 & 0xFF0) | lap;
}

/// Pops a full station that the engine drained and pushed. Returns its index; station_limit when there is none.
[[nodiscard]] inline std::uint32_t pop_free_station() noexcept
{
    const process_state &state = state_v2;
    if (state.sites.extension == nullptr)
        return state.station_limit;
    std::atomic<std::uint64_t> &top = state.sites.extension->free_stations;
    // Acquire here and on failure; partner: the engine's release.
    std::uint64_t head = top.load(std::memory_order_acquire);
    for (;;) {
        const std::uint32_t untrusted_index = static_cast<std::uint32_t>(head) - 1;
        if (static_cast<std::uint32_t>(head) == 0 || untrusted_index >= state.station_limit ||
            untrusted_index >= state.header->allocated_count.load(std::memory_order_relaxed))
            return state.station_limit;
        const std::uint32_t next = state.stations[untrusted_index].extension.next_free.load(std::memory_order_relaxed);
        const std::uint64_t after = ((head >> 32) + 1) << 32 | next;
        if (top.compare_exchange_weak(head, after, std::memory_order_acq_rel, std::memory_order_acquire))
            return untrusted_index;
    }
}

/// Offers the next full stations by raising max_stations; memory comes first. `offered` is the present value. Returns
/// the number of stations that are offered now. The engine does the same for version-1 probes, but a burst of births is
/// faster.
[[nodiscard, gnu::noinline, gnu::cold]] inline std::uint32_t offer_stations(std::uint32_t offered) noexcept
{
    process_state &state = state_v2;
    const std::uint64_t now = monotonic_ns();
    if (offered >= state.station_limit || now < state.no_memory_before_ns.load(std::memory_order_relaxed))
        return offered;
    const std::uint32_t rest = state.station_limit - offered;
    const std::uint32_t end = offered + (rest < station_chunk ? rest : station_chunk);
    const int saved_errno = errno;
    const bool backed = back_with_memory(state.stations + offered, (end - offered) * sizeof(StationData));
    errno = saved_errno;
    std::atomic<std::uint32_t> &max = state.header->max_stations;
    if (!backed) {
        state.no_memory_before_ns.store(now + memory_retry_ns, std::memory_order_relaxed);
        return max.load(std::memory_order_acquire);
    }
    // Release; partner: the acquire in allocate_station. Another thread may have raised it further.
    while (offered < end &&
           !max.compare_exchange_weak(offered, end, std::memory_order_acq_rel, std::memory_order_acquire)) {
    }
    return offered < end ? end : offered;
}

/// Births beyond it are not counted. At 2^31, an engine subtracts 2^30 from the count. Without an engine, the count
/// must not wrap around to stations in use. The distance to 2^32 covers all threads that count at the same time.
inline constexpr std::uint32_t most_allocated = 0xC000'0000;

/// Allocates a full station that was never used. Returns null when there is none, or no memory.
[[nodiscard]] inline StationData *allocate_station() noexcept
{
    process_state &state = state_v2;
    // Acquire; partner: the release of the engine, or of offer_stations.
    std::uint32_t max = state.header->max_stations.load(std::memory_order_acquire);
    std::atomic<std::uint32_t> &allocated = state.header->allocated_count;
    if (allocated.load(std::memory_order_relaxed) >= most_allocated) [[unlikely]]
        return nullptr;
    const std::uint32_t index = allocated.fetch_add(1, std::memory_order_relaxed);
    if (index >= max && state.sites.extension != nullptr) [[unlikely]]
        max = offer_stations(max);
    if (index >= max || index >= state.station_limit)
        return nullptr;
    StationData &station = state.stations[index];
    // The file is sparse: on a full file system, the first store would raise SIGBUS.
    const int saved_errno = errno;
    const bool backed = back_with_memory(&station, sizeof station);
    errno = saved_errno;
    return backed ? &station : nullptr;
}

}  // namespace detail

[[gnu::noinline]] inline void PromiseMixin::be_born(std::uint32_t session) noexcept
{
    if ((session & detail::paused_bit) != 0 && !detail::goes_on(session)) [[unlikely]]
        return detail::count_birth_while_off();
    if ((session & detail::lanes_bit) != 0)
        be_born_compact(session);
    else
        be_born_full(session);
}

inline void PromiseMixin::be_born_compact(std::uint32_t session) noexcept
{
    detail::process_state &state = detail::state_v2;
    detail::thread_state &self = detail::thread_v2;
    if (self.session != session) [[unlikely]]
        detail::join_session(self, session);
    const std::uint64_t identity = detail::acquire_compact(self, state.lanes);
    if (identity == kNoIdentity) [[unlikely]] {
        state.lanes.extension->births_without_station.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const auto index = static_cast<std::uint32_t>(identity);
    CompactState &compact = state.lanes.states[index];
    CompactBirth &birth = state.lanes.births[index];
    const std::uint64_t probe_id = reinterpret_cast<std::uintptr_t>(this);
    const std::uint64_t now = detail::raw_now();
    // Release each: a reader that acquires one of these values also sees the new `life` of the claim.
    birth.probe_id.store(probe_id, std::memory_order_release);
    birth.birth_ts.store(now, std::memory_order_release);
    birth.name.store(0, std::memory_order_release);
    const std::uint64_t creator = detail::running_coroutine(self, session);
    birth.parent.store(creator, std::memory_order_release);
    birth.process.store(state.process_index, std::memory_order_release);
    compact.ts.store(now, std::memory_order_release);
    compact.addr.store(0, std::memory_order_release);
    compact.what.store(0, std::memory_order_release);
    compact.tid.store(self.tid, std::memory_order_release);
    compact.death_ts.store(0, std::memory_order_release);
    compact.finished_ts.store(0, std::memory_order_release);
    // Release; partner: the engine's acquire load.
    const auto generation = static_cast<std::uint32_t>(identity >> 32);
    compact.life.store(detail::identity_of(generation, kCompactAlive), std::memory_order_release);
    compact_ = &compact;
    identity_ = identity;
    session_ = session;
    outer_ = detail::keep_running(self.running);
    self.running = detail::running_mark(identity, false);
    record_missing_ = !detail::write_record_at(session, now, identity_, probe_id, 0, 0, kRecordBirth);
    if (creator != kNoIdentity)
        (void)publish_record(creator, 0, kRecordParent);
}

/// Stores birth_ts last: it publishes the other fields.
inline void PromiseMixin::be_born_full(std::uint32_t session) noexcept
{
    detail::process_state &state = detail::state_v2;
    const std::uint32_t reused = detail::pop_free_station();
    StationData *const station = reused != state.station_limit ? &state.stations[reused] : detail::allocate_station();
    if (station == nullptr)
        return;
    StationExtension &extension = station->extension;
    std::uint32_t generation = 0;
    std::uint64_t begin = 0;
    if (reused != state.station_limit) {
        station->header.birth_ts.store(0, std::memory_order_release);  // to observers, the station is not born yet
        generation = extension.generation.load(std::memory_order_relaxed) + 1;
        // Event numbers continue: the next number is the number of all earlier events.
        for (const Epoch &epoch : station->slots)
            begin += epoch.seq.load(std::memory_order_relaxed) / 2;
    }
    station->header.probe_id.store(reinterpret_cast<std::uintptr_t>(this), std::memory_order_release);
    if (state.sites.extension != nullptr) {
        extension.dialect.store(kDialectSeqlock, std::memory_order_release);
        extension.pid.store(state.pid, std::memory_order_release);
        extension.gen_start.store(begin, std::memory_order_release);
        extension.death_ts.store(0, std::memory_order_release);
        extension.generation.store(generation, std::memory_order_release);
        extension.mark.store(kStationMark, std::memory_order_release);
    }
    station->header.is_dead.store(0, std::memory_order_release);
    station->header.birth_ts.store(detail::now_in(session),
                                   std::memory_order_release);  // partner: the engine's acquire load
    event_count = begin;
    session_ = session;
    my_station = station;
}

/// Works also while tracing is off or paused; then only the station shows the death.
[[gnu::noinline]] inline void PromiseMixin::die() noexcept
{
    const std::uint32_t attached = detail::page_v2.attached.load(std::memory_order_acquire);
    if (session_ != attached)
        return;
    if (compact_ != nullptr)
        return die_compact();
    if (detail::state_v2.sites.extension != nullptr)
        my_station->extension.death_ts.store(detail::now_in(attached), std::memory_order_relaxed);
    my_station->header.is_dead.store(1, std::memory_order_release);  // partner: the engine's acquire load
}

inline void PromiseMixin::die_compact() noexcept
{
    const std::uint32_t session = detail::writing_session();
    const std::uint64_t now = detail::raw_now();
    const auto generation = static_cast<std::uint32_t>(identity_ >> 32);
    detail::stop_running(detail::thread_v2, detail::running_mark(identity_, shows_all_suspensions_), outer_);
    compact_->death_ts.store(now, std::memory_order_release);
    bool written = session == session_;
    if (written) {
        written = detail::write_record_at(session, now, identity_, 0, static_cast<std::uint32_t>(event_count), 0,
                                          kRecordDeath);
    }
    const bool recycle = (written && !record_missing_) || detail::state_v2.lanes.overwrite;
    // Release; partners: the engine's acquire load, and the acquire in claim_compact.
    compact_->life.store(detail::identity_of(generation, recycle ? kCompactRecycled : kCompactDead),
                         std::memory_order_release);
    if (!recycle || generation == detail::last_generation)
        return;  // freed by the engine later, or retired: in no stack
    detail::thread_state &self = detail::thread_v2;
    const auto index = static_cast<std::uint32_t>(identity_);
    if (self.session == session_)
        detail::keep_compact(self, detail::state_v2.lanes, index);
    else
        detail::push_free_compact(detail::state_v2.lanes, &index, 1);
}

/// The hot path of an event with lanes: the lane has room, and the engine fences for both sides. Out of line, and with
/// calls at its ends only, so it saves no register.
[[gnu::noinline, gnu::aligned(64)]] inline void PromiseMixin::publish(std::uint32_t session, std::uint64_t addr,
                                                                      std::uint64_t what) noexcept
{
    detail::thread_state &self = detail::thread_v2;
    LaneRecord *const slot = self.next;
    if (session_ != session || self.session != session || slot == self.end) [[unlikely]]
        return publish_late(session, addr, what);
    const std::uint64_t number = event_count;
    CompactState &compact = *compact_;
    event_count = number + 1;
    self.next = slot + 1;
    detail::switch_running(self, detail::running_mark(identity_, shows_all_suspensions_), outer_, what);
    const std::uint64_t now = detail::read_counter();
    detail::put_record(*slot, now, identity_, addr, detail::transition_commit(number, what, self.lap));
    detail::store_compact(compact, number, now, self.tid, addr, what);
    compact.seq.store(2 * number + 2, std::memory_order_release);
    detail::check_engine();
}

/// The hot path of an event in a session without lanes.
[[gnu::noinline, gnu::aligned(64)]] inline void PromiseMixin::record_full(std::uint32_t session, std::uint64_t addr,
                                                                          std::uint64_t point, bool is_active) noexcept
{
    const detail::thread_state &self = detail::thread_v2;
    if (session_ != session || self.session != session) [[unlikely]]
        return publish_late(session, addr, detail::what_of(is_active, point));
    const std::uint64_t number = event_count;
    const std::uint64_t ticks = detail::read_counter() - self.line.base_counter;
    // Now and then use the slow path, because a counter that stands still never makes a check due.
    const bool check = number % detail::events_per_check == 0;
    if (ticks >= self.quick_ticks || check) [[unlikely]] {
        if (ticks < self.line.interval && !check)
            return record_full_fenced(ticks, addr, point, is_active);
        return publish_late(session, addr, detail::what_of(is_active, point));
    }
    event_count = number + 1;
    Epoch &epoch = detail::epoch_of(*my_station, number);
    const std::uint64_t now = self.line.base_ns + detail::scale_short(ticks, self.line.mult);
    const std::uint64_t even = detail::store_epoch(epoch, number, now, self.tid, addr, point, is_active);
    // Either the engine's pass sees this event, or this thread sees that the engine sleeps. The fence between these two
    // accesses is the engine's membarrier(2), between its store to tracer_sleeping and its loads of seq.
    epoch.seq.store(even, std::memory_order_release);
    detail::check_engine();
}

/// As record_full, where the engine does not fence for both sides. `ticks`: counter ticks after the base of this
/// thread's line.
[[gnu::noinline]] inline void PromiseMixin::record_full_fenced(std::uint64_t ticks, std::uint64_t addr,
                                                               std::uint64_t point, bool is_active) noexcept
{
    const detail::thread_state &self = detail::thread_v2;
    const std::uint64_t number = event_count;
    event_count = number + 1;
    Epoch &epoch = detail::epoch_of(*my_station, number);
    const std::uint64_t now = self.line.base_ns + detail::scale_short(ticks, self.line.mult);
    const std::uint64_t even = detail::store_epoch(epoch, number, now, self.tid, addr, point, is_active);
    detail::publish_fenced(epoch.seq, even);
}

/// True if the present session is this coroutine's, after the end of a pause. `session` receives the present session.
[[nodiscard, gnu::noinline, gnu::cold]] inline bool PromiseMixin::is_mine(std::uint32_t &session) const noexcept
{
    return session_ != 0 && detail::goes_on(session) && session == session_;
}

inline detail::await_suspend_scope PromiseMixin::record_suspend(std::uint32_t session, const void *frame,
                                                                const location &where, std::uint8_t kind,
                                                                std::uint32_t &site) noexcept
{
    if (session_ != session && !is_mine(session)) [[unlikely]]
        return {};
    if (detail::state_v2.sites.extension != nullptr)
        site = detail::site_id(detail::sites_v2, detail::state_v2.sites, where);
    write_trace_in(session, reinterpret_cast<std::uintptr_t>(frame), false, site, kind);
    has_wait_ = false;
    if (compact_ == nullptr)
        return {};
    std::uint64_t &running = detail::thread_v2.running;
    const std::uint64_t outer = running;
    running = detail::running_mark(identity_, shows_all_suspensions_) | detail::in_await_suspend_bit;
    return {running, outer};
}

inline void PromiseMixin::leave_suspend(const detail::await_suspend_scope &scope) noexcept
{
    // Another coroutine may continue that this await_suspend has resumed.
    detail::stop_running(detail::thread_v2, scope.running, scope.outer);
}

/// Slow path of an event: the thread's first one, a check of the clock is due, no counter, no fence by the engine, a
/// paused session, or the end of a run of slots. An event whose lane has no room still goes to the compact station.
[[gnu::noinline, gnu::cold]] inline void PromiseMixin::publish_late(std::uint32_t session, std::uint64_t addr,
                                                                    std::uint64_t what) noexcept
{
    if (session_ != session && !is_mine(session))
        return;
    detail::thread_state &self = detail::thread_v2;
    const std::uint64_t number = event_count;
    event_count = number + 1;
    std::atomic<std::uint64_t> *last = nullptr;  // loaded by the engine before it sleeps
    std::uint64_t value = 2 * number + 2;        // value of the last store to it
    if ((session & detail::lanes_bit) != 0) {
        const std::uint64_t now = detail::raw_now();
        LaneRecord *const slot = detail::find_slot(self, session, now);
        const std::uint64_t commit = detail::transition_commit(number, what, self.lap);
        detail::switch_running(self, detail::running_mark(identity_, shows_all_suspensions_), outer_, what);
        if (slot != nullptr) {
            self.next = slot + 1;
            detail::put_record(*slot, now, identity_, addr, commit);
        }
        detail::store_compact(*compact_, number, now, self.tid, addr, what);
        last = &compact_->seq;
        if (slot != nullptr) {
            compact_->seq.store(value, std::memory_order_release);
            last = &slot->commit;  // stored again, because the engine checks the lane
            value = commit;
        }
    } else {
        const std::uint64_t now = detail::renew_thread(session);
        Epoch &epoch = detail::epoch_of(*my_station, number);
        value = detail::store_epoch(epoch, number, now, self.tid, addr, detail::point_in(what),
                                    (what >> 32 & kRecordResume) != 0);
        last = &epoch.seq;
    }
    // seq_cst in every case: its cost does not matter here.
    detail::publish_fenced(*last, value);
}

}  // namespace v2
}  // namespace corotracer

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
