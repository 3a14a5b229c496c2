// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "reactor.h"
#include "runqueue.h"
#include "task.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

namespace sched {

/// Runs many coroutines on few threads: a run queue for each worker, stealing between them, and a reactor thread that
/// turns readiness of descriptors and passing of time into resumptions.
class Scheduler {
public:
    explicit Scheduler(unsigned workers, Registration registration = Registration::RetryFirst);
    /// Stops; then destroys the frames of tasks that never ended.
    ~Scheduler();
    Scheduler(const Scheduler &) = delete;
    Scheduler &operator=(const Scheduler &) = delete;

    /// Starts a task that nobody awaits. An exception that leaves it ends the program. Any thread.
    void spawn(Task<> task);

    /// Has a worker resume a suspended coroutine, exactly once. Any thread.
    void schedule(std::coroutine_handle<> ready);

    /// Waits until every spawned task has ended, at most so long; false when some have not. Not on a worker.
    [[nodiscard]] bool waitUntilIdle(std::chrono::nanoseconds atMost);
    [[nodiscard]] std::size_t tasksAlive();

    /// Joins all threads once their current coroutine suspends. Nothing is resumed afterwards. Idempotent; not on a
    /// worker.
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

    // Sleeping workers. seq_cst on both counters: a worker announces itself in m_idle and then looks at m_queued, a
    // producer adds to m_queued and then looks at m_idle; one of them sees the other.
    std::mutex m_idleMutex;
    std::condition_variable m_wake;
    std::atomic<std::size_t> m_queued{0};
    std::atomic<unsigned> m_idle{0};
    std::atomic<bool> m_stopping{false};

    std::mutex m_rootsMutex;
    std::condition_variable m_allEnded;
    std::unordered_set<void *> m_roots;  ///< frames of spawned tasks, guarded by m_rootsMutex
    std::size_t m_alive = 0;             ///< of these, those whose end is not over yet; the same
};

/// co_await yield(scheduler): to the end of a run queue, so that others get their turn.
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

/// co_await sleepFor(scheduler, 20ms): not resumed earlier; a millisecond or so later.
struct Sleep {
    Scheduler &scheduler;
    std::chrono::nanoseconds duration;
    [[nodiscard]] bool await_ready() const noexcept { return duration.count() <= 0; }
    void await_suspend(std::coroutine_handle<> self) const
    {
        scheduler.reactor().resumeAt(Reactor::Clock::now() + duration, self);
    }
    void await_resume() const noexcept {}
};
[[nodiscard]] inline Sleep sleepFor(Scheduler &scheduler, std::chrono::nanoseconds duration)
{
    return {scheduler, duration};
}

}  // namespace sched
