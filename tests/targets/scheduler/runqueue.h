// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <deque>
#include <mutex>

namespace sched {

/// The coroutines one worker is to resume. Its worker takes the oldest, thieves take the newest. Any thread.
class alignas(64) RunQueue {
public:
    void push(std::coroutine_handle<> ready)
    {
        const std::lock_guard lock(m_mutex);
        m_ready.push_back(ready);
    }

    [[nodiscard]] std::coroutine_handle<> takeOldest()
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
        // A queue that is in use is not worth waiting for: there are others, and the caller comes back.
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
