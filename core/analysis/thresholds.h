// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The limits of the rules. docs/diagnosis.md says why each has its value.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

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

    /// After death: from the death to the wake. A shorter time is information.
    std::uint64_t afterDeathNs = 10'000'000;

    /// Leak: a coroutine is too old if its age exceeds `leakNs`, and `leakFactor` times the 99.9th percentile of the
    /// lifetimes of its function. If fewer than `endedCoroutines` of the function have ended, the lifetimes of the
    /// coroutines that create them count instead. The rule needs `leakedCoroutines` that are too old, and some must
    /// have been born in each of eight windows of at least `leakWindowNs`.
    double leakFactor = 3;
    std::uint64_t leakNs = 1'000'000'000;
    std::uint64_t endedCoroutines = 30;
    std::uint64_t leakedCoroutines = 16;
    std::uint64_t leakWindowNs = 250'000'000;
    /// Leak: since the end of the coroutine that created it.
    std::uint64_t ownerGoneNs = 5'000'000'000;

    /// Stall: since all threads wait.
    std::uint64_t stallNs = 1'000'000'000;
    /// Long run, blocking call: since the resumption. Starvation: since the wake; and for how long a worker has slept
    /// since then.
    std::uint64_t longRunNs = 1'000'000'000;
    std::uint64_t starvationNs = 500'000'000;
    std::uint64_t parkedNs = 100'000'000;
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
    /// ... or once something was delivered for so long, and not fetched.
    std::uint64_t undeliveredNs = 1'000'000'000;
    /// A stretch of time in which a thread waited for a processor for more than this share does not count as late.
    double overloadShare = 0.2;

    bool operator==(const Thresholds &) const = default;
};

/// A threshold that a user can set.
struct NamedThreshold {
    enum class Unit : std::uint8_t { Time, Count, Factor, Share };
    std::string_view name;
    Unit unit = Unit::Time;
    std::variant<std::uint64_t Thresholds::*, double Thresholds::*> member;
};
std::span<const NamedThreshold> namedThresholds();

/// Sets what "NAME=VALUE" says: a time as "500ms", "2s" or "1min", a count as "20", a factor of at least 1 as "3.5", or
/// a share of 0 to 1 as "0.15". An error lists what would be right.
Result<void> setThreshold(Thresholds &thresholds, const std::string &assignment);

}  // namespace ct
