// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The functions and lines of coroutines that name no sites, as their frames gave them: those of version-1 targets.
#pragma once

#include "core/base/sparsearray.h"
#include "core/stream/framelocation.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ct {

class FrameFunctions {
public:
    /// Further functions are left out.
    static constexpr std::uint32_t kMostFunctions = 1U << 16;
    /// Suspensions whose lines are kept, about 100 bytes each: the latest ones.
    static constexpr std::size_t kMostLines = 1U << 17;

    /// Any thread. What is known of a coroutine's function holds for its whole life.
    void add(const std::vector<FrameLocation> &frames);
    /// Any thread, without a lock. The number of the coroutine's function, from 1; 0 = not known.
    std::uint32_t of(CoroutineId id) const
    {
        const std::atomic<std::uint32_t> *const function = m_functions.find(id);
        return function ? function->load(std::memory_order_relaxed) : 0;
    }
    /// Any thread. The line of the suspension that began at `since` (ns, CLOCK_MONOTONIC); 0 = not known. Takes a lock.
    std::uint32_t lineOf(CoroutineId id, std::uint64_t since) const;

private:
    void addLine(const FrameLocation &frame);

    mutable std::mutex m_mutex;  ///< guards all members but m_functions, and writing to m_functions
    using Suspension = std::pair<CoroutineId, std::uint64_t>;
    std::map<Suspension, std::uint32_t> m_lines;
    std::deque<Suspension> m_added;  ///< those of m_lines, in the order in which they were added
    std::map<std::string, std::uint32_t> m_numbers;
    SparseArray<std::atomic<std::uint32_t>, 12, 14> m_functions;  ///< relaxed: carry no other data
};

}  // namespace ct
