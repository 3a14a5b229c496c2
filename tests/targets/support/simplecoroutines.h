// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines for several test programs, with options for their number and speed.
#pragma once

#include "arguments.h"
#include "job.h"
#include "pinnedresumption.h"

#include <vector>

namespace targets {

/// Default values of the options.
struct CoroutineDefaults {
    std::uint64_t coroutines = 100;
    std::uint64_t turns = 0;  ///< suspensions of each coroutine, 0 = until SIGTERM
    std::uint64_t rate = 0;   ///< events per second of this process, 0 = as fast as possible
};

/// Declares --coroutines, --threads, --turns and --rate.
void addCoroutineOptions(Arguments &arguments, const CoroutineDefaults &defaults);

/// Makes the coroutines and resumes them in random order until they have ended or a stop is requested. Returns all
/// jobs; some may not have ended.
[[nodiscard]] std::vector<Job> runCoroutines(const Arguments &arguments);

}  // namespace targets
