// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All forms of awaitables in the language, through TracedAwaiter. The test reads the published events from the region.
#include "probetest.h"

#include <memory>
#include <stdexcept>

namespace {

using namespace probetest;
using corotracer::location;

/// Suspends; co_await gives `value`. Neither copyable nor movable.
struct Pinned {
    explicit Pinned(int number) : value(number) {}
    Pinned(const Pinned &) = delete;
    Pinned &operator=(const Pinned &) = delete;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    int await_resume() const noexcept { return value; }
    int value;
};

struct WithMember {
    int value = 0;
    Pinned operator co_await() const { return Pinned(value); }
};

struct WithFree {
    int value = 0;
};
Pinned operator co_await(const WithFree &from)
{
    return Pinned(from.value);
}

struct Ready : std::suspend_never {};

struct Refuses {
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<>) const noexcept { return false; }
    int await_resume() const noexcept { return 8; }
};
struct Accepts : Refuses {
    bool await_suspend(std::coroutine_handle<>) const noexcept { return true; }
};
struct Transfers {
    std::coroutine_handle<> to;
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept { return to; }
    void await_resume() const noexcept {}
};
struct Throws {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>) const { throw std::runtime_error("no"); }
    void await_resume() const {}
};
struct ReturnsReference {
    int *target;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    int &await_resume() const noexcept { return *target; }
};
struct ReturnsMoveOnly {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    std::unique_ptr<int> await_resume() const { return std::make_unique<int>(5); }
};
/// Destroys the coroutine that awaits it.
struct Destroys {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) const noexcept { self.destroy(); }
    void await_resume() const noexcept {}
};

/// Runs `body` traced in a child.
template <class Body>
void traced(Body body)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        body(region);
    });
}

Task awaitPinned(int &result)
{
    result = co_await Pinned(3);
}
Task awaitLvalue(int &result, Pinned &pinned)
{
    result = co_await pinned;
}
Task awaitMember(int &result)
{
    const WithMember lvalue{20};
    result = co_await WithMember{1};
    result += co_await lvalue;
}
Task awaitFree(int &result)
{
    const WithFree lvalue{20};
    result = co_await WithFree{1};
    result += co_await lvalue;
}

CT_CASE(tracesANonMovableAwaiter)
{
    traced([](const Region &region) {
        int result = 0;
        const Task task = awaitPinned(result);
        CHECK_EQUAL(region.pattern(0), "S");
        CHECK_EQUAL(region.events(0)[0].addr, reinterpret_cast<std::uintptr_t>(task.handle.address()));
        task.handle.resume();
        CHECK_EQUAL(result, 3);
        CHECK_EQUAL(region.pattern(0), "SR");
        const std::vector<Event> events = region.events(0);
        CHECK_EQUAL(events[1].addr, 0U);
        CHECK(events[0].site != 0);
        CHECK_EQUAL(events[1].site, events[0].site);
        CHECK_EQUAL(events[0].tid, static_cast<std::uint64_t>(::syscall(SYS_gettid)));
        CHECK(events[0].timestamp <= events[1].timestamp);
    });
}

CT_CASE(lvalueIsAwaitedByReference)
{
    traced([](const Region &region) {
        Pinned pinned(1);
        int result = 0;
        const Task task = awaitLvalue(result, pinned);
        pinned.value = 77;
        task.handle.resume();
        CHECK_EQUAL(result, 77);
        CHECK_EQUAL(region.pattern(0), "SR");
    });
}

CT_CASE(tracesMemberCoAwait)
{
    traced([](const Region &region) {
        int result = 0;
        const Task task = awaitMember(result);
        task.handle.resume();
        task.handle.resume();
        CHECK_EQUAL(result, 21);
        CHECK_EQUAL(region.pattern(0), "SRSR");
    });
}

