// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/backgroundworker.h"

#include "core/base/startthread.h"

#include <pthread.h>
#include <utility>

namespace ct {

BackgroundWorker::~BackgroundWorker()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_changed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

bool BackgroundWorker::start(std::function<void()> work)
{
    if (!m_thread.joinable() && !startThread(m_thread, [this] { run(); }))
        return false;
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back(std::move(work));
    }
    m_changed.notify_all();
    return true;
}

void BackgroundWorker::waitForDone()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_queue.empty() && !m_busy; });
}

void BackgroundWorker::run()
{
    (void)pthread_setname_np(pthread_self(), "worker");
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_ending || !m_queue.empty(); });
        if (m_queue.empty())
            return;
        const std::function<void()> work = std::move(m_queue.front());
        m_queue.pop_front();
        m_busy = true;
        lock.unlock();
        work();
        lock.lock();
        m_busy = false;
        m_changed.notify_all();
    }
}

}  // namespace ct
