// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What work costs: processor time. On a busy machine, work takes longer, and costs as much as on an idle one.
#pragma once

#include <cstdint>
#include <ctime>

namespace ct {

/// Returns the processor time of the calling thread, ns.
inline std::uint64_t usedByThread()
{
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

}  // namespace ct
