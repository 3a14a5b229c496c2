// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What makes a late wait a lost wake-up, besides later waits of its siblings: what threads and descriptors show, and
// how its siblings ended.
#pragma once

#include "core/analysis/facts.h"

#include <span>
#include <string>
#include <vector>

namespace ct::rules {

/// The descriptors of a process to which something was delivered long ago, and not fetched, while all threads sleep.
/// Copies all descriptors, so call it once for a process.
std::vector<WatchedDescriptor> unfetched(const Facts &facts, std::uint32_t pid);

/// Something of `unfetched` was delivered during the wait: a sentence. Empty: there is none, or the coroutine reports
/// what it waits for, which decides.
std::string undelivered(const Facts &facts, const Waiting &waiting, std::span<const WatchedDescriptor> unfetched);

/// No thread, timer or descriptor is left that could wake it: a sentence, else empty.
std::string nobodyLeft(const Facts &facts, const Waiting &waiting);

/// True if no traced coroutine of the process runs, and samples show that all threads sleep.
bool isQuiet(const Facts &facts, std::uint32_t pid);

/// Siblings that waited at its site ended during the wait, and nothing has happened in the process since: a sentence,
/// else empty. `siblings`: the coroutines of its function.
std::string siblingsEnded(const Facts &facts, const Waiting &waiting, std::span<const CoroutineId> siblings);

}  // namespace ct::rules
