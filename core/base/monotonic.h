// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The clock of all times in a stream.
#pragma once

#include <cstdint>
#include <ctime>

namespace ct {

/// Returns the present time: ns, CLOCK_MONOTONIC.
inline std::uint64_t monotonicNow()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace ct
