// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The usual coroutines, and the options that say how many there are and how fast they go.
#pragma once

#include "arguments.h"
#include "job.h"
#include "ownturns.h"

#include <vector>

namespace targets {

/// Defaults of the options.
struct TurnTakers {
    std::uint64_t coroutines = 100;
    std::uint64_t turns = 0;  ///< suspensions of each, 0 = until SIGTERM
    std::uint64_t rate = 0;   ///< transitions per second of this process, 0 = as fast as possible
};

/// --coroutines, --threads, --turns, --rate
void addTurnOptions(Arguments &arguments, const TurnTakers &defaults);

/// Makes the coroutines and resumes them in random order until they have ended, or a stop is requested. Those that
/// have not ended live on in what is returned.
[[nodiscard]] std::vector<Job> runTurnTakers(const Arguments &arguments);

}  // namespace targets
