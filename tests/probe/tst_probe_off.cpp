// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// COROTRACER_OFF: the whole API compiles, awaits work as before, and nothing is traced. Another part of the program is
// traced.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corotracer/foreign.h"
#include "corotracer/selftraced.h"
#include "corotracer/traced.h"
#include "probetest.h"
#include "theirlibrary.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>

template <>
inline constexpr bool corotracer::trace_promise<their::counted::promise_type> = false;
COROTRACER_TRACE_TASK_TEMPLATE(their::task);
COROTRACER_TRACE_TASK(their::counted);

bool runTracedPart();

namespace {

using namespace probetest;

static_assert(std::is_empty_v<corotracer::PromiseMixin> && std::is_trivial_v<corotracer::PromiseMixin>);
static_assert(std::is_same_v<decltype(Task::promise_type::trace(std::suspend_always{})), std::suspend_always>);
static_assert(noexcept(Task::promise_type::trace_final_suspend()));
static_assert(!corotracer::PromiseMixin::is_traced() && corotracer::PromiseMixin::my_station == nullptr);

/// Uses everything that a promise may use.
struct Generator {
    struct promise_type : corotracer::PromiseMixin {
        Generator get_return_object()
        {
            set_name("generator");
            return Generator{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        auto initial_suspend() { return trace_initial_suspend(); }
        auto final_suspend() noexcept { return trace_final_suspend(std::suspend_always{}); }
        auto yield_value(int next, corotracer::location where = corotracer::location::current())
        {
            value = next;
            return trace_yield(std::suspend_always{}, where);
        }
        template <class A>
        auto await_transform(A &&awaitable, corotracer::location where = corotracer::location::current())
        {
            return trace(static_cast<A &&>(awaitable), where);
        }
        void return_void() noexcept {}
        void unhandled_exception() { throw; }
        int value = 0;
    };
    explicit Generator(std::coroutine_handle<promise_type> from) : handle(from) {}
    Generator(Generator &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}  // clang 14 needs it
    Generator(const Generator &) = delete;
    Generator &operator=(const Generator &) = delete;
    Generator &operator=(Generator &&) = delete;
    ~Generator()
    {
        if (handle)
            handle.destroy();
    }
    std::coroutine_handle<promise_type> handle;
};

struct MoveOnly {
    explicit MoveOnly(int from) : value(std::make_unique<int>(from)) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<>) const noexcept { return false; }
    std::unique_ptr<int> await_resume() noexcept { return std::move(value); }
    std::unique_ptr<int> value;
};
struct Pinned {
    Pinned() = default;
    Pinned(const Pinned &) = delete;
    Pinned &operator=(const Pinned &) = delete;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<>) const noexcept { return false; }
    const Pinned *await_resume() const noexcept { return this; }
};
struct Convertible {
    MoveOnly operator co_await() && { return MoveOnly{7}; }
};
struct Throwing {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>) const { throw std::runtime_error("suspend"); }
    void await_resume() const {}
};

int g_sum = 0;

Generator awaitEverything()
{
    g_sum += *co_await MoveOnly{1};
    MoveOnly lvalue{2};
    g_sum += *co_await lvalue;
    CHECK(lvalue.value == nullptr);  // it was this very object
    g_sum += *co_await Convertible{};
    Pinned pinned;
    const Pinned *const same = co_await pinned;
    CHECK(same == &pinned);
    co_yield 30;
    try {
        co_await Throwing{};
    } catch (const std::runtime_error &) {
        g_sum += 100;
    }
    co_await std::suspend_always{};
}

Task awaitThroughTheMixin()
{
    const Pinned *const pinned = co_await Pinned{};
    CHECK(pinned != nullptr);
    g_sum += *co_await MoveOnly{1000};
    co_await corotracer::TracedAwaiter{std::suspend_never{}, nullptr};
}

CT_CASE(awaitablesWorkWithoutTracing)
{
    g_sum = 0;
    const Generator generator = awaitEverything();
    CHECK_EQUAL(g_sum, 0);
    generator.handle.resume();
    CHECK_EQUAL(g_sum, 10);
    CHECK_EQUAL(generator.handle.promise().value, 30);
    generator.handle.resume();
    CHECK_EQUAL(g_sum, 110);
    generator.handle.resume();
    CHECK(generator.handle.done());
    const Task task = awaitThroughTheMixin();
    CHECK(task.handle.done());
    CHECK_EQUAL(g_sum, 1110);
}

CT_CASE(theWholeApiHasNoEffect)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::enable(true);
        corotracer::name_thread("thread");
        corotracer::PromiseMixin promise;
        const corotracer::PromiseMixin other;
        promise.set_name("name");
        promise.set_parent(other);
        promise.waits_on(corotracer::wait::lock, &promise);
        promise.waits_on(corotracer::wait::descriptor, 0);
        promise.waits_on(std::chrono::steady_clock::now());
        promise.waits_on(other);
        promise.waits_on({corotracer::wait::channel, &promise});
        promise.waits_on(corotracer::wait::lock, &promise, std::chrono::steady_clock::now());
        promise.waits_for_any({{corotracer::wait::lock, &promise}, {corotracer::wait::descriptor, 0}});
        promise.waits_for_all({{std::chrono::steady_clock::now()}});
        promise.finished();
        promise.write_trace(1, false);
        corotracer::note_wake(promise, &other);
        corotracer::note_wakers_left(promise, 0);
        corotracer::note_acquired(&promise);
        corotracer::note_released(&promise);
        corotracer::note_signalled(&promise);
        corotracer::Traced<std::mutex> mutex;
        mutex.lock();
        CHECK(!mutex.try_lock());
        mutex.unlock();
        CHECK(!corotracer::start_flight_recorder({.path = "/tmp", .lane_bytes = 1 << 20}));
        CHECK(std::string(corotracer::flight_recorder_path()).empty());
        CHECK(corotracer::get_ns() > 0);
        CHECK_EQUAL(corotracer::get_tid(), static_cast<std::uint64_t>(::getpid()));
        CHECK_EQUAL(region.allocated(), 0U);
    });
}

static_assert(std::is_same_v<std::coroutine_traits<their::task<int>>::promise_type, their::task_promise<int>>);
static_assert(sizeof(corotracer::coroutine) == 1);

their::counted observed(int &)
{
    corotracer::coroutine self("name");
    co_await self(std::suspend_always{});
    co_await corotracer::traced(std::suspend_always{});
}

CT_CASE(otherLibrariesStayAsTheyAre)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::enable<their::counted::promise_type>(true);
        int start = 0;
        const their::counted one = observed(start);
        corotracer::scheduled(one.handle);
        CHECK(corotracer::promise_of(one.handle) == nullptr);
        one.handle.resume();
        one.handle.resume();
        one.handle.resume();
        CHECK(one.handle.done());
        one.handle.destroy();
        CHECK_EQUAL(region.allocated(), 0U);
    });
}

CT_CASE(anotherSourceFileMayBeTraced)
{
    const Region region;
    inChild([&] {
        CHECK(runTracedPart());
        const Task task = awaitThroughTheMixin();
        CHECK_EQUAL(region.allocated(), 1U);
        CHECK_EQUAL(region.pattern(0), "S");
    });
}

}  // namespace
