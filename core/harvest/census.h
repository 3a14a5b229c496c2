// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A flight recorder overwrites whole lives; its compact stations still count them. A census is what they say at one
// moment, and how much of that the stream tells, before and after: the rest belongs to nobody who is known. Each
// station is looked at by itself, so that it holds while a target writes. Harvest thread only.
#pragma once

#include "core/harvest/holdings.h"
#include "core/harvest/region.h"
#include "core/trace/stream.h"

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

namespace ct {

/// How far a batch was filled.
struct BatchMark {
    explicit BatchMark(const Batch &batch)
        : births(batch.births.size()), losses(batch.losses.size()), transitions(batch.transitions.size())
    {
    }

    std::size_t births;
    std::size_t losses;
    std::size_t transitions;
};

class Census {
public:
    struct Count {
        std::uint64_t lives = 0;
        std::uint64_t events = 0;

        Count &operator+=(const Count &other);
        /// What is left of this without `other`, each at least 0.
        Count without(const Count &other) const;
    };

    /// Of the compact stations below `stations`. `cursors`: how far their present lives were told, the latest known of
    /// each; `told`: all that was told so far; `firstNew`: nobody from that number on was.
    Census(const Region &region, std::size_t stations, std::span<const LaneCursor> cursors, const Count &told,
           CoroutineId firstNew);

    /// What was told since: the part of `batch` behind `since`, of coroutines with lanes.
    void add(const Batch &batch, const BatchMark &since);
    /// Told otherwise, without names.
    void add(const Count &traceless) { m_told += traceless; }
    /// What was there at that moment and has not been told.
    Count untold() const { return m_ever.without(m_told); }

    static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    /// A compact station at that moment.
    struct Station {
        std::uint64_t events = kAll;   ///< of its latest life; kAll = unknown
        std::uint64_t before = kAll;   ///< of all lives before that one; kAll = unknown
        std::uint32_t generation = 0;  ///< of its latest life
    };
    std::span<const Station> stations() const { return m_stations; }

private:
    Station look(const corotracer::StateLine &line, const corotracer::BirthLine &birth);
    std::uint64_t limitOf(CoroutineId coroutine) const;

    std::vector<Station> m_stations;
    Count m_ever;
    Count m_told;
    CoroutineId m_firstNew;
    // How many events of a coroutine belong to this census: by number from m_firstNew on, and those that were known
    // before and may have had more since.
    std::vector<std::uint64_t> m_limits;
    std::unordered_map<CoroutineId, std::uint64_t> m_olderLimits;
};

/// Of all coroutines with lanes: what `batch` tells behind `since`.
Census::Count countOf(const Batch &batch, const BatchMark &since);

}  // namespace ct
