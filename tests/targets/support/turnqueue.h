// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The simplest scheduler that is still one: suspended coroutines in a ready queue, threads that resume them in turn.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace targets {

/// Resumes every coroutine again and again, until each has reached its final suspension. Coroutines wander between
/// the threads. Frames stay the caller's: nothing is destroyed here.
class TurnQueue {
public:
    TurnQueue(const std::vector<std::coroutine_handle<>> &coroutines, unsigned threads);

    /// At most this many resumptions per second, all threads together; 0 = as fast as possible. Before run().
    void pace(std::uint64_t resumptionsPerSecond) { m_perSecond = resumptionsPerSecond; }

    /// Returns when all coroutines are done, or soon after stopRequested(), then with some still suspended.
    void run();

private:
    using Batch = std::vector<std::coroutine_handle<>>;

    void work();
    [[nodiscard]] bool take(Batch &batch);
    void putBack(Batch batch);

    unsigned m_threads;
    std::uint64_t m_perSecond = 0;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Batch> m_ready;  ///< guarded by m_mutex
    std::size_t m_unfinished;   ///< coroutines not done yet, guarded by m_mutex
};

/// Suspends into the turn queue: whoever resumed the coroutine puts it back.
struct Turn {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
};

}  // namespace targets
