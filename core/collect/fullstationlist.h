// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The full stations of a region: pending, live, dead or faulty. Reads them into batches of their own, see StationQueue.
// Collector's thread only. No allocation and no virtual call per event, because vectors keep their capacity.
#pragma once

#include "core/protocol/fullstationreader.h"
#include "core/region/region.h"
#include "core/stream/stream.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ct {

/// One reading of the header's counts. `max` is limited to the stations in the file.
struct Allocation {
    std::uint32_t count = 0;
    std::uint32_t max = 0;
    std::uint64_t wrapped = 0;  ///< subtracted from allocated_count so far

    std::uint32_t stations() const { return std::min(count, max); }
    /// Number of births that found no station.
    std::uint64_t beyond() const { return wrapped + count > max ? wrapped + count - max : 0; }
};

class FullStationList {
public:
    explicit FullStationList(Region &region);

    /// Stations below the present count existed before the engine attached: events overwritten until then are missed,
    /// not lost.
    void setAttached(const Allocation &allocation) { m_attachedBelow = allocation.stations(); }

    /// Detects which free stations were popped from the stack and are used again. The engine pushes a station of this
    /// project's probe once it is dead and drained.
    void noticeReuse();
    /// Returns false if a station was popped from the stack since noticeReuse().
    bool isReuseNoticed() const;

    /// Discovers births. With `all`, checks every station that was allocated but not born yet, else only a few.
    void discover(const Allocation &allocation, bool all, Batch &batch);
    bool isDiscovered(const Allocation &allocation) const { return allocation.stations() <= m_discovered; }

    /// Reads new events, beginning where the last call stopped. Returns false if it stopped at `maxTransitions`.
    template <std::memory_order order>
    bool readLive(Batch &batch, std::size_t maxTransitions);
    void readFaulty(Batch &batch);

    /// Checks `count` stations in rotation: live ones for death and a second writer, dead ones for new events. Stops
    /// when the batch is full.
    void rotate(std::uint64_t count, Batch &batch, std::size_t maxTransitions);
    std::uint64_t rotationSize() const { return m_live.size() + m_dead.size(); }

    /// Decides for every station how far it will be read. Then call drainToEnd() until it returns true.
    void decideEnd();
    bool drainToEnd(Batch &batch, std::size_t maxTransitions);

    std::uint64_t pendingBirths() const { return m_pending.size(); }
    bool hasUnmarked() const { return m_hasUnmarked; }
    /// As RunFlags::unproven.
    bool isUnproven() const { return m_isUnproven; }

private:
    /// 32 bytes; every pass reads them in order.
    struct Entry {
        StationCursor cursor;
        std::uint32_t station = 0;
        CoroutineId coroutine = kNoCoroutine;  ///< kNoCoroutine = removed, skip
        std::uint64_t start = 0;               ///< the station's number of this coroutine's first event
    };
    struct Faulty {
        Entry entry;
        FaultyCounts counts;
        StationSeqs end{};  ///< set by decideEnd(): events beyond are not read
        bool dead = false;
    };

    const corotracer::StationData &stationOf(const Entry &entry) const { return m_stations[entry.station]; }
    bool discoverOne(std::uint32_t index, Batch &batch);
    /// Reads one station once. Returns false if nothing was there.
    bool visit(Entry &entry, Batch &batch, std::uint64_t end = kNoEnd);
    void drain(Entry &entry, Batch &batch);
    void append(const Entry &entry, Batch &batch);
    void makeFaulty(Entry &entry, Batch &batch);
    void readFaultyTo(Faulty &faulty, const StationSeqs &seqs, Batch &batch);
    void reportDeath(const Entry &entry, Batch &batch) const;
    void checkLive(Entry &entry, Batch &batch);
    void checkDead(Entry &entry, Batch &batch);
    void freeStation(const Entry &entry);
    void adoptFree();
    void noticePopped(std::uint32_t top);
    bool isReused(const Entry &entry) const;
    void compactLive();
    bool drainEntry(Entry &entry, std::uint64_t end, Batch &batch);
    void closeFaulty(Batch &batch);

    Region &m_region;
    const corotracer::StationData *m_stations;  ///< stays valid as long as the region
    std::vector<Entry> m_live;                  ///< in order of discovery, which is the order of addresses
    /// Dead stations to check again. A forked child may still write to a version-1 station. Marked stations are here
    /// only without ownership: the owner frees them.
    std::vector<Entry> m_dead;
    std::vector<Faulty> m_faulty;              ///< kept until the end
    std::vector<std::uint32_t> m_pending;      ///< allocated, birth_ts still 0
    std::vector<std::uint32_t> m_free;         ///< copy of the stack of free stations: probes only pop
    std::vector<std::uint32_t> m_adoptedFree;  ///< sorted; the stack at the start
    std::uint32_t m_attachedBelow = 0;
    std::uint32_t m_discovered = 0;  ///< every index below was checked once
    std::size_t m_readAt = 0;        ///< start of the next readLive()
    std::size_t m_removed = 0;       ///< removed entries in m_live
    std::size_t m_pendingAt = 0;
    std::size_t m_rotateAt = 0;
    CoroutineId m_coroutines = 0;  ///< number of coroutines discovered
    bool m_hasUnmarked = false;
    bool m_isUnproven = false;
    StationReading m_reading;

    // Parallel to m_live followed by m_dead, from decideEnd() on.
    std::vector<std::uint64_t> m_ends;
    std::vector<bool> m_deadAtEnd;
    std::size_t m_drainAt = 0;
};

/// The hot loop. A station without news costs one cache line: the one for its next event, which is prefetched in time.
/// The distance is at most 24, because the slots of neighbouring stations share few sets of the first-level cache.
template <std::memory_order order>
bool FullStationList::readLive(Batch &batch, std::size_t maxTransitions)
{
    constexpr std::size_t kAhead = 24;
    const std::size_t size = m_live.size();
    if (m_readAt >= size)
        m_readAt = 0;
    std::size_t at = m_readAt;
    for (std::size_t done = 0; done < size; ++done) {
        if (batch.transitions.size() >= maxTransitions) [[unlikely]] {
            m_readAt = at;
            return false;
        }
        std::size_t ahead = at + kAhead;
        if (ahead >= size)
            ahead = size - 1;
        const Entry &coming = m_live[ahead];
        __builtin_prefetch(&stationOf(coming).slots[coming.cursor.next % corotracer::kSlotsPerStation].seq);
        Entry &entry = m_live[at];
        if (hasNews<order>(stationOf(entry), entry.cursor) && entry.coroutine != kNoCoroutine) [[unlikely]]
            visit(entry, batch);
        if (++at == size)
            at = 0;
    }
    m_readAt = at;
    return true;
}

}  // namespace ct
