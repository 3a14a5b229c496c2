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

/// Returns how long the machine was suspended since it started, ns: the time that CLOCK_MONOTONIC did not count.
inline std::uint64_t machineSuspended()
{
    constexpr std::uint64_t kAccurateNs = 1'000'000;
    std::uint64_t suspended = 0;
    for (int tries = 0; tries < 3; ++tries) {
        const std::uint64_t before = monotonicNow();
        timespec boot{};
        clock_gettime(CLOCK_BOOTTIME, &boot);
        const std::uint64_t sinceBoot =
            static_cast<std::uint64_t>(boot.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(boot.tv_nsec);
        suspended = sinceBoot > before ? sinceBoot - before : 0;
        if (monotonicNow() - before < kAccurateNs)
            break;  // else the thread was interrupted between the two clocks
    }
    return suspended;
}

}  // namespace ct
