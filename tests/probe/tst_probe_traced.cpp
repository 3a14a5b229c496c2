// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The wrappers Traced and awaiting(): what they report, and that the wrapped objects work as before.
#include "corotracer/traced.h"
#include "tests/probe/lanetest.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>

namespace {

using namespace lanetest;
using probetest::inChild;

/// All records of uses and waits, in the order of the lane: "acquired A 2" is the object and the number of events.
std::vector<std::string> reported(const Region &region, const std::map<std::uint64_t, std::string> &names)
{
    const std::map<std::uint8_t, std::string> kinds{
        {kRecordAcquired, "acquired"},
        {kRecordReleased, "released"},
        {kRecordSignalled, "signalled"},
        {kRecordWaitsOn + std::uint8_t{kWaitLock}, "lock"},
        {kRecordWaitsOn + std::uint8_t{kWaitChannel}, "channel"},
        {kRecordWaitsOn + std::uint8_t{kWaitDescriptor}, "descriptor"},
        {kRecordWaitsOn + std::uint8_t{kWaitTimer}, "timer"},
        {kRecordWaitsOn + std::uint8_t{kWaitOther}, "other"},
    };
    std::vector<std::string> result;
    for (const Record &record : peek(region, 0)) {
        const auto kind = kinds.find(record.kind);
        if (kind == kinds.end())
            continue;
        const auto name = names.find(record.arg);
        const std::string object = name != names.end() ? name->second : std::to_string(record.arg);
        result.push_back(kind->second + ' ' + object + ' ' + std::to_string(record.n));
    }
    return result;
}

template <class T>
std::uint64_t addressOf(corotracer::Traced<T> &object)
{
    return reinterpret_cast<std::uintptr_t>(&*object);
}

struct Task {
    struct promise_type : corotracer::PromiseMixin {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        auto initial_suspend() { return trace_initial_suspend(); }
        auto final_suspend() noexcept { return trace_final_suspend(); }
        void return_void() {}
        void unhandled_exception() { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};

/// Awaits until it is ready. Its result is move-only.
struct Turn {
    bool *ready = nullptr;
    std::coroutine_handle<> *waiter = nullptr;
    bool await_ready() const { return *ready; }
    void await_suspend(std::coroutine_handle<> self) const { *waiter = self; }
    std::unique_ptr<int> await_resume() const { return std::make_unique<int>(7); }
};

/// A mutex and a channel for coroutines, as simple as can be.
struct CoroutineMutex {
    bool ready = false;
    std::coroutine_handle<> waiter;
    Turn lock() { return {&ready, &waiter}; }
    void unlock() { ready = true; }
};
struct Channel {
    explicit Channel(std::size_t limit) : most(limit) {}
    std::size_t most;
    std::deque<std::unique_ptr<int>> values;
    bool ready = false;
    std::coroutine_handle<> waiter;
    bool send(std::unique_ptr<int> value)
    {
        if (values.size() == most)
            return false;
        values.push_back(std::move(value));
        return true;
    }
    Turn receive() { return {&ready, &waiter}; }
};

CT_CASE(blockingObjectsReportWhatTheyDo)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::Traced<std::mutex> mutex;
        corotracer::Traced<std::binary_semaphore> semaphore(1);
        corotracer::Traced<std::condition_variable> condition;
        lanetest::Traced promise;
        corotracer::detail::promise_access::shows_all_suspensions(promise);
        promise.write_trace(0, true);
        {
            const std::unique_lock lock(mutex);
            CHECK(!mutex.try_lock());
            condition.notify_one();
        }
        semaphore.acquire();
        CHECK(!semaphore.try_acquire());
        semaphore.release();
        CHECK(semaphore.try_acquire());
        condition.notify_all();
        const std::vector<std::string> expected{"acquired mutex 1",     "signalled condition 1", "released mutex 1",
                                                "acquired semaphore 1", "released semaphore 1",  "acquired semaphore 1",
                                                "signalled condition 1"};
        CHECK(reported(region, {{addressOf(mutex), "mutex"},
                                {addressOf(semaphore), "semaphore"},
                                {addressOf(condition), "condition"}}) == expected);
    });
}

Task useMutex(corotracer::Traced<CoroutineMutex> &mutex)
{
    std::unique_ptr<int> result = co_await mutex.lock();  // waits
    CHECK_EQUAL(*result, 7);
    mutex.unlock();
    result = co_await mutex.lock();  // is ready
    CHECK_EQUAL(*result, 7);
}

CT_CASE(anAwaitedLockIsAcquiredWhenItIsThere)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::Traced<CoroutineMutex> mutex;
        const Task task = useMutex(mutex);
        task.handle.resume();
        mutex->waiter.resume();
        CHECK(task.handle.done());
        const std::vector<std::string> expected{"lock mutex 2", "acquired mutex 4", "released mutex 4",
                                                "acquired mutex 4"};
        CHECK(reported(region, {{addressOf(mutex), "mutex"}}) == expected);
        task.handle.destroy();
    });
}

