// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine's half of the stacks of free stations: it pushes, probes pop (and push compact ones).
#pragma once

#include <atomic>
#include <cstdint>

namespace ct {

/// `head` is tag (32, high) | index + 1 (32); `next` belongs to the station `index`, which nobody else may touch.
/// Returns what it lies upon: index + 1, 0 = nothing.
inline std::uint32_t pushFree(std::atomic<std::uint64_t> &head, std::atomic<std::uint32_t> &next, std::uint32_t index)
{
    std::uint64_t old = head.load(std::memory_order_relaxed);
    std::uint64_t fresh = 0;
    do {
        next.store(static_cast<std::uint32_t>(old), std::memory_order_relaxed);
        fresh = ((old >> 32) + 1) << 32 | (std::uint64_t{index} + 1);
        // Release: partner is the acquire load of the probe that pops; it finds the station as we left it.
    } while (!head.compare_exchange_weak(old, fresh, std::memory_order_release, std::memory_order_relaxed));
    return static_cast<std::uint32_t>(old);
}

}  // namespace ct
