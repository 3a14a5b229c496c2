// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tests of the demonstration's scheduler: it loses nothing, resumes nothing twice, leaks nothing (ASan) and has no data
// races (TSan).
#include "tests/support/check.h"

#include "scheduler/socket.h"
#include "scheduler/sync.h"

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using sched::Registration;
using sched::Scheduler;
using sched::Socket;
using sched::Task;

constexpr auto kPatience = 150s;

Task<int> fibonacci(Scheduler &scheduler, int n)
{
    if (n % 3 == 0)
        co_await yield(scheduler);
    if (n < 2)
        co_return n;
    const int previous = co_await fibonacci(scheduler, n - 1);
    co_return previous + co_await fibonacci(scheduler, n - 2);
}

Task<> storeFibonacci(Scheduler &scheduler, int n, int &result)
{
    result = co_await fibonacci(scheduler, n);
}

Task<> countTurns(Scheduler &scheduler, int turns, std::atomic<int> &counter)
{
    for (int i = 0; i < turns; ++i) {
        counter.fetch_add(1, std::memory_order_relaxed);
        co_await yield(scheduler);
    }
}

Task<int> throwing(Scheduler &scheduler)
{
    co_await yield(scheduler);
    throw std::runtime_error("on purpose");
}

Task<> catching(Scheduler &scheduler, std::string &caught)
{
    try {
        co_await throwing(scheduler);
    } catch (const std::runtime_error &error) {
        caught = error.what();
    }
}

/// A long chain of tasks that end at once: symmetric transfer must not grow the stack.
Task<int> one()
{
    co_return 1;
}
Task<> sumOnes(int count, int &sum)
{
    for (int i = 0; i < count; ++i)
        sum += co_await one();
}

Task<> waitFor(sched::Event &event, std::atomic<int> &woken)
{
    co_await event;
    woken.fetch_add(1, std::memory_order_relaxed);
}

Task<> enter(Scheduler &scheduler, sched::Semaphore &door, std::atomic<int> &inside, std::atomic<int> &most)
{
    for (int i = 0; i < 50; ++i) {
        co_await door.acquire();
        const int now = inside.fetch_add(1, std::memory_order_relaxed) + 1;
        int seen = most.load(std::memory_order_relaxed);
        while (now > seen && !most.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
        }
        co_await yield(scheduler);
        inside.fetch_sub(1, std::memory_order_relaxed);
        door.release();
    }
}

Task<> echo(Socket connection, std::atomic<int> &ended)
{
    std::array<std::byte, 1000> buffer;
    for (;;) {
        const std::size_t received = co_await async_read(connection, buffer);
        if (received == 0 || !co_await async_write(connection, std::span(buffer).first(received)))
            break;
    }
    ended.fetch_add(1, std::memory_order_relaxed);
}

Task<> acceptAll(Scheduler &scheduler, const sched::Listener &listener, std::atomic<int> &ended)
{
    while (std::optional<Socket> connection = co_await async_accept(listener))
        scheduler.spawn(echo(std::move(*connection), ended));
}

Task<> askEcho(Scheduler &scheduler, const std::string &address, std::size_t size, std::atomic<int> &right)
{
    std::optional<Socket> connection = sched::tryConnect(scheduler.reactor(), address);
    while (!connection) {
        co_await sleepFor(scheduler, 1ms);
        connection = sched::tryConnect(scheduler.reactor(), address);
    }
    for (int round = 0; round < 20; ++round) {
        const std::vector<std::byte> sent(size, std::byte(round));
        std::vector<std::byte> received;
        std::array<std::byte, 777> buffer;
        if (!co_await async_write(*connection, sent))
            co_return;
        while (received.size() < size) {
            const std::size_t count = co_await async_read(*connection, buffer);
            if (count == 0)
                co_return;
            received.insert(received.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
        }
        right.fetch_add(sent == received ? 1 : 0, std::memory_order_relaxed);
    }
}

/// Counts a frame as long as it is alive.
struct Alive {
    explicit Alive(std::atomic<int> &frames) : count(frames) { count.fetch_add(1, std::memory_order_relaxed); }
    Alive(const Alive &) = delete;
    ~Alive() { count.fetch_sub(1, std::memory_order_relaxed); }
    std::atomic<int> &count;
};

Task<> waitInside(sched::Event &event, std::atomic<int> &frames)
{
    const Alive alive(frames);
    co_await event;
}

Task<> waitOutside(sched::Event &event, std::atomic<int> &frames)
{
    const Alive alive(frames);
    co_await waitInside(event, frames);
}

}  // namespace

CT_CASE(tasksYieldValuesThroughManySuspensions)
{
    Scheduler scheduler(4);
    std::array<int, 20> results = {};
    for (int &result : results)
        scheduler.spawn(storeFibonacci(scheduler, 12, result));
    REQUIRE(scheduler.waitUntilIdle(kPatience));
    for (const int result : results)
        CHECK_EQUAL(result, 144);
}

