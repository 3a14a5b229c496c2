// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "reactor.h"
#include "task.h"

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace corpus {

/// Defects that a program may order from its pool.
enum class PoolFault : std::uint8_t {
    None,
    LosesTaken,      ///< an entry that is taken from a queue of two or more is lost, once
    DropsOverflow,   ///< a queue with eight entries drops the next one, once
    ForgetsWorkers,  ///< after a while, no sleeping worker is notified any more
    NewestFirst,     ///< queues are stacks: old entries wait as long as new ones come
};

/// Runs tasks on a few threads that steal from one another. Reports the wakes.
class Pool {
public:
    explicit Pool(unsigned threads, PoolFault fault = PoolFault::None);
    /// Ends the threads. Frames of unfinished tasks stay.
    ~Pool();
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    /// Starts a task that destroys itself at its end.
    void start(Task<> task);
    /// Starts a task of which somebody else keeps the frame.
    void startKept(Waiter task) { wake(task); }
    /// Reports the wake of a suspended coroutine, and resumes it on any thread.
    void wake(const Waiter &waiter);
    void wakeAll(const std::vector<Waiter> &waiters);
    /// As wake, without a report.
    void schedule(const Waiter &waiter);
    /// Waits until all started tasks have ended.
    void join();
    /// As join, for at most so long. Returns whether all have ended.
    bool joinFor(std::chrono::nanoseconds atMost);

    [[nodiscard]] Reactor &reactor() { return m_reactor; }
    void onTaskEnded();

private:
    void work(unsigned index);
    [[nodiscard]] Waiter next(unsigned index);
    [[nodiscard]] Waiter take(std::deque<Waiter> &queue, bool steals);
    void enqueue(std::deque<Waiter> &queue, const Waiter &waiter);

    const PoolFault m_fault;
    std::vector<std::deque<Waiter>> m_queues;  ///< guarded by m_mutex

    std::mutex m_mutex;
    std::condition_variable m_hasWork;
    std::condition_variable m_hasEnded;
    std::size_t m_queued = 0;  ///< guarded by m_mutex, as all to m_hasFailed
    std::size_t m_alive = 0;
    bool m_isStopping = false;
    unsigned m_nextQueue = 0;
    std::uint64_t m_wakes = 0;
    bool m_hasFailed = false;  ///< the fault has happened

    Reactor m_reactor;
    std::vector<std::thread> m_threads;
};

/// co_await yield(pool): lets others run.
[[nodiscard]] inline auto yield(Pool &pool)
{
    return park(std::nullopt, [&pool](const Waiter &self) {
        pool.wake(self);
        return true;
    });
}

[[nodiscard]] inline auto sleepUntil(Pool &pool, Reactor::Clock::time_point when)
{
    return park(corotracer::waited(when), [&pool, when](const Waiter &self) {
        pool.reactor().wakeAt(when, self);
        return true;
    });
}
[[nodiscard]] inline auto sleepFor(Pool &pool, std::chrono::nanoseconds duration)
{
    return sleepUntil(pool, Reactor::Clock::now() + duration);
}

/// co_await readable(pool, fd): until there is something to read, or the peer has hung up.
[[nodiscard]] inline auto readable(Pool &pool, int fd)
{
    return park(corotracer::waited(corotracer::wait::descriptor, fd), [&pool, fd](const Waiter &self) {
        pool.reactor().wakeWhenReadable(fd, self);
        return true;
    });
}

}  // namespace corpus
