// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which coroutine runs on a thread: the parent of the coroutines that are born there, and the user of objects.
#include "tests/probe/causalitytest.h"

#include <coroutine>
#include <memory>
#include <thread>

namespace {

using namespace lanetest;
using probetest::inChild;

/// A coroutine at its traced initial suspension, all of whose suspensions are traced.
struct Started : Promise {
    Started()
    {
        write_trace(1, false, 0, corotracer::kInitialSuspend);
        corotracer::detail::promise_access::shows_all_suspensions(*this);
    }
};

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
