// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The static library probe-c: the functions of corotracer.h, over the C++ probe. A corotracer_coroutine contains a
// PromiseMixin.
//
// The library must not need the C++ runtime: C programs link it without. So this file includes the parts of the probe
// instead of coroTracer.h, which includes <iostream>, and it is compiled without exceptions and type information.
// Its functions are hidden: each image calls its own copy. The state of the probe is shared as in C++ (state.h).
#pragma GCC visibility push(hidden)
#define COROTRACER_NO_INLINE
#include "corotracer.h"
#pragma GCC visibility pop

#include "corotracer/control.h"
#include "corotracer/promise.h"

#include <cstring>
#include <new>
#include <string_view>

namespace {

using namespace corotracer;

static_assert(sizeof(PromiseMixin) <= sizeof(corotracer_coroutine::state) && alignof(PromiseMixin) <= 8);
/// Compares a constant of C with one of C++.
constexpr bool equal(unsigned c, unsigned cpp)
{
    return c == cpp;
}
static_assert(equal(COROTRACER_AWAIT, kAwaitPoint) && equal(COROTRACER_INITIAL, kInitialSuspend) &&
              equal(COROTRACER_FINAL, kFinalSuspend) && equal(COROTRACER_YIELD, kYieldPoint));
static_assert(equal(COROTRACER_WAIT_UNKNOWN, kWaitUnknown) && equal(COROTRACER_WAIT_LOCK, kWaitLock) &&
              equal(COROTRACER_WAIT_CHANNEL, kWaitChannel) && equal(COROTRACER_WAIT_DESCRIPTOR, kWaitDescriptor) &&
              equal(COROTRACER_WAIT_TIMER, kWaitTimer) && equal(COROTRACER_WAIT_COROUTINE, kWaitCoroutine) &&
              equal(COROTRACER_WAIT_OTHER, kWaitOther));

/// Returns the promise of a coroutine. Only if it is traced: otherwise there is none.
[[nodiscard]] PromiseMixin &promise_of(corotracer_coroutine *self) noexcept
{
    return *std::launder(reinterpret_cast<PromiseMixin *>(self->state));
}
[[nodiscard]] const PromiseMixin &promise_of(const corotracer_coroutine *self) noexcept
{
    return *std::launder(reinterpret_cast<const PromiseMixin *>(self->state));
}
/// As promise_of; null if the coroutine is null or not traced.
[[nodiscard]] const PromiseMixin *promise_or_null(const corotracer_coroutine *self) noexcept
{
    return self != nullptr && self->traced != 0 ? &promise_of(self) : nullptr;
}

/// A corotracer_location with the functions of std::source_location, for the table of sites. Its key there is the
/// addresses of the texts.
class c_location {
public:
    explicit c_location(const corotracer_location &from) noexcept : from_(from) {}
    [[nodiscard]] std::uint32_t line() const noexcept { return from_.line; }
    [[nodiscard]] std::uint32_t column() const noexcept { return from_.column; }
    [[nodiscard]] const char *file_name() const noexcept { return from_.file == nullptr ? "" : from_.file; }
    [[nodiscard]] const char *function_name() const noexcept { return from_.function == nullptr ? "" : from_.function; }

private:
    corotracer_location from_;
};
static_assert(!detail::one_word<c_location>, "a location of one word is known by the address of its data");

/// Returns the id of a site in the region; 0 without a location.
[[nodiscard]] std::uint32_t site_of(const corotracer_location *where) noexcept
{
    if (where == nullptr || detail::state_v2.sites.extension == nullptr)
        return 0;
    return detail::site_id(detail::sites_v2, detail::state_v2.sites, c_location(*where));
}

/// Returns a name of a C program, not longer than the probe keeps. Null: empty.
[[nodiscard]] std::string_view name_of(const char *text) noexcept
{
    return text == nullptr ? std::string_view() : std::string_view(text, ::strnlen(text, detail::string_limit + 1));
}

[[nodiscard]] wait kind_of(std::uint32_t kind) noexcept
{
    return kind <= kWaitOther ? static_cast<wait>(kind) : wait::other;
}

/// `caller`: address of the code that suspends the coroutine, for a suspension without a location.
void suspend(corotracer_coroutine *self, std::uint32_t point, const corotracer_location *where, void *caller) noexcept
{
    const std::uint32_t session = detail::writing_session();
    if (session == 0 || self->traced == 0 || detail::promise_access::session(promise_of(self)) != session)
        return;
    self->site = site_of(where);
    self->point = point & 0xF;
    promise_of(self).write_trace(reinterpret_cast<std::uintptr_t>(caller), false, self->site,
                                 static_cast<std::uint8_t>(self->point));
}

}  // namespace