CT_CASE(tracesFreeCoAwait)
{
    traced([](const Region &region) {
        int result = 0;
        const Task task = awaitFree(result);
        task.handle.resume();
        task.handle.resume();
        CHECK_EQUAL(result, 21);
        CHECK_EQUAL(region.pattern(0), "SRSR");
    });
}

Task awaitReady()
{
    co_await Ready{};
    co_await std::suspend_never{};
}
CT_CASE(aReadyAwaitableWritesNoEvent)
{
    traced([](const Region &region) {
        const Task task = awaitReady();
        CHECK(task.handle.done());
        CHECK_EQUAL(region.pattern(0), "");
        CHECK_EQUAL(task.handle.promise().event_count, 0U);
    });
}

Task awaitBools(int &result)
{
    result = co_await Refuses{};
    result += co_await Accepts{};
}
CT_CASE(tracesBoolAwaitSuspend)
{
    traced([](const Region &region) {
        int result = 0;
        const Task task = awaitBools(result);
        CHECK_EQUAL(region.pattern(0), "SRS");
        task.handle.resume();
        CHECK_EQUAL(result, 16);
        CHECK_EQUAL(region.pattern(0), "SRSR");
    });
}

Task transferTo(std::coroutine_handle<> other)
{
    co_await Transfers{other};
}
Task waitOnce()
{
    co_await std::suspend_always{};
}
CT_CASE(tracesSymmetricTransfer)
{
    traced([](const Region &region) {
        const Task other = waitOnce();
        const Task task = transferTo(other.handle);
        CHECK(other.handle.done());
        CHECK(!task.handle.done());
        CHECK_EQUAL(region.pattern(0), "SR");
        CHECK_EQUAL(region.pattern(1), "S");
        task.handle.resume();
        CHECK_EQUAL(region.pattern(1), "SR");
    });
}

Task countDown(int rounds, std::coroutine_handle<> &other)
{
    for (; rounds > 0; --rounds)
        co_await Transfers{other};
}
// A transfer is a tail call only in optimised builds, and not under thread sanitizer.
#if defined(__OPTIMIZE__) && !CT_THREAD_SANITIZER && !CT_ADDRESS_SANITIZER
constexpr int kTransfers = 100'000;
#else
constexpr int kTransfers = 100;
#endif
CT_CASE(symmetricTransferNeedsNoStack)
{
    traced([](const Region &region) {
        // Both start with a transfer to the no-op coroutine, then transfer to each other.
        std::coroutine_handle<> first = std::noop_coroutine();
        std::coroutine_handle<> second = std::noop_coroutine();
        const Task a = countDown(kTransfers, second);
        const Task b = countDown(kTransfers, first);
        first = a.handle;
        second = b.handle;
        a.handle.resume();
        CHECK(a.handle.done() || b.handle.done());
        CHECK(region.emitted(0) >= std::uint64_t{2 * kTransfers - 2});
    });
}

Task awaitThrowing(bool &caught)
{
    try {
        co_await Throws{};
    } catch (const std::runtime_error &) {
        caught = true;
    }
    co_await std::suspend_always{};
}
CT_CASE(tracesAThrowingAwaitSuspend)
{
    traced([](const Region &region) {
        bool caught = false;
        const Task task = awaitThrowing(caught);
        CHECK(caught);
        CHECK_EQUAL(region.pattern(0), "SRS");
    });
}

Task awaitOddResults(int &result)
{
    int target = 1;
    (co_await ReturnsReference{&target}) = 40;
    const std::unique_ptr<int> owned = co_await ReturnsMoveOnly{};
    co_await std::suspend_always{};
    result = target + *owned;
}
CT_CASE(returnsReferencesNonCopyableAndVoidResults)
{
    traced([](const Region &region) {
        int result = 0;
        const Task task = awaitOddResults(result);
        for (int i = 0; i < 3; ++i)
            task.handle.resume();
        CHECK_EQUAL(result, 45);
        CHECK_EQUAL(region.pattern(0), "SRSRSR");
    });
}

