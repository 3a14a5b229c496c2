// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes memory ready before somebody in a hurry touches it: the first touch of a page costs the kernel's clearing of
// it, several times what is then written there.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

namespace ct {

/// A thread of its own, which begins with the first request. Where the system cannot (Linux before 5.14) requests do
/// nothing: pages then come at the first touch, as ever.
class MemoryAhead {
public:
    MemoryAhead() = default;
    ~MemoryAhead();
    MemoryAhead(const MemoryAhead &) = delete;
    MemoryAhead &operator=(const MemoryAhead &) = delete;

    /// Any thread; returns at once. `begin` is the start of a page. The memory must stay mapped until end(); it
    /// may be used meanwhile, for its contents do not change.
    void prepare(std::byte *begin, std::size_t bytes);
    /// Drops what is still to be done and waits for the rest: afterwards the memory may go. For good.
    void end();
    /// Waits until all requests so far are done.
    void wait();

private:
    struct Range {
        std::byte *begin;
        std::size_t bytes;
    };
    bool start();
    void run();

    std::mutex m_mutex;  ///< held for a push or a pop only
    std::condition_variable m_changed;
    std::deque<Range> m_ranges;
    bool m_busy = false;
    bool m_ending = false;
    std::thread m_thread;
};

}  // namespace ct
