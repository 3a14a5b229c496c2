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
    /// Makes the present time the instant, unless there is one, and passes it to `record`. The stream stands still
    /// until `record` returns, because the source waits in beforeBatch(). So `record` can tell others the instant
    /// before a later batch reaches them. It must not wait for the stream itself. Returns the instant.
    std::uint64_t decide(const std::function<void(std::uint64_t)> &record)
    {
        const std::lock_guard lock(m_mutex);
        if (value() == 0) {
            m_value.store(monotonicNow(), std::memory_order_relaxed);
            record(value());
        }
        return value();
    }
    /// Sets an instant that is known from elsewhere, such as a recording, unless there is one.
    void set(std::uint64_t instant)
    {
        const std::lock_guard lock(m_mutex);
        if (value() == 0)
            m_value.store(instant, std::memory_order_relaxed);
    }
    std::uint64_t value() const { return m_value.load(std::memory_order_relaxed); }  ///< 0 = none

    /// The source calls this in front of each batch. Waits for a decide() in progress. Returns the instant; 0 = none.
    std::uint64_t beforeBatch()
    {
        const std::lock_guard afterDecision(m_mutex);
        return value();
    }

private:
    std::mutex m_mutex;                     ///< held by decide() and set(); the source takes it for each batch
    std::atomic<std::uint64_t> m_value{0};  ///< relaxed: value() alone reads it without the mutex, as a mere number
};

}  // namespace ct
