// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool.h"

#include <algorithm>

namespace corpus {

namespace {

constexpr std::uint64_t kHealthyWakes = 60;  ///< before a fault
constexpr std::size_t kOverflow = 8;

/// The pool and the queue of this thread.
struct Identity {
    const Pool *pool = nullptr;
    unsigned index = 0;
};
thread_local Identity self;

}  // namespace

void EndOfTask::retire(std::coroutine_handle<> ended, Promise &promise) noexcept
{
    Pool &pool = *promise.owner;
    ended.destroy();
    pool.onTaskEnded();
}

Pool::Pool(unsigned threads, PoolFault fault)
    : m_fault(fault), m_queues(std::max(threads, 1U)), m_reactor([this](const Waiter &waiter) { wake(waiter); })
{
    for (unsigned i = 0; i < m_queues.size(); ++i)
        m_threads.emplace_back(&Pool::work, this, i);
}

Pool::~Pool()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
    }
    m_hasWork.notify_all();
    for (std::thread &thread : m_threads)
        thread.join();
}

void Pool::start(Task<> task)
{
    const Waiter root = task.release();
    root.promise->owner = this;
    {
        const std::lock_guard lock(m_mutex);
        ++m_alive;
    }
    wake(root);
}

void Pool::onTaskEnded()
{
    const std::lock_guard lock(m_mutex);
    if (--m_alive == 0)
        m_hasEnded.notify_all();
}

void Pool::wake(const Waiter &waiter)
{
    if (reportsCauses())
        corotracer::note_wake(*waiter.promise);
    schedule(waiter);
}

void Pool::wakeAll(const std::vector<Waiter> &waiters)
{
    for (const Waiter &waiter : waiters)
        wake(waiter);
}

void Pool::schedule(const Waiter &waiter)
{
    const std::lock_guard lock(m_mutex);
    ++m_wakes;
    const unsigned index = self.pool == this ? self.index : m_nextQueue++ % static_cast<unsigned>(m_queues.size());
    enqueue(m_queues[index], waiter);
    if (m_fault != PoolFault::ForgetsWorkers || m_wakes < kHealthyWakes)
        m_hasWork.notify_one();
}

void Pool::enqueue(std::deque<Waiter> &queue, const Waiter &waiter)
{
    if (m_fault == PoolFault::DropsOverflow && !m_hasFailed && m_wakes >= kHealthyWakes && queue.size() >= kOverflow) {
        m_hasFailed = true;
        return;
    }
    queue.push_back(waiter);
    ++m_queued;
}

void Pool::work(unsigned index)
{
    self = {this, index};
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_hasWork.wait(lock, [this] { return m_queued != 0 || m_isStopping; });
        if (m_isStopping)
            return;
        const Waiter ready = next(index);
        if (!ready)
            continue;
        lock.unlock();
        ready.handle.resume();
        lock.lock();
    }
}

Waiter Pool::next(unsigned index)
{
    const std::size_t count = m_queues.size();
    for (std::size_t i = 0; i < count; ++i)
        if (const Waiter ready = take(m_queues[(index + i) % count], i != 0))
            return ready;
    return {};
}

Waiter Pool::take(std::deque<Waiter> &queue, bool steals)
{
    if (queue.empty())
        return {};
    const bool takesNewest = steals || m_fault == PoolFault::NewestFirst;
    const Waiter taken = takesNewest ? queue.back() : queue.front();
    const bool isLost =
        m_fault == PoolFault::LosesTaken && !m_hasFailed && m_wakes >= kHealthyWakes && queue.size() >= 2;
    if (takesNewest)
        queue.pop_back();
    else
        queue.pop_front();
    --m_queued;
    if (!isLost)
        return taken;
    m_hasFailed = true;
    return {};
}

void Pool::join()
{
    std::unique_lock lock(m_mutex);
    m_hasEnded.wait(lock, [this] { return m_alive == 0; });
}

bool Pool::joinFor(std::chrono::nanoseconds atMost)
{
    std::unique_lock lock(m_mutex);
    return m_hasEnded.wait_for(lock, atMost, [this] { return m_alive == 0; });
}

}  // namespace corpus