/// Its awaiter points into itself, and so does its result.
struct Pinned {
    struct Guard {
        explicit Guard(Pinned *owner) : mutex(owner) {}
        Guard(const Guard &) = delete;
        Guard &operator=(const Guard &) = delete;
        Pinned *mutex;
    };
    struct Waiter {
        explicit Waiter(Pinned *owner) : mutex(owner), self(this) {}
        Waiter(const Waiter &) = delete;
        Waiter &operator=(const Waiter &) = delete;
        bool await_ready() const { return false; }
        void await_suspend(std::coroutine_handle<> handle) const { mutex->waiter = handle; }
        Guard await_resume() const
        {
            CHECK(self == this);
            return Guard(mutex);
        }
        Pinned *mutex;
        Waiter *self;
    };
    std::coroutine_handle<> waiter;
    Waiter lock() { return Waiter(this); }
};

Task usePinned(corotracer::Traced<Pinned> &mutex)
{
    const Pinned::Guard guard = co_await mutex.lock();
    CHECK(guard.mutex == &*mutex);
}

CT_CASE(awaitersAndResultsNeedNotMove)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::Traced<Pinned> mutex;
        const Task task = usePinned(mutex);
        task.handle.resume();
        mutex->waiter.resume();
        CHECK(task.handle.done());
        CHECK(reported(region, {{addressOf(mutex), "mutex"}}) ==
              (std::vector<std::string>{"lock mutex 2", "acquired mutex 4"}));
        task.handle.destroy();
    });
}

/// Acquisitions that fail: by a bool, by an empty object, by an exception.
struct Failing {
    struct Soon {
        bool result;
        bool await_ready() const { return true; }
        void await_suspend(std::coroutine_handle<>) const {}
        bool await_resume() const { return result; }
    };
    Soon acquire() { return {false}; }
    Soon try_acquire() { return {true}; }
    std::unique_ptr<int> try_lock() { return {}; }
    int lock() { throw 1; }
    std::unique_ptr<int> try_lock_for(int) { return std::make_unique<int>(1); }
};

Task useFailing(corotracer::Traced<Failing> &object)
{
    const bool first = co_await object.acquire();
    const bool second = co_await object.try_acquire();
    CHECK(!first && second);
}

CT_CASE(acquisitionsThatFailAreNotReported)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::Traced<Failing> object;
        const Task task = useFailing(object);
        task.handle.resume();
        CHECK(reported(region, {{addressOf(object), "object"}}) == std::vector<std::string>{"acquired object 2"});
        CHECK(!object.try_lock());
        try {
            (void)object.lock();
            CHECK(false);
        } catch (int) {
        }
        CHECK(reported(region, {}).size() == 1);
        CHECK(*object.try_lock_for(5) == 1);
        CHECK(reported(region, {}).size() == 2);
        task.handle.destroy();
    });
}

CT_CASE(sharedAndTimedMutexes)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::Traced<std::shared_timed_mutex> mutex;
        {
            const std::shared_lock lock(mutex);
            CHECK(!mutex.try_lock_for(std::chrono::nanoseconds(1)));
            const std::shared_lock second(mutex, std::try_to_lock);
            CHECK(second.owns_lock());
        }
        const std::unique_lock lock(mutex, std::chrono::seconds(10));
        CHECK(lock.owns_lock());
        const std::string acquired = "acquired mutex 0";
        const std::string released = "released mutex 0";
        CHECK(reported(region, {{addressOf(mutex), "mutex"}}) ==
              (std::vector<std::string>{acquired, acquired, released, released, acquired}));
    });
}

Task useChannel(corotracer::Traced<Channel> &channel)
{
    CHECK(channel.send(std::make_unique<int>(1)));
    CHECK(!channel.send(std::make_unique<int>(2)));
    (void)co_await channel.receive();
}

CT_CASE(channelsSignalAndWait)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer::Traced<Channel> channel(1U);
        const Task task = useChannel(channel);
        task.handle.resume();
        const std::vector<std::string> expected{"signalled channel 2", "signalled channel 2", "channel channel 2"};
        CHECK(reported(region, {{addressOf(channel), "channel"}}) == expected);
        CHECK_EQUAL(*channel->values.front(), 1);
        task.handle.destroy();
    });
}

/// Gives its awaiter by operator co_await.
struct Indirect {
    Turn turn;
    Turn operator co_await() const { return turn; }
};

Task awaitThings(const Turn &turn)
{
    const auto deadline = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(99));
    (void)co_await corotracer::awaiting(deadline, turn);
    (void)co_await corotracer::awaiting({corotracer::wait::descriptor, 5}, turn);
    (void)co_await corotracer::awaiting({corotracer::wait::descriptor, 6}, Indirect{turn});
}

CT_CASE(awaitingReportsOneWait)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        bool ready = false;
        std::coroutine_handle<> waiter;
        const Turn turn{&ready, &waiter};
        const Task task = awaitThings(turn);
        task.handle.resume();
        waiter.resume();
        waiter.resume();
        waiter.resume();
        CHECK(task.handle.done());
        const std::vector<std::string> expected{"timer 99 2", "descriptor 5 4", "descriptor 6 6"};
        CHECK(reported(region, {}) == expected);
        task.handle.destroy();
    });
}

CT_CASE(withoutAnEngineNothingChanges)
{
    corotracer::Traced<std::mutex> mutex;
    mutex.lock();
    CHECK(!mutex.try_lock());
    mutex.unlock();
    corotracer::Traced<CoroutineMutex> other;
    const Task task = useMutex(other);
    task.handle.resume();
    other->waiter.resume();
    CHECK(task.handle.done());
    task.handle.destroy();
}

}  // namespace
