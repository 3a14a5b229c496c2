// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Runs slow work on one background thread, in order. Unlike QThreadPool, which then waits forever, it
// reports when the system refuses to create the thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ct {

/// Call all methods on one thread, the owner's. The worker thread starts with the first work and ends with this object.
class BackgroundWorker {
public:
    BackgroundWorker() = default;
    ~BackgroundWorker();  ///< finishes all queued work first
    BackgroundWorker(const BackgroundWorker &) = delete;
    BackgroundWorker &operator=(const BackgroundWorker &) = delete;

    /// Returns false if the system refuses to create the thread; nothing is queued then. The next call tries again.
    [[nodiscard]] bool start(std::function<void()> work);
    void waitForDone();

private:
    void run();

    std::mutex m_mutex;  ///< guards m_queue, m_busy and m_ending; locked only for a push or a pop
    std::deque<std::function<void()>> m_queue;
    bool m_busy = false;
    bool m_ending = false;
    std::condition_variable m_changed;  ///< signals a change of m_queue, m_busy or m_ending
    std::thread m_thread;               ///< must be last: run() uses all other members
};

}  // namespace ct
