// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the healthy programs share.
#pragma once

#include "programs.h"

#include <atomic>

namespace corpus {

using namespace std::chrono_literals;

struct World {
    const Setting &setting;
    Pool pool{setting.threads};
    Channel<int> jobs{pool, 64};
    Semaphore places{pool, 2};
    std::atomic<int> number{0};

    [[nodiscard]] auto units(double count) const
    {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(setting.unit * count);
    }
};

/// Works off the jobs, and waits for the next ones.
inline Task<> workOnJobs(World &world)
{
    for (;;) {
        const std::optional<int> job = world.jobs.tryReceive();
        if (job)
            co_await sleepFor(world.pool, world.units(0.5));
        else
            co_await world.jobs.filled();
    }
}

}  // namespace corpus
