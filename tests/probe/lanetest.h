// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Support for the probe's tests: a region with lanes, and a minimal reader made from the layout header alone. The
// reader does an engine's duties: it stores tails, frees closed lanes, and frees dead compact stations.
#pragma once

#include "tests/probe/probetest.h"
#include "tests/support/lanelayout.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace lanetest {

using namespace corotracer;

using Options = lanelayout::Sizes;

/// A sparse region file with all areas.
class Region : public probetest::RegionFile {
public:
    explicit Region(const Options &options = {}, const std::string &directory = {})
        : RegionFile(lanelayout::layOut(options, *std::make_unique<GlobalHeader>()), options.stations, directory)
    {
        (void)lanelayout::layOut(options, header());
    }

    ExtensionHeader &extension() const { return header().extension; }
    StationData &station(std::size_t i) const { return at<StationData>(kHeaderSize, i); }
    ProcessEntry &process(std::size_t i) const { return at<ProcessEntry>(extension().process_table_offset, i); }
    LaneHeader &lane(std::size_t i) const { return at<LaneHeader>(extension().lane_directory_offset, i); }
    CompactState &compactStation(std::size_t i) const { return at<CompactState>(extension().states_offset, i); }
    CompactBirth &birth(std::size_t i) const { return at<CompactBirth>(extension().births_offset, i); }
    LaneRecord &record(const LaneHeader &lane, std::uint64_t position) const
    {
        return at<LaneRecord>(lane.offset.load(), position % lane.records.load());
    }
    std::uint32_t lanes() const { return extension().lane_count.load(std::memory_order_acquire); }
    std::uint32_t compactStations() const { return extension().compact_station_count.load(std::memory_order_acquire); }
    std::uint32_t life(std::size_t i) const { return static_cast<std::uint32_t>(compactStation(i).life.load()); }
    std::uint32_t generation(std::size_t i) const
    {
        return static_cast<std::uint32_t>(compactStation(i).life.load() >> 32);
    }

private:
    template <class T>
    T &at(std::uint64_t offset, std::size_t index) const
    {
        REQUIRE(offset + (index + 1) * sizeof(T) <= size());
        return reinterpret_cast<T *>(bytes() + offset)[index];
    }
};

/// A promise that shows its identity.
struct Traced : corotracer::PromiseMixin {
    std::uint64_t self() const { return identity(); }
};

/// Publishes `number` events, alternately suspensions and resumptions.
inline void events(corotracer::PromiseMixin &promise, std::uint64_t number)
{
    for (std::uint64_t i = 0; i < number; ++i)
        promise.write_trace(i % 2 == 0 ? 0x1000 + i : 0, i % 2 == 1, 3);
}

struct Record {
    std::uint64_t position = 0;
    std::uint64_t ts = 0;
    std::uint64_t identity = 0;
    std::uint64_t arg = 0;
    std::uint32_t n = 0;
    std::uint32_t site = 0;
    std::uint8_t kind = 0;
    std::uint64_t tid = 0;
    std::size_t lane = 0;
};

/// Returns the records from a lane's tail to the last committed one, without moving the tail.
inline std::vector<Record> peek(const Region &region, std::size_t index, std::size_t most = ~std::size_t{0})
{
    std::vector<Record> result;
    const LaneHeader &lane = region.lane(index);
    const std::uint32_t capacity = lane.records.load(std::memory_order_acquire);
    if (capacity == 0)
        return result;
    for (std::uint64_t p = lane.tail.load(); result.size() < most; ++p) {
        // A slot without memory is not readable: on a full file system, the read raises SIGBUS.
        if (p % capacity >= lane.committed.load(std::memory_order_acquire))
            break;
        // Acquire; partner: the probe's release. The rest of the record is then visible.
        const LaneRecord &record = region.record(lane, p);
        const std::uint64_t commit = record.commit.load(std::memory_order_acquire);
        if ((commit & 0xF) != p / capacity % kLaneLaps + 1)
            break;
        result.push_back({p, record.ts.load(std::memory_order_acquire), record.identity.load(std::memory_order_acquire),
                          record.arg.load(std::memory_order_acquire), static_cast<std::uint32_t>(commit >> 32),
                          static_cast<std::uint32_t>(commit >> 12) & 0xF'FFFF, static_cast<std::uint8_t>(commit >> 4),
                          lane.tid.load(std::memory_order_acquire), index});
    }
    return result;
}

