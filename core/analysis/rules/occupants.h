// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines that have had their threads for long, and the coroutines that need these threads.
#pragma once

#include "core/analysis/rules/rules.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct::rules {

/// A coroutine that has had its thread for at least Thresholds::longRunNs. It computes there, or sleeps in a call.
struct Occupant {
    Running running;
    bool isBlocked = false;  ///< its thread sleeps
    std::uint64_t lastedNs = 0;
    ThreadUse use;
};

struct Occupants {
    std::vector<Occupant> known;
    std::uint64_t unknown = 0;  ///< it is not known what their threads do
};

Occupants occupantsOf(const Facts &facts, std::uint32_t pid);

/// Adds a finding about each occupant of a process that is blocked, or that is not. It is a warning if others need the
/// thread: they starve, their deadline has passed, or they came back in time until it was taken, and are late since.
void addOccupants(const Facts &facts, Rule rule, bool areBlocked, VerdictBuilder &verdict);

/// The threads on which the coroutine ran in the last 5 s before its suspension. Reads its history.
std::vector<std::uint32_t> recentThreads(const Facts &facts, const Waiting &waiting);

}  // namespace ct::rules
