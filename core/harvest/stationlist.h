// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The stations of a region as the harvest loop knows them: being born, live, dead, or faulty; and their books.
// One thread. Nothing is allocated and nothing virtual is called per event (vectors keep their capacity).
#pragma once

#include "core/harvest/harvestbooks.h"
#include "core/harvest/region.h"
#include "core/protocol/stationreader.h"
#include "core/trace/stream.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ct {

/// One reading of the header's counts; `max` already cut to what the file holds.
struct Allocation {
    std::uint32_t count = 0;
    std::uint32_t max = 0;
    std::uint64_t wrapped = 0;  ///< subtracted from the count so far

    std::uint32_t stations() const { return std::min(count, max); }
    /// Births that found no station.
    std::uint64_t beyond() const { return wrapped + count > max ? wrapped + count - max : 0; }
};

class StationList {
public:
    StationList(Region &region, HarvestBooks &books);

    /// Stations below this existed before we looked: what they lost until then was missed, not lost.
    void setAttached(const Allocation &allocation) { m_attachedBelow = allocation.stations(); }

    /// Our probe's stations, given back once they are dead and read, are used again: notices which ones were taken.
    void noticeReuse();
    /// False: a station was taken from the stack of free ones since.
    bool isReuseNoticed() const;

    /// Finds births; `all`: looks again at every station that was given out but not born yet, else at some of them.
    void discover(const Allocation &allocation, bool all, Batch &batch);
    bool isDiscovered(const Allocation &allocation) const { return allocation.stations() <= m_discovered; }

    /// Reads what is new, beginning where the last call stopped. False: stopped at `maxTransitions`.
    template <std::memory_order order>
    bool readLive(Batch &batch, std::size_t maxTransitions);
    void readFaulty(Batch &batch);

    /// Looks for death, for a second writer, and for life in dead version-1 stations; at `count` stations, in turn;
    /// fewer when the batch is full.
    void rotate(std::uint64_t count, Batch &batch, std::size_t maxTransitions);
    std::uint64_t rotationSize() const { return m_live.size() + m_dead.size(); }

    /// The end: fixes for every station how far it will be read. Then drainToEnd() until it says true.
    void decideEnd();
    bool drainToEnd(Batch &batch, std::size_t maxTransitions);

    std::uint64_t pendingBirths() const { return m_pending.size(); }
    bool hasUnmarked() const { return m_hasUnmarked; }

private:
    /// 32 bytes; read in order by every pass.
    struct Entry {
        StationCursor cursor;
        std::uint32_t station = 0;
        CoroutineId coroutine = kNoCoroutine;  ///< kNoCoroutine: removed, skip
        std::uint64_t start = 0;               ///< number that the station's first event of this coroutine has there
    };
    struct Faulty {
        Entry entry;
        FaultyCounts counts;
        StationSeqs end{};  ///< decideEnd(): read no further
        bool dead = false;
    };

    const corotracer::StationData &stationOf(const Entry &entry) const { return m_stations[entry.station]; }
    bool bear(std::uint32_t index, Batch &batch);
    /// Reads one station once; false: nothing was there.
    bool visit(Entry &entry, Batch &batch, std::uint64_t end = kNoEnd);
    void drain(Entry &entry, Batch &batch);
    void append(const Entry &entry, Batch &batch);
    void makeFaulty(Entry &entry, Batch &batch);
    void readFaultyTo(Faulty &faulty, const StationSeqs &seqs, Batch &batch);
    void reportDeath(const Entry &entry, Batch &batch) const;
    void lookAtLive(Entry &entry, Batch &batch);
    void lookAtDead(Entry &entry, Batch &batch);
    void giveBack(const Entry &entry);
    void adoptFree();
    void noticeTaken(std::uint32_t top);
    bool isReused(const Entry &entry) const;
    void compactLive();
    bool drainEntry(Entry &entry, std::uint64_t end, Batch &batch);
    void closeFaulty(Batch &batch);

    Region &m_region;
    const corotracer::StationData *m_stations;  ///< the mapping stays where it is as long as the region lives
    HarvestBooks &m_books;
    std::vector<Entry> m_live;                 ///< in order of discovery, which is the order of addresses
    std::vector<Entry> m_dead;                 ///< version-1 only: a forked child may have set is_dead, or write on
    std::vector<Faulty> m_faulty;              ///< stay until the end
    std::vector<std::uint32_t> m_pending;      ///< given out, birth_ts still 0
    std::vector<std::uint32_t> m_free;         ///< the stack of free stations as we built it: probes only pop
    std::vector<std::uint32_t> m_adoptedFree;  ///< sorted: in the stack when we came
    std::uint32_t m_attachedBelow = 0;
    std::uint32_t m_discovered = 0;  ///< every index below was looked at
    std::size_t m_readAt = 0;        ///< where the next readLive() begins
    std::size_t m_removed = 0;       ///< entries of m_live to skip
    std::size_t m_pendingAt = 0;
    std::size_t m_rotateAt = 0;
    bool m_hasUnmarked = false;
    StationReading m_reading;

    // From decideEnd() on: for m_live, then m_dead.
    std::vector<std::uint64_t> m_ends;
    std::vector<bool> m_deadAtEnd;
    std::size_t m_drainAt = 0;
};

/// The hot loop. A station that has nothing new costs the line its next event can land in; that line is asked for
/// early enough to be there. Not more than 24 ahead: slots of neighbouring stations share few sets of the first-level
/// cache.
template <std::memory_order order>
bool StationList::readLive(Batch &batch, std::size_t maxTransitions)
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
