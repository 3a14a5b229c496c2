// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler.h"

#include <algorithm>
#include <exception>

namespace sched {

namespace {

/// The scheduler and the worker index of this thread.
struct Identity {
    const Scheduler *scheduler = nullptr;
    unsigned index = 0;
};
thread_local Identity self;

}  // namespace

/// The untraced coroutine around a spawned task. It awaits the task and destroys itself.
class Scheduler::Root {
public:
    struct promise_type {
        promise_type(Scheduler &owner, const Task<> &) : scheduler(owner) {}
        Root get_return_object() { return Root(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept
        {
            struct Retire {
                [[nodiscard]] bool await_ready() const noexcept { return false; }
                void await_suspend(std::coroutine_handle<promise_type> root) const noexcept
                {
                    root.promise().scheduler.retire(root);
                }
                void await_resume() const noexcept {}
            };
            return Retire{};
        }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }

        Scheduler &scheduler;
    };

    explicit Root(std::coroutine_handle<> root) : handle(root) {}

    std::coroutine_handle<> handle;
};

Scheduler::Root Scheduler::runRoot(Scheduler &, Task<> task)
{
    co_await std::move(task);
}

Scheduler::Scheduler(unsigned workers, Registration registration)
    : m_reactor([this](std::coroutine_handle<> ready) { schedule(ready); }, registration)
{
    for (unsigned i = 0; i < std::max(workers, 1U); ++i)
        m_queues.push_back(std::make_unique<RunQueue>());
    m_reactor.start();
    for (unsigned i = 0; i < m_queues.size(); ++i)
        m_workers.emplace_back(&Scheduler::work, this, i);
}

Scheduler::~Scheduler()
{
    stop();
    // Frames own sockets, whose destructors call the reactor. So the reactor is destroyed after the frames.
    const std::unordered_set<void *> unfinished = std::exchange(m_roots, {});
    for (void *frame : unfinished)
        std::coroutine_handle<>::from_address(frame).destroy();
}

void Scheduler::spawn(Task<> task)
{
    const std::coroutine_handle<> root = runRoot(*this, std::move(task)).handle;
    {
        const std::lock_guard lock(m_rootsMutex);
        m_roots.insert(root.address());
        ++m_alive;
    }
    schedule(root);
}

void Scheduler::retire(std::coroutine_handle<> root)
{
    {
        // Erase before the frame is destroyed: the next frame may get the same address.
        const std::lock_guard lock(m_rootsMutex);
        m_roots.erase(root.address());
    }
    root.destroy();
    const std::lock_guard lock(m_rootsMutex);
    if (--m_alive == 0)
        m_allEnded.notify_all();
}

void Scheduler::schedule(std::coroutine_handle<> ready)
{
    const bool onWorker = self.scheduler == this;
    const unsigned index = onWorker ? self.index : m_nextQueue.fetch_add(1, std::memory_order_relaxed);
    m_scheduled.fetch_add(1, std::memory_order_relaxed);
    m_queues[index % m_queues.size()]->push(ready);
    m_queued.fetch_add(1, std::memory_order_seq_cst);
    if (m_idle.load(std::memory_order_seq_cst) == 0)
        return;
    {
        // A worker holds this mutex between its load of m_queued and its sleep.
        const std::lock_guard lock(m_idleMutex);
    }
    m_wake.notify_one();
}

void Scheduler::work(unsigned index)
{
    self = {this, index};
    while (!m_stopping.load(std::memory_order_acquire)) {
        if (const std::coroutine_handle<> ready = next(index)) {
            m_queued.fetch_sub(1, std::memory_order_seq_cst);
            ready.resume();
            continue;
        }
        std::unique_lock lock(m_idleMutex);
        m_idle.fetch_add(1, std::memory_order_seq_cst);
        m_wake.wait(lock, [this] {
            return m_queued.load(std::memory_order_seq_cst) != 0 || m_stopping.load(std::memory_order_acquire);
        });
        m_idle.fetch_sub(1, std::memory_order_seq_cst);
    }
}

std::coroutine_handle<> Scheduler::next(unsigned index)
{
    std::coroutine_handle<> ready = m_queues[index]->popOldest();
    for (std::size_t i = 1; !ready && i < m_queues.size(); ++i)
        ready = m_queues[(index + i) % m_queues.size()]->steal();
    return ready;
}

bool Scheduler::waitUntilIdle(std::chrono::nanoseconds atMost)
{
    std::unique_lock lock(m_rootsMutex);
    return m_allEnded.wait_for(lock, atMost, [this] { return m_alive == 0; });
}

std::size_t Scheduler::tasksAlive()
{
    const std::lock_guard lock(m_rootsMutex);
    return m_alive;
}

void Scheduler::stop()
{
    m_reactor.stop();
    {
        const std::lock_guard lock(m_idleMutex);
        m_stopping.store(true, std::memory_order_release);  // partner: the acquire loads in work()
    }
    m_wake.notify_all();
    for (std::thread &worker : m_workers) {
        if (worker.joinable())
            worker.join();
    }
}

}  // namespace sched
