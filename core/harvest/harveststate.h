// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// State that the harvests of full stations and of lanes share: the numbering of coroutines, the table of sites, the
// sums. Harvest thread only.
#pragma once

#include "core/region/region.h"
#include "core/region/sitetable.h"
#include "core/stream/stream.h"

#include <string>

namespace ct {

struct HarvestState {
    explicit HarvestState(const Region &region)
        : sites(region.siteRecords(), region.siteStrings()), strings(region.siteStrings())
    {
    }

    /// The string behind a reference of the extension: offset (upper 48 bits) and length (lower 16), in bytes. Returns
    /// an empty string if the reference is out of range or longer than 4096 bytes.
    std::string text(std::uint64_t untrustedReference) const
    {
        constexpr std::uint64_t kMaxTextBytes = 4096;
        const std::uint64_t offset = untrustedReference >> 16;
        const std::uint64_t length = untrustedReference & 0xFFFF;
        if (offset > strings.size() || length > strings.size() - offset || length > kMaxTextBytes)
            return {};
        return std::string(strings.data() + offset, length);
    }

    /// The number of a newly discovered coroutine. When numbers run out, all further coroutines share the last one. No
    /// sink keeps that many, and wrapping would assign their events to other coroutines.
    CoroutineId number() { return nextCoroutine < kNoCoroutine - 1 ? nextCoroutine++ : kNoCoroutine - 1; }

    SiteTable sites;
    std::span<const char> strings;
    CoroutineId nextCoroutine = 0;
    RunSums sums;           ///< without the sums that probes keep; Decoder::accounting() adds them
    bool unproven = false;  ///< as RunFlags::unproven
};

}  // namespace ct