Task awaitDestroyer()
{
    co_await Destroys{};
}
CT_CASE(aCoroutineMayBeDestroyedInAwaitSuspend)
{
    traced([](const Region &region) {
        Task task = awaitDestroyer();
        task.handle = nullptr;  // it destroyed itself
        CHECK_EQUAL(region.pattern(0), "S");
        CHECK_EQUAL(region.station(0).header.is_dead.load(std::memory_order_acquire), 1);
    });
}

Task awaitMoveOnly(int &result)
{
    // A constructor, because g++ 12 destroys an aggregate with such a member twice, traced or not.
    struct Owner : std::suspend_always {
        Owner() : owned(std::make_unique<int>(9)) {}
        std::unique_ptr<int> owned;
        int await_resume() const noexcept { return *owned; }
    };
    result = co_await Owner{};
    Owner lvalue;
    result += co_await std::move(lvalue);
}
CT_CASE(rvaluesAreMovedOnce)
{
    traced([](const Region &region) {
        int result = 0;
        const Task task = awaitMoveOnly(result);
        task.handle.resume();
        task.handle.resume();
        CHECK_EQUAL(result, 18);
        CHECK_EQUAL(region.pattern(0), "SRSR");
    });
}

/// A promise that customises everything: an await_transform for numbers, yield_value, initial and final suspension
/// through the helpers, constructor arguments, and the specifier final.
struct Generator {
    struct promise_type final : corotracer::PromiseMixin {
        promise_type(int start, bool) : last(start) {}
        Generator get_return_object() { return Generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        auto initial_suspend() { return trace_initial_suspend(); }
        auto final_suspend() noexcept { return trace_final_suspend(); }
        auto yield_value(int value, location where = location::current())
        {
            last = value;
            return trace_yield(std::suspend_always{}, where);
        }
        auto await_transform(int value, location where = location::current())
        {
            // A temporary of this function: the traced awaiter must own it.
            struct Answer : std::suspend_always {
                explicit Answer(int number) : answer(number) {}
                int await_resume() const noexcept { return answer; }
                int answer;
            };
            return trace(Answer(value * 2), where);
        }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::abort(); }
        int last;
    };
    explicit Generator(std::coroutine_handle<promise_type> from) : handle(from) {}
    Generator(Generator &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
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
Generator generate(int start, bool)
{
    co_yield start + 1;
    co_yield co_await 21;
}
constexpr std::uint32_t kFirstYieldLine = __LINE__ - 3;

CT_CASE(tracesHelpersAndAnOwnAwaitTransform)
{
    traced([](const Region &region) {
        const Generator generator = generate(3, true);
        CHECK_EQUAL(generator.handle.promise().last, 3);
        CHECK_EQUAL(region.pattern(0), "S");
        CHECK_EQUAL(region.events(0)[0].kind, corotracer::kInitialSuspend);
        generator.handle.resume();
        CHECK_EQUAL(generator.handle.promise().last, 4);
        CHECK_EQUAL(region.events(0)[2].kind, corotracer::kYieldPoint);
        CHECK_EQUAL(region.site(region.events(0)[2].site).line, kFirstYieldLine);
        generator.handle.resume();
        CHECK_EQUAL(region.events(0)[4].kind, corotracer::kAwaitPoint);
        CHECK_EQUAL(region.site(region.events(0)[4].site).line, kFirstYieldLine + 1);
        generator.handle.resume();
        CHECK_EQUAL(generator.handle.promise().last, 42);
        generator.handle.resume();
        CHECK(generator.handle.done());
        const std::vector<Event> events = region.events(0);
        CHECK_EQUAL(events.size(), 8U);
        CHECK_EQUAL(region.emitted(0), 9U);
        CHECK_EQUAL(events.back().kind, corotracer::kFinalSuspend);
        CHECK(!events.back().active);
    });
}

Task awaitHelperWithReference(int &result, const WithMember &from)
{
    result = co_await static_cast<const WithMember &>(from);
}
CT_CASE(tracesConstReferences)
{
    traced([](const Region &region) {
        int result = 0;
        const WithMember from{6};
        const Task task = awaitHelperWithReference(result, from);
        task.handle.resume();
        CHECK_EQUAL(result, 6);
        CHECK_EQUAL(region.pattern(0), "SR");
    });
}

CT_CASE(noexceptIsPropagated)
{
    using Quiet = corotracer::TracedAwaiter<std::suspend_always>;
    using Loud = corotracer::TracedAwaiter<Throws>;
    const std::coroutine_handle<> none;
    static_assert(noexcept(std::declval<Quiet &>().await_ready()));
    static_assert(noexcept(std::declval<Quiet &>().await_suspend(none)));
    static_assert(noexcept(std::declval<Quiet &>().await_resume()));
    static_assert(!noexcept(std::declval<Loud &>().await_suspend(none)));
    static_assert(!noexcept(std::declval<Loud &>().await_resume()));
    static_assert(noexcept(std::declval<corotracer::PromiseMixin &>().trace_final_suspend()));
    static_assert(std::is_same_v<decltype(std::declval<corotracer::TracedAwaiter<Transfers> &>().await_suspend(none)),
                                 std::coroutine_handle<>>);
    static_assert(
        std::is_same_v<decltype(std::declval<corotracer::TracedAwaiter<ReturnsReference> &>().await_resume()), int &>);
    CHECK(true);
}

CT_CASE(theRingKeepsTheLatestEightEvents)
{
    traced([](const Region &region) {
        corotracer::PromiseMixin promise;
        for (std::uint64_t i = 0; i < 1003; ++i)
            promise.write_trace(i, i % 2 == 1);
        CHECK_EQUAL(promise.event_count, 1003U);
        CHECK_EQUAL(region.emitted(0), 1003U);
        const std::vector<Event> events = region.events(0);
        CHECK_EQUAL(events.size(), 8U);
        for (std::size_t i = 0; i < events.size(); ++i) {
            CHECK_EQUAL(events[i].addr, 995 + i);
            CHECK(i == 0 || events[i].timestamp >= events[i - 1].timestamp);
        }
    });
}

CT_CASE(tracesBirthDeathAndCopies)
{
    traced([](const Region &region) {
        {
            const corotracer::PromiseMixin original;
            const corotracer::StationData &station = region.station(0);
            CHECK_EQUAL(region.allocated(), 1U);
            CHECK_EQUAL(station.header.probe_id.load(std::memory_order_acquire),
                        reinterpret_cast<std::uintptr_t>(&original));
            CHECK(station.header.birth_ts.load(std::memory_order_acquire) != 0);
            CHECK_EQUAL(station.extension.mark.load(std::memory_order_acquire), corotracer::kStationMark);
            CHECK_EQUAL(station.extension.dialect.load(std::memory_order_acquire),
                        static_cast<std::uint32_t>(corotracer::kDialectSeqlock));
            CHECK_EQUAL(station.extension.pid.load(std::memory_order_acquire), static_cast<std::uint32_t>(::getpid()));
            CHECK_EQUAL(station.header.is_dead.load(std::memory_order_acquire), 0);
            corotracer::PromiseMixin copy(original);
            CHECK_EQUAL(region.allocated(), 2U);
            CHECK(copy.my_station != original.my_station);
            corotracer::StationData *const own = copy.my_station;
            copy = original;
            CHECK(copy.my_station == own);
        }
        for (std::size_t i = 0; i < 2; ++i) {
            const corotracer::StationData &station = region.station(i);
            CHECK_EQUAL(station.header.is_dead.load(std::memory_order_acquire), 1);
            CHECK(station.extension.death_ts.load(std::memory_order_acquire) >=
                  station.header.birth_ts.load(std::memory_order_acquire));
        }
    });
}

}  // namespace
