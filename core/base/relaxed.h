// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Relaxed access to words that one thread writes and others read.
#pragma once

#include <atomic>
#include <cstdint>

namespace ct {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

/// Adds to a sum with a single writer. A plain load and store, which readers see whole. Relaxed: it publishes nothing
/// else.
inline void increase(std::atomic<std::uint64_t> &word, std::uint64_t by)
{
    word.store(word.load(kRelaxed) + by, kRelaxed);
}

}  // namespace ct
