// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "task.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

namespace corpus {

/// A thread that wakes coroutines when a descriptor is readable or a time has come. All functions may be called from
/// any thread.
class Reactor {
public:
    using Clock = std::chrono::steady_clock;
    using Timer = std::pair<Clock::time_point, std::uint64_t>;

    explicit Reactor(std::function<void(const Waiter &)> wake);
    ~Reactor();
    Reactor(const Reactor &) = delete;
    Reactor &operator=(const Reactor &) = delete;

    Timer wakeAt(Clock::time_point when, const Waiter &waiter);
    /// Returns the coroutine, which is then not woken; empty if the timer has fired.
    Waiter cancel(const Timer &timer);

    /// Wakes the coroutine once when the descriptor is readable or hung up. `flags`: EPOLLET, for example.
    void wakeWhenReadable(int fd, const Waiter &waiter, std::uint32_t flags = 0);
    /// As wakeWhenReadable for a descriptor that is registered; the kernel is not asked again.
    void waitForEdge(int fd, const Waiter &waiter);
    /// Removes the descriptor, and returns the coroutine that waited for it, if any.
    Waiter remove(int fd);

private:
    void run();
    void dispatch(int fd);
    [[nodiscard]] int fireTimers();
    void interrupt();

    const std::function<void(const Waiter &)> m_wake;
    int m_epoll;
    int m_interrupt;

    std::mutex m_mutex;
    bool m_isStopping = false;  ///< guarded by m_mutex, as all below
    std::map<Timer, Waiter> m_timers;
    std::uint64_t m_nextTimer = 0;
    std::unordered_map<int, Waiter> m_readers;  ///< by descriptor
    std::thread m_thread;
};

}  // namespace corpus
