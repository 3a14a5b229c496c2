// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is known about one coroutine at the instant of a judgement: evidence for people, next to that of the finding.
#pragma once

#include "core/analysis/awaitchain.h"
#include "core/analysis/facts.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ct {

struct Circumstances {
    CoroutineSnapshot coroutine;
    CoroutineNotes notes;
    std::vector<WaitsOn> waits;
    std::vector<std::optional<ObjectState>> objects;  ///< one for each of `waits`; nullopt: nothing was reported
    AwaitChain chain;
    std::vector<ThreadSample> threads;          ///< latest row of each thread of its process that has not ended
    std::vector<DescriptorSample> descriptors;  ///< of its process
};

/// `now`: ns, CLOCK_MONOTONIC. Any thread. Describes the coroutine as it is when this is called.
Circumstances circumstancesOf(const Subject &subject, CoroutineId id, std::uint64_t now);

}  // namespace ct
