// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How many short suspensions may have their lines read: enough to see at which lines coroutines of a function wait,
// and so few that neither the target nor the recording notices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace ct {

/// Not thread-safe.
class LineSamples {
public:
    static constexpr std::uint64_t kAtOnce = 512;  ///< suspensions of a function whose lines are read as they come
    static constexpr std::uint64_t kMany = kAtOnce / 2;  ///< as long as more are left, they are read soon
    static constexpr std::uint64_t kPerSecond = 20;
    static constexpr std::size_t kMostFunctions = 4096;  ///< others get none

    /// `now`: ns, CLOCK_MONOTONIC. Returns how many lines of the function may be read now, and counts one as read.
    std::uint64_t take(const std::string &function, std::uint64_t now)
    {
        const auto found = m_functions.find(function);
        if (found == m_functions.end() && m_functions.size() >= kMostFunctions)
            return 0;
        Left &left = found != m_functions.end() ? found->second : m_functions[function];
        const std::uint64_t passed = left.at != 0 && now > left.at ? now - left.at : 0;
        left.nanos = std::min(kAtOnce * kCost, left.nanos + passed);
        left.at = std::max(left.at, now);
        const std::uint64_t lines = left.nanos / kCost;
        if (lines != 0)
            left.nanos -= kCost;
        return lines;
    }

private:
    static constexpr std::uint64_t kCost = 1'000'000'000 / kPerSecond;  ///< ns of waiting for one line
    struct Left {
        std::uint64_t nanos = kAtOnce * kCost;
        std::uint64_t at = 0;
    };
    std::unordered_map<std::string, Left> m_functions;
};

}  // namespace ct
