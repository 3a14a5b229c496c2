// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simplescheduler.h"

#include "stop.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace targets {

SimpleScheduler::SimpleScheduler(const std::vector<std::coroutine_handle<>> &coroutines, unsigned threads)
    : m_threads(std::max(threads, 1U)), m_unfinished(coroutines.size())
{
    // Several batches per thread, so coroutines change threads. Large batches, so the lock costs little.
    const std::size_t size = std::clamp<std::size_t>(coroutines.size() / (4 * m_threads), 1, 64);
    for (std::size_t first = 0; first < coroutines.size(); first += size) {
        const auto begin = coroutines.begin() + static_cast<std::ptrdiff_t>(first);
        const std::size_t length = std::min(size, coroutines.size() - first);
        m_ready.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
    }
}

void SimpleScheduler::run()
{
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < m_threads; ++i)
        threads.emplace_back(&SimpleScheduler::work, this);
    for (std::thread &thread : threads)
        thread.join();
}

void SimpleScheduler::work()
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::uint64_t resumed = 0;
    Batch batch;
    while (take(batch)) {
        for (const std::coroutine_handle<> handle : batch)
            handle.resume();
        resumed += batch.size();
        putBack(std::move(batch));
        if (m_perSecond != 0) {
            const std::uint64_t dueNs = resumed * m_threads * 1'000'000'000U / m_perSecond;
            sleepUnlessStopped(start + std::chrono::nanoseconds(dueNs) - Clock::now());
        }
    }
}

bool SimpleScheduler::take(Batch &batch)
{
    std::unique_lock lock(m_mutex);
    // A stop needs no notification: the waiting thread is notified when another thread puts its batch back.
    m_changed.wait(lock, [this] { return !m_ready.empty() || m_unfinished == 0 || stopRequested(); });
    if (m_ready.empty() || stopRequested())
        return false;
    batch = std::move(m_ready.front());
    m_ready.pop_front();
    return true;
}

void SimpleScheduler::putBack(Batch batch)
{
    const auto firstDone = std::stable_partition(batch.begin(), batch.end(),
                                                 [](std::coroutine_handle<> handle) { return !handle.done(); });
    const auto done = static_cast<std::size_t>(batch.end() - firstDone);
    batch.erase(firstDone, batch.end());
    {
        const std::lock_guard lock(m_mutex);
        m_unfinished -= done;
        if (!batch.empty())
            m_ready.push_back(std::move(batch));
    }
    m_changed.notify_all();
}

}  // namespace targets
