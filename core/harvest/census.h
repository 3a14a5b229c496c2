// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A census: the counts of all compact stations at one moment, and the part that the stream emitted.
// In overwrite mode, lanes lose coroutines and events that compact stations still count. The difference between the
// census and the stream was overwritten. Each station is compared separately, so the result is right while targets
// write. Harvest thread only.
// See docs/decisions/0016-books-that-add-up.md.
#pragma once

#include "core/harvest/reorderbuffer.h"
#include "core/region/region.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

namespace ct {

/// Fill level of a batch at some moment.
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
        std::uint64_t generations = 0;
        std::uint64_t events = 0;

        Count &operator+=(const Count &other);
        /// The difference to `other`, each count at least 0.
        Count without(const Count &other) const;
    };

    /// Reads the compact stations below `stations`. `cursors` holds, for each station, how far its latest discovered
    /// coroutine was emitted. `emitted` counts everything emitted so far. Coroutines from number `firstNew` on are not
    /// discovered yet.
    Census(const Region &region, std::size_t stations, std::span<const LaneCursor> cursors, const Count &emitted,
           CoroutineId firstNew);

    /// Adds the part of `batch` after `since`, which was emitted for coroutines with lanes.
    void addEmitted(const Batch &batch, const BatchMark &since);
    /// Adds counts that were reported without a coroutine.
    void addTraceless(const Count &traceless) { m_emitted += traceless; }
    /// The part of the census that was not emitted.
    Count unemitted() const { return m_ever.without(m_emitted); }

    static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    /// The counts of one compact station at the moment of the census.
    struct Station {
        std::uint64_t events = kAll;   ///< events of the latest generation; kAll = unknown
        std::uint64_t before = kAll;   ///< events of all earlier generations; kAll = unknown
        std::uint32_t generation = 0;  ///< the latest generation
    };
    std::span<const Station> stations() const { return m_stations; }

private:
    Station countStation(const corotracer::CompactState &state, const corotracer::CompactBirth &birth);
    std::uint64_t limitOf(CoroutineId coroutine) const;

    std::vector<Station> m_stations;
    Count m_ever;
    Count m_emitted;
    CoroutineId m_firstNew;
    // Numbers of events of each coroutine that the census includes. m_limits is indexed by coroutine number less
    // m_firstNew. m_olderLimits has the coroutines that were discovered earlier and may have had more events since.
    std::vector<std::uint64_t> m_limits;
    std::unordered_map<CoroutineId, std::uint64_t> m_olderLimits;
};

/// Counts the coroutines and events that `batch` has after `since`. All must have lanes.
Census::Count countOf(const Batch &batch, const BatchMark &since);

}  // namespace ct
