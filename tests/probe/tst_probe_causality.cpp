// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who created a coroutine, what it awaits, which objects it uses, and that it finished: the contents of lanes and
// compact stations.
#include "tests/probe/lanetest.h"

#include <chrono>
#include <coroutine>
#include <memory>
#include <thread>

namespace {

using namespace lanetest;
using probetest::inChild;

/// A promise that shows its identity.
struct Promise : corotracer::PromiseMixin {
    using corotracer::PromiseMixin::identity;
};

/// A coroutine at its traced initial suspension, all of whose suspensions are traced.
struct Started : Promise {
    Started()
    {
        write_trace(1, false, 0, corotracer::kInitialSuspend);
        corotracer::detail::promise_access::shows_all_suspensions(*this);
    }
};

std::vector<Record> ofKind(const Region &region, std::uint8_t kind)
{
    std::vector<Record> result;
    for (std::uint32_t i = 0; i < region.lanes(); ++i) {
        for (const Record &record : peek(region, i)) {
            if (record.kind == kind)
                result.push_back(record);
        }
    }
    return result;
}

std::uint32_t indexOf(const Promise &promise)
{
    return static_cast<std::uint32_t>(promise.identity());
}

std::vector<Record> waitsOn(const Region &region, std::uint8_t kind)
{
    return ofKind(region, static_cast<std::uint8_t>(kRecordWaitsOn + kind));
}

/// Returns the identities of the parents that the stations of these coroutines have.
template <class... Promises>
std::vector<std::uint64_t> parentsOf(const Region &region, const Promises &...promises)
{
    return {region.birth(indexOf(promises)).parent.load()...};
}

CT_CASE(theRunningCoroutineIsTheParent)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Started outer;
        Started inner;
        outer.write_trace(0, true);
        const Started ofOuter;
        inner.write_trace(0, true);  // resumed by outer, like a function
        const Started ofInner;
        inner.write_trace(1, false);
        const Started ofOuterAgain;
        outer.write_trace(1, false);
        const Started ofNone;
        const std::vector<std::uint64_t> expected{outer.identity(), inner.identity(), outer.identity(), kNoIdentity};
        CHECK(parentsOf(region, ofOuter, ofInner, ofOuterAgain, ofNone) == expected);
        std::vector<std::uint64_t> reported;
        for (const Record &record : ofKind(region, kRecordParent))
            reported.push_back(record.arg);
        CHECK(reported == std::vector<std::uint64_t>(expected.begin(), expected.begin() + 3));
    });
}

CT_CASE(symmetricTransferEndsTheRunOfTheFirst)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Started first;
        Started second;
        for (int i = 0; i < 3; ++i) {
            first.write_trace(0, true);
            first.write_trace(1, false);
            second.write_trace(0, true);
            const Started child;
            CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), second.identity());
            second.write_trace(1, false);
        }
        const Started last;
        CHECK_EQUAL(region.birth(indexOf(last)).parent.load(), kNoIdentity);
    });
}

CT_CASE(aRepeatedResumptionIsOneRun)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Started outer;
        Started inner;
        outer.write_trace(0, true);
        inner.write_trace(0, true);
        inner.write_trace(0, true);
        inner.write_trace(1, false);
        const Started child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), outer.identity());
    });
}

CT_CASE(aFirstSuspensionEndsNoOtherRun)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Started outer;
        outer.write_trace(0, true);
        Promise eager;         // may run at once, because its start is not traced
        const Started unsure;  // created by one of the two
        eager.write_trace(1, false);
        const Started child;
        CHECK(parentsOf(region, eager, unsure, child) ==
              (std::vector<std::uint64_t>{outer.identity(), kNoIdentity, outer.identity()}));
    });
}

CT_CASE(aSuspensionEndsNoOtherRun)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Started outer;
        Promise other;
        other.write_trace(1, false);
        outer.write_trace(0, true);
        other.write_trace(1, false);  // its resumption was not seen
        const Started child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), outer.identity());
    });
}

CT_CASE(aCoroutineThatDiedIsNoParent)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Started outer;
        outer.write_trace(0, true);
        {
            Started gone;
            gone.write_trace(0, true);
        }
        const Started child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), outer.identity());
    });
}

