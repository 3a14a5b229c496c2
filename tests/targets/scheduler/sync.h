// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scheduler.h"

#include <coroutine>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace sched {

/// An event that happens once. Coroutines that await it later continue at once. Thread-safe.
class Event {
public:
    explicit Event(Scheduler &scheduler) : m_scheduler(scheduler) {}

    void set()
    {
        std::vector<std::coroutine_handle<>> waiting;
        {
            const std::lock_guard lock(m_mutex);
            m_set = true;
            waiting.swap(m_waiting);
        }
        for (const std::coroutine_handle<> handle : waiting)
            m_scheduler.schedule(handle);
    }

    auto operator co_await()
    {
        struct Awaiter {
            Event &event;
            [[nodiscard]] bool await_ready() const
            {
                const std::lock_guard lock(event.m_mutex);
                return event.m_set;
            }
            [[nodiscard]] bool await_suspend(std::coroutine_handle<> self) const
            {
                const std::lock_guard lock(event.m_mutex);
                if (event.m_set)
                    return false;
                event.m_waiting.push_back(self);
                return true;
            }
            void await_resume() const noexcept {}
        };
        return Awaiter{*this};
    }

private:
    Scheduler &m_scheduler;
    std::mutex m_mutex;
    bool m_set = false;
    std::vector<std::coroutine_handle<>> m_waiting;
};

/// A semaphore. Coroutines that find no permit wait in order of arrival. Thread-safe.
class Semaphore {
public:
    Semaphore(Scheduler &scheduler, std::size_t permits) : m_scheduler(scheduler), m_permits(permits) {}

    void release()
    {
        std::coroutine_handle<> next;
        {
            const std::lock_guard lock(m_mutex);
            if (m_waiting.empty()) {
                ++m_permits;
                return;
            }
            next = m_waiting.front();
            m_waiting.pop_front();
        }
        m_scheduler.schedule(next);
    }

    /// co_await semaphore.acquire(): the coroutine owns a permit until release() is called.
    [[nodiscard]] auto acquire()
    {
        struct Awaiter {
            Semaphore &semaphore;
            [[nodiscard]] bool await_ready() const
            {
                const std::lock_guard lock(semaphore.m_mutex);
                return semaphore.acquirePermit();
            }
            [[nodiscard]] bool await_suspend(std::coroutine_handle<> self) const
            {
                const std::lock_guard lock(semaphore.m_mutex);
                if (semaphore.acquirePermit())
                    return false;
                semaphore.m_waiting.push_back(self);
                return true;
            }
            void await_resume() const noexcept {}
        };
        return Awaiter{*this};
    }

private:
    [[nodiscard]] bool acquirePermit()
    {
        if (m_permits == 0)
            return false;
        --m_permits;
        return true;
    }

    Scheduler &m_scheduler;
    std::mutex m_mutex;
    std::size_t m_permits;
    std::deque<std::coroutine_handle<>> m_waiting;
};

}  // namespace sched
