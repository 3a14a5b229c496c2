// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "job.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace targets {

/// Where coroutines change hands between threads.
class Hub {
public:
    void put(Job job)
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
    }

    /// The one that has waited longest.
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
