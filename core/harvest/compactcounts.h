// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The counts of events in compact stations. They are untrusted, and read while targets write. Harvest thread only.
#pragma once

#include "core/protocol/compactreader.h"
#include "core/region/plausiblesum.h"
#include "core/region/region.h"

#include <cstdint>
#include <span>

namespace ct {

/// The events of a compact station; 0 also for a count that is not believed. A cursor has fewer bits, and would stay
/// behind such a count for ever.
inline std::uint64_t eventsOf(const CompactCopy &station)
{
    return plausible(station.events);
}

class CompactCounts {
public:
    explicit CompactCounts(const Region &region) : m_states(region.compactStations()), m_births(region.births()) {}

    /// Returns how many events the compact station has of this generation; 0 if it has another generation.
    std::uint64_t publishedBy(std::uint64_t identity) const;
    /// Returns the events of all generations before this one; Census::kAll if the compact station has another
    /// generation.
    std::uint64_t eventsBefore(std::uint32_t index, std::uint32_t generation) const;

private:
    std::span<const corotracer::CompactState> m_states;
    std::span<const corotracer::CompactBirth> m_births;
};

}  // namespace ct
