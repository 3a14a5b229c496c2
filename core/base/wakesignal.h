// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Wakes a thread that waits, without a lock: the system may suspend the waiting thread at any point, and the other one
// still does not wait for it.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>
#include <semaphore.h>

namespace ct {

class WakeSignal {
public:
    WakeSignal() { ::sem_init(&m_semaphore, 0, 0); }
    ~WakeSignal() { ::sem_destroy(&m_semaphore); }
    WakeSignal(const WakeSignal &) = delete;
    WakeSignal &operator=(const WakeSignal &) = delete;

    /// Any thread. Costs a system call only if the other thread waits.
    void raise()
    {
        // Acquire and release; partner: waitFor(). What this thread wrote before is visible after the wait.
        if (!m_raised.exchange(true, std::memory_order_acq_rel))
            ::sem_post(&m_semaphore);
    }
    /// Waits until raise() was called since the last wait, or until the time is over. One thread only.
    void waitFor(std::chrono::nanoseconds time)
    {
        timespec until{};
        ::clock_gettime(CLOCK_MONOTONIC, &until);
        const std::int64_t ns = until.tv_nsec + time.count() % 1'000'000'000;
        until.tv_sec += static_cast<std::time_t>(time.count() / 1'000'000'000 + ns / 1'000'000'000);
        until.tv_nsec = static_cast<long>(ns % 1'000'000'000);
        if (::sem_clockwait(&m_semaphore, CLOCK_MONOTONIC, &until) == 0)
            m_raised.exchange(false, std::memory_order_acq_rel);  // partner: raise()
    }

private:
    sem_t m_semaphore;
    std::atomic<bool> m_raised{false};
};

}  // namespace ct
