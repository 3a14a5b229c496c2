// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine's half of the stacks of free stations: the engine pushes. Probes pop, and push compact stations.
#pragma once

#include <atomic>
#include <cstdint>

namespace ct {

/// Pushes station `index`. `head` is tag (32 bits, high) | index + 1 (32 bits). `next` is the link of the station,
/// which must not be in use. Returns the previous head as index + 1, or 0 if the stack was empty.
inline std::uint32_t pushFree(std::atomic<std::uint64_t> &head, std::atomic<std::uint32_t> &next, std::uint32_t index)
{
    std::uint64_t old = head.load(std::memory_order_relaxed);
    std::uint64_t fresh = 0;
    do {
        next.store(static_cast<std::uint32_t>(old), std::memory_order_relaxed);
        fresh = ((old >> 32) + 1) << 32 | (std::uint64_t{index} + 1);
        // Release; partner: the acquire load of the probe that pops. The probe then sees all stores to the station.
    } while (!head.compare_exchange_weak(old, fresh, std::memory_order_release, std::memory_order_relaxed));
    return static_cast<std::uint32_t>(old);
}

}  // namespace ct
