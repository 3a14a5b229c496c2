// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The limits of the rules. docs/diagnosis.md says why each has its value.
#pragma once

#include <cstdint>

namespace ct {

struct Thresholds {
    /// Shorter states are no rule's business.
    std::uint64_t shortestNs = 100'000'000;
    /// Lost wake-up: since the awaited object was satisfied.
    std::uint64_t satisfiedNs = 1'000'000'000;
    /// Never run, lost-wake race: since the wake.
    std::uint64_t wokenNs = 1'000'000'000;
    /// Never run: so many coroutines that were woken later have run since.
    std::uint64_t overtaken = 20;
    /// Deadlock: since all coroutines of the cycle wait.
    std::uint64_t deadlockNs = 100'000'000;
    /// Never started: since the birth.
    std::uint64_t startNs = 5'000'000'000;

    /// Stall: since all threads wait.
    std::uint64_t stallNs = 1'000'000'000;
    /// Long run, blocking call: since the resumption. Starvation: since the wake, while one of these lasts.
    std::uint64_t longRunNs = 1'000'000'000;
    std::uint64_t starvationNs = 500'000'000;
    /// Long run: least share of the time that its thread used a processor. Blocking call: the greatest.
    double busyShare = 0.5;
    double idleShare = 0.1;

    // Lost wake-up without a reported object: a wait is late beyond `lateFactor` times the longest completed one, and
    // `lateNs`, if there are `completedWaits` of `waitingCoroutines`, and if the share of such waits is at most
    // `lateShare`, with a certainty of 95 %.
    double lateFactor = 3;
    std::uint64_t lateNs = 500'000'000;
    std::uint64_t completedWaits = 30;
    double lateShare = 0.15;
    /// A late wait is a warning once so many later waits of so many siblings were completed.
    std::uint64_t laterWaits = 20;
    std::uint64_t laterSiblings = 3;
};

}  // namespace ct
