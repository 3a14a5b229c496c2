// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the siblings of a coroutine, those with the same function, waited where it waits. Their histories say so, and
// reading these costs more than all else of a judgement.
#pragma once

#include "core/analysis/facts.h"

#include <cstdint>
#include <span>

namespace ct::rules {

/// The siblings at the site of a coroutine, since it began to wait.
struct Siblings {
    std::uint64_t completedWaits = 0;  ///< that began later
    std::uint64_t cameBack = 0;        ///< siblings that completed at least one of them
    std::uint64_t independent = 0;     ///< these, but those of one creator that lived one after the other once only
    std::uint64_t stillThere = 0;      ///< others that wait there
    std::uint64_t late = 0;            ///< of all, those whose present wait is late
};

/// `siblings`: the coroutines of the function. `lateAfterNs`: duration from which a wait there is late.
Siblings siblingsOf(const Facts &facts, const Waiting &waiting, std::span<const CoroutineId> siblings,
                    std::uint64_t lateAfterNs);

/// How many of the coroutines wait at the site, and are late.
std::uint64_t lateAmong(const Facts &facts, SiteId site, std::span<const CoroutineId> coroutines,
                        std::uint64_t lateAfterNs);

/// Completed waits of one coroutine at `site` that began after `from` and ended before `to`; the first ones.
std::uint64_t completedWithin(const Facts &facts, CoroutineId id, SiteId site, std::uint64_t from, std::uint64_t to);

}  // namespace ct::rules
