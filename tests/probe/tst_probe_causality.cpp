// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a coroutine awaits, that it finished, and its wakers: the contents of lanes and compact stations.
#include "tests/probe/causalitytest.h"

#include <chrono>
#include <coroutine>

namespace {

using namespace lanetest;
using probetest::inChild;

std::vector<Record> waitsOn(const Region &region, std::uint8_t kind)
{
    return ofKind(region, static_cast<std::uint8_t>(kRecordWaitsOn + kind));
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

static_assert(!corotracer::detail::shows_all_suspensions<Task::promise_type>);

}  // namespace
