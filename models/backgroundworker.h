// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work of a model that takes too long for the GUI thread: on one thread, in order. Unlike QThreadPool, which waits for
// ever then, it reports that the system refuses the thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ct {

/// Methods: one thread, the owner's. The thread begins with the first work, and ends with this object.
class BackgroundWorker {
public:
    BackgroundWorker() = default;
    ~BackgroundWorker();  ///< waits until all work is done
    BackgroundWorker(const BackgroundWorker &) = delete;
    BackgroundWorker &operator=(const BackgroundWorker &) = delete;

    /// False: the system refuses the thread, and nothing was begun. The next call tries again.
    [[nodiscard]] bool start(std::function<void()> work);
    void waitForDone();

private:
    void run();

    std::mutex m_mutex;  ///< guards the next three; held for a push or a pop
    std::deque<std::function<void()>> m_queue;
    bool m_busy = false;
    bool m_ending = false;
    std::condition_variable m_changed;  ///< any of these
    std::thread m_thread;               ///< last: uses all of the above
};

}  // namespace ct