CT_CASE(everyTurnOfEveryTaskRunsOnce)
{
    Scheduler scheduler(4);
    std::atomic<int> counter{0};
    for (int i = 0; i < 500; ++i)
        scheduler.spawn(countTurns(scheduler, 100, counter));
    REQUIRE(scheduler.waitUntilIdle(kPatience));
    CHECK_EQUAL(counter.load(), 50'000);
    CHECK_EQUAL(scheduler.tasksAlive(), 0U);
}

CT_CASE(anExceptionReachesTheAwaitingTask)
{
    Scheduler scheduler(2);
    std::string caught;
    scheduler.spawn(catching(scheduler, caught));
    REQUIRE(scheduler.waitUntilIdle(kPatience));
    CHECK_EQUAL(caught, "on purpose");
}

CT_CASE(tasksThatEndAtOnceReturnTheirValues)
{
    Scheduler scheduler(1);
    int sum = 0;
    scheduler.spawn(sumOnes(1000, sum));
    REQUIRE(scheduler.waitUntilIdle(kPatience));
    CHECK_EQUAL(sum, 1000);
}

CT_CASE(anEventWakesAllAndStaysSet)
{
    Scheduler scheduler(3);
    sched::Event event(scheduler);
    std::atomic<int> woken{0};
    for (int i = 0; i < 100; ++i)
        scheduler.spawn(waitFor(event, woken));
    event.set();
    scheduler.spawn(waitFor(event, woken));
    REQUIRE(scheduler.waitUntilIdle(kPatience));
    CHECK_EQUAL(woken.load(), 101);
}

CT_CASE(aSemaphoreAdmitsNoMoreThanItsCount)
{
    Scheduler scheduler(4);
    sched::Semaphore door(scheduler, 3);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    for (int i = 0; i < 40; ++i)
        scheduler.spawn(enter(scheduler, door, inside, most));
    REQUIRE(scheduler.waitUntilIdle(kPatience));
    CHECK_EQUAL(inside.load(), 0);
    CHECK(most.load() >= 1 && most.load() <= 3);
}

CT_CASE(connectionsCarryMessagesOfAnySizeAndEnd)
{
    Scheduler scheduler(4);
    sched::Listener listener(scheduler.reactor(), 4);
    std::atomic<int> ended{0};
    std::atomic<int> right{0};
    Scheduler clients(2);
    scheduler.spawn(acceptAll(scheduler, listener, ended));
    // Sizes from one byte to more than a socket buffer. The answers are as large.
    for (const std::size_t size : {1U, 776U, 777U, 778U, 5'000U, 100'000U, 16U, 16U, 16U, 16U})
        clients.spawn(askEcho(clients, listener.address(), size, right));
    REQUIRE(clients.waitUntilIdle(kPatience));
    listener.close();
    REQUIRE(scheduler.waitUntilIdle(kPatience));
    CHECK_EQUAL(right.load(), 200);
    CHECK_EQUAL(ended.load(), 10);
    CHECK(!sched::tryConnect(scheduler.reactor(), listener.address()).has_value());
}

CT_CASE(sleepersWakeInTheOrderOfTheirTime)
{
    Scheduler scheduler(1);
    std::vector<int> order;
    const auto sleeper = [](Scheduler &owner, int milliseconds, std::vector<int> &woken) -> Task<> {
        co_await sleepFor(owner, std::chrono::milliseconds(milliseconds));
        woken.push_back(milliseconds);
    };
    const auto start = sched::Reactor::Clock::now();
    for (const int milliseconds : {400, 0, 200})
        scheduler.spawn(sleeper(scheduler, milliseconds, order));
    REQUIRE(scheduler.waitUntilIdle(kPatience));
    CHECK(sched::Reactor::Clock::now() - start >= 400ms);
    CHECK(order == std::vector<int>({0, 200, 400}));
}

/// When a wake-up and stop() coincide, the reactor must still notice the stop.
CT_CASE(aBusyReactorStops)
{
    for (int round = 0; round < 500; ++round) {
        sched::Reactor reactor([](std::coroutine_handle<>) {}, Registration::RetryFirst);
        reactor.start();
        std::atomic<bool> over{false};
        std::thread busy([&] {
            while (!over.load(std::memory_order_relaxed))
                reactor.resumeAt(sched::Reactor::Clock::now() + 1h, nullptr);
        });
        std::this_thread::yield();
        over.store(true, std::memory_order_relaxed);
        reactor.stop();
        busy.join();
    }
}

CT_CASE(unfinishedTasksAreDestroyedWithTheScheduler)
{
    std::atomic<int> frames{0};
    {
        Scheduler scheduler(2);
        sched::Event never(scheduler);
        for (int i = 0; i < 10; ++i)
            scheduler.spawn(waitOutside(never, frames));
        while (frames.load(std::memory_order_relaxed) != 20)
            std::this_thread::yield();
        CHECK(!scheduler.waitUntilIdle(0s));
        CHECK_EQUAL(scheduler.tasksAlive(), 10U);
        scheduler.stop();  // before the event that they wait for is destroyed
    }
    CHECK_EQUAL(frames.load(), 0);
}
