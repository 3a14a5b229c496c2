// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A minimal scheduler: a run queue of suspended coroutines, and threads that resume them in turn.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace targets {

/// Resumes every coroutine until it has reached its final suspension. Coroutines move between the threads. The caller
/// owns the frames; nothing is destroyed here.
class SimpleScheduler {
public:
    SimpleScheduler(const std::vector<std::coroutine_handle<>> &coroutines, unsigned threads);

    /// Limits the resumptions per second of all threads together; 0 = as fast as possible. Call it before run().
    void pace(std::uint64_t resumptionsPerSecond) { m_perSecond = resumptionsPerSecond; }

    /// Returns when all coroutines are done, or soon after stopRequested(). In the second case some may be suspended.
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
    std::size_t m_unfinished;   ///< coroutines that are not done, guarded by m_mutex
};

/// Suspends. The thread that resumed the coroutine puts it back into the turn queue.
struct Turn {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
};

}  // namespace targets
