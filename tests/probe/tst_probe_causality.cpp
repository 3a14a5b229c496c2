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
        Promise outer;
        Promise inner;
        outer.write_trace(0, true);
        const Promise ofOuter;
        inner.write_trace(0, true);  // resumed by outer, like a function
        const Promise ofInner;
        inner.write_trace(1, false);
        const Promise ofOuterAgain;
        outer.write_trace(1, false);
        const Promise ofNone;
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
        Promise first;
        Promise second;
        for (int i = 0; i < 3; ++i) {
            first.write_trace(0, true);
            first.write_trace(1, false);
            second.write_trace(0, true);
            const Promise child;
            CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), second.identity());
            second.write_trace(1, false);
        }
        const Promise last;
        CHECK_EQUAL(region.birth(indexOf(last)).parent.load(), kNoIdentity);
    });
}

CT_CASE(aRepeatedResumptionIsOneRun)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise outer;
        Promise inner;
        outer.write_trace(0, true);
        inner.write_trace(0, true);
        inner.write_trace(0, true);
        inner.write_trace(1, false);
        const Promise child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), outer.identity());
    });
}

CT_CASE(aFirstSuspensionEndsNoOtherRun)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise outer;
        outer.write_trace(0, true);
        Promise eager;  // runs at once, but its start is not traced
        eager.write_trace(1, false);
        const Promise child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), outer.identity());
    });
}

CT_CASE(aCoroutineThatFinishedOrDiedIsNoParent)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise outer;
        outer.write_trace(0, true);
        Promise finished;
        finished.write_trace(0, true);
        finished.finished();
        const Promise afterFinish;
        {
            Promise gone;
            gone.write_trace(0, true);
        }
        const Promise afterDeath;
        const std::vector<std::uint64_t> expected{outer.identity(), outer.identity()};
        CHECK(parentsOf(region, afterFinish, afterDeath) == expected);
    });
}

CT_CASE(aCoroutineThatDiedOnAnotherThreadIsNoParent)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        auto gone = std::make_unique<Promise>();
        gone->write_trace(0, true);
        std::thread([&] { gone.reset(); }).join();
        const Promise child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), kNoIdentity);
    });
}

CT_CASE(aCoroutineThatRunsOnAnotherThreadIsNoParent)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise moved;
        moved.write_trace(0, true);
        std::thread([&] {
            moved.write_trace(1, false);
            moved.write_trace(0, true);
        }).join();
        const Promise child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), kNoIdentity);
    });
}

CT_CASE(noCoroutineIsSeenRunningWhileTracingIsOff)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise promise;
        promise.write_trace(0, true);
        corotracer::enable(false);
        promise.write_trace(1, false);  // not seen
        corotracer::enable(true);
        const Promise child;
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), kNoIdentity);
        promise.write_trace(0, true);
        const Promise later;
        CHECK_EQUAL(region.birth(indexOf(later)).parent.load(), promise.identity());
    });
}

CT_CASE(usesOfObjectsNameTheRunningCoroutine)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        int object = 0;
        Promise promise;
        promise.write_trace(1, false);
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

}  // namespace