/// It may have ended, or yielded, without an event.
CT_CASE(aCoroutineWithUntracedSuspensionsIsNoParentAndNoUser)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        int object = 0;
        Started outer;
        outer.write_trace(0, true);
        Promise incomplete;
        incomplete.write_trace(1, false);
        incomplete.write_trace(0, true);
        corotracer::note_acquired(&object);
        Started inner;
        inner.write_trace(0, true);
        const Started ofInner;
        inner.write_trace(1, false);  // back to a coroutine that may have ended
        const Started unsure;
        incomplete.write_trace(1, false);
        const Started ofOuter;
        CHECK(parentsOf(region, inner, ofInner, unsure, ofOuter) ==
              (std::vector<std::uint64_t>{kNoIdentity, inner.identity(), kNoIdentity, outer.identity()}));
        const std::vector<Record> uses = ofKind(region, kRecordAcquired);
        CHECK(uses.size() == 1 && uses[0].identity == kNoIdentity);
    });
}

CT_CASE(aCoroutineThatFinishedIsNoParentAndNoUser)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        int object = 0;
        Started outer;
        outer.write_trace(0, true);
        {
            Started finished;
            finished.write_trace(0, true);
            finished.finished();
            corotracer::note_released(&object);
            const Started unsure;
            CHECK_EQUAL(region.birth(indexOf(unsure)).parent.load(), kNoIdentity);
        }
        CHECK_EQUAL(ofKind(region, kRecordReleased).at(0).identity, kNoIdentity);
        const Started child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), outer.identity());
    });
}

CT_CASE(aCoroutineThatDiedOnAnotherThreadIsNoParent)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        auto gone = std::make_unique<Started>();
        gone->write_trace(0, true);
        std::thread([&] { gone.reset(); }).join();
        const Started child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), kNoIdentity);
    });
}

CT_CASE(aCoroutineThatRunsOnAnotherThreadIsNoParent)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Started moved;
        moved.write_trace(0, true);
        std::thread([&] {
            moved.write_trace(1, false);
            moved.write_trace(0, true);
        }).join();
        const Started child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), kNoIdentity);
    });
}

CT_CASE(noCoroutineIsSeenRunningWhileTracingIsOff)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Started promise;
        promise.write_trace(0, true);
        corotracer::enable(false);
        promise.write_trace(1, false);  // not seen
        corotracer::enable(true);
        const Started child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), kNoIdentity);
        promise.write_trace(0, true);
        const Started later;
        CHECK_EQUAL(region.birth(indexOf(later)).parent.load(), promise.identity());
    });
}

CT_CASE(usesOfObjectsNameTheRunningCoroutine)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        int object = 0;
        Started promise;
        promise.write_trace(0, true);
        corotracer::note_acquired(&object);
        corotracer::note_signalled(&object);
        corotracer::note_released(&object);
        promise.write_trace(1, false);
        corotracer::note_signalled(&object);
        std::vector<Record> uses;
        for (const std::uint8_t kind : {kRecordAcquired, kRecordReleased, kRecordSignalled}) {
            for (const Record &record : ofKind(region, kind))
                uses.push_back(record);
        }
        REQUIRE(uses.size() == 4);
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK_EQUAL(uses[i].arg, reinterpret_cast<std::uintptr_t>(&object));
            CHECK_EQUAL(uses[i].identity, i < 3 ? promise.identity() : kNoIdentity);
            CHECK_EQUAL(uses[i].n, i < 3 ? 2U : 0U);
            CHECK(uses[i].site != 0);
        }
        CHECK(uses[0].site != uses[1].site);  // each its own line
    });
}

CT_CASE(aWaitForSeveralObjectsHasARecordForEach)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        int lock = 0;
        int channel = 0;
        Promise promise;
        const auto deadline = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(77));
        promise.waits_on(corotracer::wait::lock, &lock, deadline);
        promise.write_trace(1, false);
        promise.waits_for_all({{corotracer::wait::channel, &channel}, {corotracer::wait::descriptor, 5}});
        const std::vector<Record> locks = waitsOn(region, kWaitLock);
        const std::vector<Record> timers = waitsOn(region, kWaitTimer);
        const std::vector<Record> channels = waitsOn(region, kWaitChannel);
        const std::vector<Record> descriptors = waitsOn(region, kWaitDescriptor);
        REQUIRE(locks.size() == 1 && timers.size() == 1 && channels.size() == 1 && descriptors.size() == 1);
        CHECK_EQUAL(locks[0].site, wait_part(0, false));
        CHECK_EQUAL(timers[0].site, wait_part(1, false));
        CHECK_EQUAL(timers[0].arg, 77U);
        CHECK_EQUAL(channels[0].site, wait_part(0, true));
        CHECK_EQUAL(descriptors[0].site, wait_part(1, true));
        CHECK_EQUAL(descriptors[0].arg, 5U);
        for (const Record &record : {locks[0], timers[0], channels[0], descriptors[0]})
            CHECK_EQUAL(record.n, 0U);
    });
}

