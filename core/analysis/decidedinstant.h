// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The instant at which the end of a run was decided. It is set while the stream passes.
#pragma once

#include "core/base/monotonic.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

namespace ct {

/// All functions: any thread. The first instant counts. Unit: ns, CLOCK_MONOTONIC.
class DecidedInstant {
public:
    /// Decides that the instant is now. Calls `record` with it; until that returns, beforeBatch() waits. So whoever
    /// must know the instant does so before a later batch. `record` must not wait for the stream. Returns the instant.
    std::uint64_t decide(const std::function<void(std::uint64_t)> &record)
    {
        const std::lock_guard lock(m_mutex);
        if (value() == 0) {
            m_value.store(monotonicNow(), std::memory_order_relaxed);
            record(value());
        }
        return value();
    }
    void set(std::uint64_t instant)
    {
        std::uint64_t none = 0;
        m_value.compare_exchange_strong(none, instant, std::memory_order_relaxed);
    }
    std::uint64_t value() const { return m_value.load(std::memory_order_relaxed); }  ///< 0 = none

    /// Call it in front of each batch. Returns the instant; 0 = none.
    std::uint64_t beforeBatch()
    {
        const std::lock_guard afterDecision(m_mutex);
        return value();
    }

private:
    std::mutex m_mutex;                     ///< held during a decision
    std::atomic<std::uint64_t> m_value{0};  ///< relaxed: carries no data
};

}  // namespace ct