/// Reads one lane as an engine does: copies the records, stores the tail, and frees the lane if its thread has ended.
inline std::vector<Record> drain(const Region &region, std::size_t index)
{
    LaneHeader &lane = region.lane(index);
    const std::uint32_t state = lane.state.load(std::memory_order_acquire);
    if (state == kLaneMaking)
        return {};
    std::vector<Record> records = peek(region, index);
    // Release; partner: the probe's acquire before it writes there again.
    lane.tail.store(lane.tail.load() + records.size(), std::memory_order_release);
    if (state == kLaneClosed)
        lane.state.store(kLaneFree, std::memory_order_release);
    return records;
}

inline std::vector<Record> drainAll(const Region &region)
{
    std::vector<Record> result;
    for (std::uint32_t i = 0; i < region.lanes(); ++i) {
        const std::vector<Record> records = drain(region, i);
        result.insert(result.end(), records.begin(), records.end());
    }
    return result;
}

inline std::size_t count(const std::vector<Record> &records, std::uint8_t kind)
{
    std::size_t result = 0;
    for (const Record &record : records)
        result += record.kind == kind ? 1 : 0;
    return result;
}

/// Returns the kinds in order: B birth, D death, S suspend, R resume, ! drops, - off, + on, ? anything else.
inline std::string pattern(const std::vector<Record> &records)
{
    std::string result;
    for (const Record &record : records) {
        const std::uint8_t high = record.kind & 0xF0;
        result += record.kind == kRecordBirth       ? 'B'
                  : record.kind == kRecordDeath     ? 'D'
                  : high == kRecordSuspend          ? 'S'
                  : high == kRecordResume           ? 'R'
                  : record.kind == kRecordDrops     ? '!'
                  : record.kind == kRecordSwitchOff ? '-'
                  : record.kind == kRecordSwitchOn  ? '+'
                                                    : '?';
    }
    return result;
}

inline bool isTransition(const Record &record)
{
    return (record.kind & 0xF0) == kRecordSuspend || (record.kind & 0xF0) == kRecordResume;
}

/// Collects the records of each coroutine, and checks that every number occurs exactly once.
class Ledger {
public:
    void add(const std::vector<Record> &records)
    {
        for (const Record &record : records) {
            if (isTransition(record)) {
                CHECK(m_seen[record.identity].insert(record.n).second);
                ++transitions;
            } else if (record.kind == kRecordBirth) {
                CHECK(m_born.insert(record.identity).second);
            } else if (record.kind == kRecordDeath) {
                CHECK(m_dead.emplace(record.identity, record.n).second);
            } else if (record.kind == kRecordDrops) {
                dropped += record.identity;
                ++markers;
            }
        }
    }
    /// Checks that all events of every dead coroutine were read, and that there is no event of an unknown coroutine.
    void checkComplete() const
    {
        for (const auto &[identity, n] : m_dead) {
            const auto found = m_seen.find(identity);
            CHECK_EQUAL(found == m_seen.end() ? 0 : found->second.size(), n);
            CHECK(n == 0 || *found->second.rbegin() == n - 1);
        }
        for (const auto &[identity, seen] : m_seen)
            CHECK(m_born.count(identity) == 1);
    }
    std::size_t born() const { return m_born.size(); }
    std::size_t dead() const { return m_dead.size(); }

    std::uint64_t transitions = 0;
    std::uint64_t dropped = 0;
    std::uint64_t markers = 0;

private:
    std::map<std::uint64_t, std::set<std::uint32_t>> m_seen;
    std::set<std::uint64_t> m_born;
    std::map<std::uint64_t, std::uint32_t> m_dead;
};

}  // namespace lanetest
