// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Resumes coroutines that stay on one thread, without queue or lock. So only the coroutines themselves cost time.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <vector>

namespace targets {

enum class ResumeOrder {
    Round,   ///< one after the other
    Random,  ///< in random order, so the next coroutine's memory is in no cache
};

/// How threads resume coroutines that are pinned: each stays on one thread. Threads are not bound to processors.
struct PinnedResumption {
    unsigned threads = 1;
    ResumeOrder order = ResumeOrder::Round;
    /// For all threads together, evenly spread over time; 0 = as fast as possible. A delayed thread catches up.
    std::uint64_t resumptionsPerSecond = 0;
    const std::atomic<bool> *hurry = nullptr;  ///< as fast as possible once it is true
};

/// Resumes each coroutine on one thread only, until all have reached their final suspension, or until soon after
/// stopRequested(). Destroys nothing.
void resumePinned(const std::vector<std::coroutine_handle<>> &coroutines, const PinnedResumption &resumption);

}  // namespace targets
