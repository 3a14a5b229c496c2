// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "corotracer/traced.h"
#include "reactor.h"
#include "runqueue.h"
#include "task.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

namespace sched {

/// Runs many coroutines on few threads. Each worker has a run queue and steals from the others. A reactor thread
/// schedules coroutines when descriptors are ready or timers expire.
class Scheduler {
public:
    explicit Scheduler(unsigned workers, Registration registration = Registration::RetryFirst);
    /// Calls stop(), then destroys the frames of tasks that did not end.
    ~Scheduler();
    Scheduler(const Scheduler &) = delete;
    Scheduler &operator=(const Scheduler &) = delete;

    /// Starts a task that is not awaited. An exception that leaves the task ends the program. Callable from any thread.
    void spawn(Task<> task);

    /// Schedules one resumption of a suspended coroutine, on any worker. Callable from any thread.
    void schedule(std::coroutine_handle<> ready);

    /// Waits at most `atMost` until every spawned task has ended. Returns false if some have not. Not callable on a
    /// worker.
    [[nodiscard]] bool waitUntilIdle(std::chrono::nanoseconds atMost);
    [[nodiscard]] std::size_t tasksAlive();

    /// The number of calls of schedule(). Callable from any thread.
    [[nodiscard]] std::uint64_t scheduled() const { return m_scheduled.load(std::memory_order_relaxed); }
    /// The number of coroutines in the run queues. Callable from any thread.
    [[nodiscard]] std::size_t queued() const { return m_queued.load(std::memory_order_relaxed); }

    /// Joins all threads once their current coroutines suspend. Nothing is resumed afterwards. Idempotent. Not callable
    /// on a worker.
    void stop();

    [[nodiscard]] Reactor &reactor() { return m_reactor; }

private:
    class Root;

    static Root runRoot(Scheduler &scheduler, Task<> task);
    void retire(std::coroutine_handle<> root);
    void work(unsigned index);
    [[nodiscard]] std::coroutine_handle<> next(unsigned index);

    Reactor m_reactor;
    std::vector<std::unique_ptr<RunQueue>> m_queues;
    std::vector<std::thread> m_workers;
    std::atomic<unsigned> m_nextQueue{0};
    std::atomic<std::uint64_t> m_scheduled{0};

    // Sleeping workers. Both counters are seq_cst: a worker raises m_idle and then loads m_queued; a producer raises
    // m_queued and then loads m_idle. At least one of the two sees the other's store.
    std::mutex m_idleMutex;
    std::condition_variable m_wake;
    std::atomic<std::size_t> m_queued{0};
    std::atomic<unsigned> m_idle{0};
    std::atomic<bool> m_stopping{false};

    std::mutex m_rootsMutex;
    std::condition_variable m_allEnded;
    std::unordered_set<void *> m_roots;  ///< frames of spawned tasks, guarded by m_rootsMutex
    std::size_t m_alive = 0;             ///< spawned tasks that have not fully ended, guarded by m_rootsMutex
};

/// co_await yield(scheduler): moves to the end of a run queue, to let other coroutines run.
struct Yield {
    Scheduler &scheduler;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) const { scheduler.schedule(self); }
    void await_resume() const noexcept {}
};
[[nodiscard]] inline Yield yield(Scheduler &scheduler)
{
    return {scheduler};
}

struct Sleep {
    Scheduler &scheduler;
    Reactor::Clock::time_point until;
    [[nodiscard]] bool await_ready() const noexcept { return until <= Reactor::Clock::now(); }
    void await_suspend(std::coroutine_handle<> self) const { scheduler.reactor().resumeAt(until, self); }
    void await_resume() const noexcept {}
};
/// co_await sleepFor(scheduler, 20ms): never resumes early, usually about 1 ms late.
[[nodiscard]] inline auto sleepFor(Scheduler &scheduler, std::chrono::nanoseconds duration)
{
    const Reactor::Clock::time_point until = Reactor::Clock::now() + duration;
    return corotracer::awaiting(until, Sleep{scheduler, until});
}

}  // namespace sched
