// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Populates memory on a background thread before a time-critical thread writes it. At the first touch of a page the
// kernel clears it, which costs several times as much as the write.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

namespace ct {

/// The background thread starts with the first request. Before Linux 5.14, requests have no effect, and pages get
/// memory at the first touch.
class MemoryAhead {
public:
    MemoryAhead() = default;
    ~MemoryAhead();
    MemoryAhead(const MemoryAhead &) = delete;
    MemoryAhead &operator=(const MemoryAhead &) = delete;

    /// Any thread; returns at once. `begin` must be the start of a page. The memory must stay mapped until stop().
    /// Other threads may use it at any time, because populating does not change its contents.
    void prepare(std::byte *begin, std::size_t bytes);
    /// Discards pending requests and waits for the one in progress. Afterwards the caller may unmap the memory, and new
    /// requests have no effect.
    void stop();
    /// Waits until all requests so far are done.
    void wait();

private:
    struct Range {
        std::byte *begin;
        std::size_t bytes;
    };
    bool start();
    void run();

    std::mutex m_mutex;  ///< locked for short updates of the state below, and while the thread starts
    std::condition_variable m_changed;
    std::deque<Range> m_ranges;
    bool m_busy = false;
    bool m_ending = false;
    std::thread m_thread;
};

}  // namespace ct
