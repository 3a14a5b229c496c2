// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Objects that coroutines wait for. All are correct, and report what is done with them. The broken ones are in the
// programs.
#pragma once

#include "pool.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace corpus {

/// An event that, once set, stays set. Wakes all.
class Event {
public:
    explicit Event(Pool &pool) : m_pool(pool) {}

    void set(corotracer::location where = corotracer::location::current())
    {
        std::vector<Waiter> waiting;
        {
            const std::lock_guard lock(m_mutex);
            m_isSet = true;
            waiting.swap(m_waiting);
            reportSignal(this, where);
        }
        m_pool.wakeAll(waiting);
    }
    [[nodiscard]] auto wait()
    {
        return park(corotracer::waited(corotracer::wait::other, this), [this](const Waiter &self) {
            const std::lock_guard lock(m_mutex);
            if (!m_isSet)
                m_waiting.push_back(self);
            return !m_isSet;
        });
    }

private:
    Pool &m_pool;
    std::mutex m_mutex;
    bool m_isSet = false;  ///< guarded by m_mutex, as m_waiting
    std::vector<Waiter> m_waiting;
};

/// Permits; with one permit, a lock. Gives a released permit to the coroutine that has waited longest.
class Semaphore {
public:
    Semaphore(Pool &pool, std::size_t permits) : m_pool(pool), m_permits(permits) {}

    void release(corotracer::location where = corotracer::location::current())
    {
        Waiter next;
        {
            const std::lock_guard lock(m_mutex);
            reportReleased(this, where);
            if (m_waiting.empty()) {
                ++m_permits;
                return;
            }
            next = m_waiting.front();
            m_waiting.pop_front();
        }
        m_pool.wake(next);
    }

    class Acquire {
    public:
        Acquire(Semaphore &semaphore, corotracer::location where) : m_semaphore(semaphore), m_where(where) {}
        [[nodiscard]] bool await_ready() const
        {
            const std::lock_guard lock(m_semaphore.m_mutex);
            return m_semaphore.takesPermit();
        }
        template <class P>
        [[nodiscard]] bool await_suspend(std::coroutine_handle<P> self) const
        {
            if (reportsCauses())
                self.promise().waits_on(corotracer::wait::lock, &m_semaphore);
            const std::lock_guard lock(m_semaphore.m_mutex);
            if (m_semaphore.takesPermit())
                return false;
            m_semaphore.m_waiting.push_back({self, &self.promise()});
            return true;
        }
        void await_resume() const { reportAcquired(&m_semaphore, m_where); }

    private:
        Semaphore &m_semaphore;
        corotracer::location m_where;
    };
    /// co_await semaphore.acquire(): the coroutine owns a permit until it calls release().
    [[nodiscard]] Acquire acquire(corotracer::location where = corotracer::location::current())
    {
        return {*this, where};
    }

private:
    [[nodiscard]] bool takesPermit()
    {
        if (m_permits == 0)
            return false;
        --m_permits;
        return true;
    }

    Pool &m_pool;
    std::mutex m_mutex;
    std::size_t m_permits;  ///< guarded by m_mutex, as m_waiting
    std::deque<Waiter> m_waiting;
};

/// A lock for coroutines.
class Mutex : public Semaphore {
public:
    explicit Mutex(Pool &pool) : Semaphore(pool, 1) {}
};

/// A queue of limited length. Wakes one receiver for each value, and one sender for each free place.
template <class T>
class Channel {
public:
    Channel(Pool &pool, std::size_t length) : m_pool(pool), m_length(length) {}

    /// Whether the value was taken; else `value` is unchanged.
    [[nodiscard]] bool trySend(T &value, corotracer::location where = corotracer::location::current())
    {
        Waiter receiver;
        {
            const std::lock_guard lock(m_mutex);
            if (m_values.size() >= m_length)
                return false;
            m_values.push_back(std::move(value));
            reportSignal(this, where);
            receiver = pop(m_receivers);
        }
        if (receiver)
            m_pool.wake(receiver);
        return true;
    }
    [[nodiscard]] std::optional<T> tryReceive(corotracer::location where = corotracer::location::current())
    {
        std::optional<T> value;
        Waiter sender;
        {
            const std::lock_guard lock(m_mutex);
            if (m_values.empty())
                return value;
            value = std::move(m_values.front());
            m_values.pop_front();
            reportSignal(&m_senders, where);
            sender = pop(m_senders);
        }
        if (sender)
            m_pool.wake(sender);
        return value;
    }
    /// Wakes all who wait; isClosed() from then on.
    void close(corotracer::location where = corotracer::location::current())
    {
        std::deque<Waiter> waiting;
        {
            const std::lock_guard lock(m_mutex);
            m_isClosed = true;
            reportSignal(this, where);
            waiting.swap(m_receivers);
        }
        for (const Waiter &waiter : waiting)
            m_pool.wake(waiter);
    }
    [[nodiscard]] bool isClosed()
    {
        const std::lock_guard lock(m_mutex);
        return m_isClosed;
    }
    /// co_await channel.filled(): until tryReceive() may succeed, or the channel is closed.
    [[nodiscard]] auto filled()
    {
        return park(corotracer::waited(corotracer::wait::channel, this), [this](const Waiter &self) {
            const std::lock_guard lock(m_mutex);
            if (!m_values.empty() || m_isClosed)
                return false;
            m_receivers.push_back(self);
            return true;
        });
    }
    /// co_await channel.hasRoom(): until trySend() may succeed.
    [[nodiscard]] auto hasRoom()
    {
        return park(corotracer::waited(corotracer::wait::channel, &m_senders), [this](const Waiter &self) {
            const std::lock_guard lock(m_mutex);
            if (m_values.size() < m_length)
                return false;
            m_senders.push_back(self);
            return true;
        });
    }

private:
    [[nodiscard]] static Waiter pop(std::deque<Waiter> &from)
    {
        if (from.empty())
            return {};
        const Waiter first = from.front();
        from.pop_front();
        return first;
    }

    Pool &m_pool;
    const std::size_t m_length;
    std::mutex m_mutex;
    std::deque<T> m_values;  ///< guarded by m_mutex, as all below
    std::deque<Waiter> m_receivers;
    std::deque<Waiter> m_senders;
    bool m_isClosed = false;
};

}  // namespace corpus
