// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "job.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace targets {

/// A queue through which threads exchange coroutines. Thread-safe.
class Hub {
public:
    void put(Job job)
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
    }

    /// Returns the coroutine that has waited longest, or nullopt if there is none.
    [[nodiscard]] std::optional<Job> take()
    {
        const std::lock_guard lock(m_mutex);
        if (m_jobs.empty())
            return std::nullopt;
        std::optional<Job> job(std::move(m_jobs.front()));
        m_jobs.pop_front();
        return job;
    }

private:
    std::mutex m_mutex;
    std::deque<Job> m_jobs;
};

}  // namespace targets