CT_CASE(finishedIsInStationAndLane)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::uint32_t index = 0;
        {
            Promise promise;
            index = indexOf(promise);
            promise.write_trace(1, false);
            promise.write_trace(0, true);
            CHECK_EQUAL(region.compactStation(index).finished_ts.load(), 0U);
            promise.finished();
            const std::vector<Record> records = ofKind(region, kRecordFinished);
            REQUIRE(records.size() == 1);
            CHECK_EQUAL(records[0].identity, promise.identity());
            CHECK_EQUAL(records[0].n, 2U);
            CHECK_EQUAL(records[0].ts, region.compactStation(index).finished_ts.load());
            CHECK(records[0].site != 0);
            CHECK_EQUAL(promise.event_count, 2U);
        }
        const Promise again;
        const Promise andAgain;
        CHECK(indexOf(again) == index || indexOf(andAgain) == index);
        CHECK_EQUAL(region.compactStation(index).finished_ts.load(), 0U);
    });
}

CT_CASE(aFinishThatNoLaneHasKeepsTheStation)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::uint32_t index = 0;
        {
            Promise promise;
            index = indexOf(promise);
            corotracer::enable(false);
            promise.finished();
            CHECK(region.compactStation(index).finished_ts.load() != 0);
            corotracer::enable(true);
        }
        CHECK_EQUAL(region.life(index), kCompactDead);
    });
}

CT_CASE(wakersLeftAreCounted)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise promise;
        promise.write_trace(1, false);
        corotracer::note_wakers_left(promise, 0);
        const std::vector<Record> records = ofKind(region, kRecordWakersLeft);
        REQUIRE(records.size() == 1);
        CHECK_EQUAL(records[0].identity, promise.identity());
        CHECK_EQUAL(records[0].arg, 0U);
        CHECK_EQUAL(records[0].n, 1U);
    });
}

struct Task {
    struct promise_type : Promise {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle() const noexcept { return owned; }
    bool await_ready() const { return !owned || owned.done(); }
    void await_suspend(std::coroutine_handle<>) const {}
    void await_resume() const {}
    std::coroutine_handle<promise_type> owned;
};

/// Stands for a coroutine that its function names.
struct Ticket {
    const Promise *promise = nullptr;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>) const {}
    void await_resume() const {}
};
const corotracer::PromiseMixin *awaited_promise(const Ticket &ticket) noexcept
{
    return ticket.promise;
}

/// Gives the promise.
struct Self {
    Promise *promise = nullptr;
    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<Task::promise_type> self)
    {
        promise = &self.promise();
        return false;
    }
    Promise *await_resume() const { return promise; }
};

Task awaitBoth(const Task &task, Ticket ticket)
{
    co_await task;
    co_await ticket;
    co_await Ticket{};
}

CT_CASE(anAwaitedCoroutineIsReported)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Promise other;
        const Task child = awaitBoth({}, {});
        const Task task = awaitBoth(child, {&other});
        for (int i = 0; i < 4; ++i)
            task.owned.resume();
        CHECK(task.owned.done());
        const std::vector<Record> waits = waitsOn(region, kWaitCoroutine);
        REQUIRE(waits.size() == 2);
        CHECK_EQUAL(waits[0].identity, task.owned.promise().identity());
        CHECK_EQUAL(waits[0].arg, child.owned.promise().identity());
        CHECK_EQUAL(waits[0].n, 0U);
        CHECK_EQUAL(waits[1].arg, other.identity());
        CHECK_EQUAL(waits[1].n, 2U);
        task.owned.destroy();
        child.owned.destroy();
    });
}

CT_CASE(aReportedWaitIsNotReplacedByTheAwaitedCoroutine)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Promise other;
        int object = 0;
        const auto body = [](const Promise &awaited, const void *lock) -> Task {
            Promise *const self = co_await Self{};
            self->waits_on(corotracer::wait::lock, lock);
            co_await Ticket{&awaited};
            co_await Ticket{&awaited};
        };
        const Task task = body(other, &object);
        for (int i = 0; i < 3; ++i)
            task.owned.resume();
        CHECK_EQUAL(waitsOn(region, kWaitLock).size(), 1U);
        const std::vector<Record> waits = waitsOn(region, kWaitCoroutine);
        REQUIRE(waits.size() == 1);
        CHECK_EQUAL(waits[0].n, 4U);  // of the second one
        task.owned.destroy();
    });
}

