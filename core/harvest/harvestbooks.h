// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What full stations and lanes have in common while they are harvested: one numbering of coroutines, one table of
// suspension points, one set of sums. Harvest thread only.
#pragma once

#include "core/harvest/region.h"
#include "core/harvest/sitetable.h"
#include "core/trace/stream.h"

#include <string>

namespace ct {

struct HarvestBooks {
    explicit HarvestBooks(const Region &region)
        : sites(region.siteRecords(), region.siteStrings()), strings(region.siteStrings())
    {
    }

    /// A string as the extension refers to it: offset (48, high) | length (16). Empty for one that lies elsewhere.
    std::string text(std::uint64_t untrustedReference) const
    {
        constexpr std::uint64_t kMaxTextBytes = 4096;
        const std::uint64_t offset = untrustedReference >> 16;
        const std::uint64_t length = untrustedReference & 0xFFFF;
        if (offset > strings.size() || length > strings.size() - offset || length > kMaxTextBytes)
            return {};
        return std::string(strings.data() + offset, length);
    }

    /// Of a coroutine that was not known so far. The last one there is belongs to all that follow it: no sink keeps so
    /// many, and a number that came twice would take its events to somebody else.
    CoroutineId number() { return nextCoroutine < kNoCoroutine - 1 ? nextCoroutine++ : kNoCoroutine - 1; }

    SiteTable sites;
    std::span<const char> strings;
    CoroutineId nextCoroutine = 0;
    Accounting sums;  ///< captured, lost, missedBeforeAttach, coroutines, flaggedStations, unproven
    /// A part of lost and missedBeforeAttach that no coroutine of the stream has: see HarvestLoop.
    std::uint64_t eventsWithoutCoroutine = 0;
};

}  // namespace ct