extern "C" {
#pragma GCC visibility push(hidden)

// ---------------------------------------------------------------- process and thread

std::uint32_t corotracer_abi()
{
    return COROTRACER_ABI;
}

void corotracer_init()
{
    InitTracer();
}

bool corotracer_start_flight_recorder(const corotracer_flight_options *options)
{
    flight_recorder_options chosen;
    if (options != nullptr) {
        const auto set = [](auto &option, auto value) {
            if (value != 0)
                option = value;
        };
        if (options->path != nullptr)
            chosen.path = options->path;
        set(chosen.lane_bytes, options->lane_bytes);
        set(chosen.pool_bytes, options->pool_bytes);
        set(chosen.retention_ms, options->retention_ms);
        set(chosen.coroutines, options->coroutines);
        set(chosen.keep_old, options->keep_old);
    }
    return start_flight_recorder(chosen);
}

const char *corotracer_flight_recorder_path()
{
    return flight_recorder_path();
}

void corotracer_enable(bool on)
{
    enable(on);
}

bool corotracer_enabled()
{
    // Acquire; partner: InitTracer's store, after all other state.
    return detail::page_v2.session.load(std::memory_order_acquire) != 0;
}

void corotracer_name_thread(const char *name)
{
    name_thread(name_of(name));
}

std::uint64_t corotracer_get_ns()
{
    return get_ns();
}

// ---------------------------------------------------------------- life of a coroutine

void corotracer_birth(corotracer_coroutine *self, const char *name)
{
    detail::thread_state &thread = detail::thread_v2;
    const std::uint64_t running = thread.running;
    const std::uint32_t session = thread.session;
    PromiseMixin *const promise = ::new (static_cast<void *>(self->state)) PromiseMixin;
    self->traced = promise->is_traced() ? 1 : 0;
    self->site = 0;
    self->point = 0;
    self->reserved = 0;
    if (self->traced == 0)
        return;
    // A C++ coroutine may begin to run at its birth, so the probe treats its birth as a resumption. A C coroutine
    // begins to run at corotracer_resume. So its creator still runs on this thread.
    thread.running = thread.session == session ? running : 0;
    detail::promise_access::shows_all_suspensions(*promise);
    if (name != nullptr)
        promise->set_name(name_of(name));
}

void corotracer_death(corotracer_coroutine *self)
{
    if (self->traced == 0)
        return;
    promise_of(self).~PromiseMixin();
    self->traced = 0;
}

bool corotracer_is_traced(const corotracer_coroutine *self)
{
    return self->traced != 0 && promise_of(self).is_traced();
}

std::uint64_t corotracer_identity(const corotracer_coroutine *self)
{
    return self->traced != 0 ? detail::promise_access::identity(promise_of(self)) : kNoIdentity;
}

void corotracer_set_name(corotracer_coroutine *self, const char *name)
{
    if (self->traced != 0)
        promise_of(self).set_name(name_of(name));
}

void corotracer_set_parent(corotracer_coroutine *self, const corotracer_coroutine *parent)
{
    if (self->traced != 0 && parent->traced != 0)
        promise_of(self).set_parent(promise_of(parent));
}

void corotracer_finished(corotracer_coroutine *self, const corotracer_location *where)
{
    if (self->traced == 0 || !promise_of(self).is_traced() || corotracer_identity(self) == kNoIdentity)
        return;
    const std::uint32_t session = detail::writing_session();
    const bool writes = detail::promise_access::session(promise_of(self)) == session;
    detail::promise_access::write_finish(promise_of(self), session, writes ? site_of(where) : 0);
}

// ---------------------------------------------------------------- events and their causes, while tracing is on

void corotracer_on_suspend(corotracer_coroutine *self, std::uint32_t point, const corotracer_location *where)
{
    suspend(self, point, where, __builtin_return_address(0));
}

void corotracer_on_resume(corotracer_coroutine *self)
{
    if (self->traced != 0)
        promise_of(self).write_trace(0, true, self->site, static_cast<std::uint8_t>(self->point));
}

void corotracer_on_wait(corotracer_coroutine *self, std::uint32_t kind, std::uint64_t object, std::uint64_t deadline_ns)
{
    if (self->traced == 0)
        return;
    const waited first(kind_of(kind), object);
    if (deadline_ns == 0)
        promise_of(self).waits_on(first);
    else
        promise_of(self).waits_for_any({first, waited(wait::timer, deadline_ns)});
}

void corotracer_on_await(corotracer_coroutine *self, const corotracer_coroutine *other)
{
    if (self->traced != 0 && other->traced != 0)
        promise_of(self).waits_on(promise_of(other));
}

void corotracer_on_waits(corotracer_coroutine *self, const corotracer_wait *objects, std::uint32_t count, bool for_all)
{
    if (self->traced == 0)
        return;
    for (std::uint32_t i = 0; i < count && i < kWaitPartsMax; ++i)
        detail::promise_access::write_wait(promise_of(self), waited(kind_of(objects[i].kind), objects[i].object),
                                           wait_part(i, for_all));
}

void corotracer_on_wake(const corotracer_coroutine *target, const corotracer_coroutine *by)
{
    if (target->traced != 0)
        note_wake(promise_of(target), promise_or_null(by));
}

void corotracer_on_wakers_left(const corotracer_coroutine *target, std::uint64_t count)
{
    if (target->traced != 0)
        note_wakers_left(promise_of(target), count);
}

void corotracer_on_use(const void *object, const corotracer_location *where, std::uint32_t use)
{
    const std::uint32_t session = detail::writing_session();
    if ((session & detail::lanes_bit) != 0)
        detail::write_use_at(session, object, site_of(where), static_cast<std::uint8_t>(use));
}

// ---------------------------------------------------------------- the same, with the check in the library

void corotracer_suspend(corotracer_coroutine *self, std::uint32_t point, const corotracer_location *where)
{
    if (corotracer_enabled())
        suspend(self, point, where, __builtin_return_address(0));
}

void corotracer_resume(corotracer_coroutine *self)
{
    if (corotracer_enabled())
        corotracer_on_resume(self);
}

void corotracer_waits_on(corotracer_coroutine *self, std::uint32_t kind, std::uint64_t object,
                         std::uint64_t deadline_ns)
{
    if (corotracer_enabled())
        corotracer_on_wait(self, kind, object, deadline_ns);
}

void corotracer_awaits(corotracer_coroutine *self, const corotracer_coroutine *other)
{
    if (corotracer_enabled())
        corotracer_on_await(self, other);
}

void corotracer_waits_for_any(corotracer_coroutine *self, const corotracer_wait *objects, std::uint32_t count)
{
    if (corotracer_enabled())
        corotracer_on_waits(self, objects, count, false);
}

void corotracer_waits_for_all(corotracer_coroutine *self, const corotracer_wait *objects, std::uint32_t count)
{
    if (corotracer_enabled())
        corotracer_on_waits(self, objects, count, true);
}

void corotracer_wake(const corotracer_coroutine *target, const corotracer_coroutine *by)
{
    if (corotracer_enabled())
        corotracer_on_wake(target, by);
}

void corotracer_wakers_left(const corotracer_coroutine *target, std::uint64_t count)
{
    if (corotracer_enabled())
        corotracer_on_wakers_left(target, count);
}

void corotracer_acquired(const void *object, const corotracer_location *where)
{
    if (corotracer_enabled())
        corotracer_on_use(object, where, kRecordAcquired);
}

void corotracer_released(const void *object, const corotracer_location *where)
{
    if (corotracer_enabled())
        corotracer_on_use(object, where, kRecordReleased);
}

void corotracer_signalled(const void *object, const corotracer_location *where)
{
    if (corotracer_enabled())
        corotracer_on_use(object, where, kRecordSignalled);
}

#pragma GCC visibility pop
}  // extern "C"