/// Traces everything, or returns the awaiters of other types.
template <class Final, class Yield>
struct CompletePromise : Promise {
    std::coroutine_handle<CompletePromise> get_return_object()
    {
        return std::coroutine_handle<CompletePromise>::from_promise(*this);
    }
    auto initial_suspend() { return trace_initial_suspend(); }
    Final final_suspend() noexcept { return finalAwaiter<Final>(); }
    Yield yield_value(int) { return yieldAwaiter<Yield>(); }
    void return_void() {}
    void unhandled_exception() {}

private:
    template <class Awaiter>
    Awaiter finalAwaiter() noexcept
    {
        if constexpr (std::is_empty_v<Awaiter>)
            return {};
        else
            return trace_final_suspend();
    }
    template <class Awaiter>
    Awaiter yieldAwaiter()
    {
        if constexpr (std::is_empty_v<Awaiter>)
            return {};
        else
            return trace_yield();
    }
};
using Traces = corotracer::TracedAwaiter<std::suspend_always>;
struct WithoutYield : Promise {
    Traces final_suspend() noexcept { return trace_final_suspend(); }
};
struct Overloaded : WithoutYield {
    Traces yield_value(int) { return trace_yield(); }
    Traces yield_value(char) { return trace_yield(); }
};
struct Final final : WithoutYield {};
struct Finishing : Promise {
    static constexpr bool reports_finish = true;
};

static_assert(corotracer::detail::shows_all_suspensions<CompletePromise<Traces, Traces>>);
static_assert(corotracer::detail::shows_all_suspensions<CompletePromise<std::suspend_never, Traces>>);
static_assert(!corotracer::detail::shows_all_suspensions<CompletePromise<std::suspend_always, Traces>>);
static_assert(!corotracer::detail::shows_all_suspensions<CompletePromise<Traces, std::suspend_always>>);
static_assert(corotracer::detail::shows_all_suspensions<WithoutYield>);
static_assert(!corotracer::detail::shows_all_suspensions<Overloaded>);  // which overload it would be is not known
static_assert(!corotracer::detail::shows_all_suspensions<Final>);
static_assert(corotracer::detail::shows_all_suspensions<Finishing>);
static_assert(!corotracer::detail::shows_all_suspensions<Task::promise_type>);

/// Uses objects and creates coroutines inside of await_suspend.
struct Busy {
    int *object = nullptr;
    std::vector<std::uint64_t> *parents = nullptr;
    const Region *region = nullptr;
    std::coroutine_handle<> nested;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>) const
    {
        create();
        if (nested) {
            nested.resume();
            create();  // what the nested coroutine did is not known
        }
    }
    void await_resume() const {}
    void create() const
    {
        corotracer::note_released(object);
        const Started child;
        parents->push_back(region->birth(indexOf(child)).parent.load());
    }
};

template <class Body>
struct Returned {
    using promise_type = Body;
    Returned(std::coroutine_handle<Body> made) : handle(made) {}
    std::coroutine_handle<Body> handle;
};
using Complete = Returned<CompletePromise<Traces, Traces>>;

Complete runBusy(Busy busy)
{
    co_await busy;
}

CT_CASE(whatAwaitSuspendDoesBelongsToItsCoroutine)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        int object = 0;
        std::vector<std::uint64_t> parents;
        Started outer;
        outer.write_trace(0, true);
        const Complete inner = runBusy({&object, &parents, &region, {}});
        const Complete task = runBusy({&object, &parents, &region, inner.handle});
        task.handle.resume();
        const Started ofOuter;
        const std::uint64_t self = task.handle.promise().identity();
        CHECK(parents == (std::vector<std::uint64_t>{self, inner.handle.promise().identity(), kNoIdentity}));
        CHECK(parentsOf(region, ofOuter) == std::vector<std::uint64_t>{outer.identity()});
        const std::vector<Record> uses = ofKind(region, kRecordReleased);
        REQUIRE(uses.size() == 3);
        CHECK(uses[0].identity == self && uses[1].identity == parents[1] && uses[2].identity == kNoIdentity);
        task.handle.destroy();
        inner.handle.destroy();
    });
}

}  // namespace
