// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <deque>
#include <mutex>

namespace sched {

/// The ready coroutines of one worker. Its worker pops the oldest; other workers steal the newest. Thread-safe.
class alignas(64) RunQueue {
public:
    void push(std::coroutine_handle<> ready)
    {
        const std::lock_guard lock(m_mutex);
        m_ready.push_back(ready);
    }

    [[nodiscard]] std::coroutine_handle<> popOldest()
    {
        const std::lock_guard lock(m_mutex);
        if (m_ready.empty())
            return nullptr;
        const std::coroutine_handle<> oldest = m_ready.front();
        m_ready.pop_front();
        return oldest;
    }

    [[nodiscard]] std::coroutine_handle<> steal()
    {
        // Do not wait for a locked queue: there are other queues, and the caller tries again.
        const std::unique_lock lock(m_mutex, std::try_to_lock);
        if (!lock || m_ready.empty())
            return nullptr;
        const std::coroutine_handle<> newest = m_ready.back();
        m_ready.pop_back();
        return newest;
    }

private:
    std::mutex m_mutex;
    std::deque<std::coroutine_handle<>> m_ready;
};

}  // namespace sched
