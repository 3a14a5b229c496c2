// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A plain writer of lanes, compact stations and processes. It follows docs/ctp.md and uses nothing of the probe but the
// layout header, so the tests of the readers do not repeat a mistake of the probe. Slow and simple. Payloads are
// functions of (key, number), as in writers.h, so a torn or misnumbered event cannot pass as genuine.
#pragma once

#include "core/base/relaxed.h"
#include "core/protocol/lanereader.h"
#include "corotracer/layout.h"
#include "tests/support/writers.h"

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/stat.h>

namespace lanewriter {

using ct::kRelaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

constexpr std::uint64_t identityOf(std::uint32_t index, std::uint32_t generation)
{
    return std::uint64_t{generation} << 32 | index;
}

/// Returns true if every field of the record matches what Coroutine::step() of writer `key` stores for number record.n.
inline bool isGenuine(const ct::RecordCopy &record, std::uint64_t key)
{
    const bool active = writers::activeOf(record.n());
    return record.ts == writers::tsOf(record.n()) && record.arg == (active ? 0 : writers::addrOf(key, record.n())) &&
           (record.kind() & 0xF0) == (active ? corotracer::kRecordResume : corotracer::kRecordSuspend);
}

/// A record before it is encoded.
struct Record {
    std::uint8_t kind = 0;
    std::uint64_t ts = 0, identity = 0, arg = 0, n = 0;
    std::uint32_t site = 0;
};
inline Record genuineRecord(std::uint64_t identity, std::uint64_t key, std::uint64_t n, std::uint32_t site = 0,
                            std::uint8_t point = corotracer::kAwaitPoint)
{
    const bool active = writers::activeOf(n);
    const auto kind = static_cast<std::uint8_t>((active ? corotracer::kRecordResume : corotracer::kRecordSuspend) |
                                                (active ? 0 : point));
    return {kind, writers::tsOf(n), identity, active ? 0 : writers::addrOf(key, n), n, site};
}

/// Pointers to the parts of a lane, and its size.
struct Ring {
    corotracer::LaneHeader *header = nullptr;
    corotracer::LaneRecord *records = nullptr;
    std::atomic<std::uint64_t> *blockNumbers = nullptr;
    std::uint32_t capacity = 0;
    bool overwrite = false;

    ct::LaneView view() const
    {
        return {records, blockNumbers, &header->committed, capacity, overwrite, &header->records};
    }
};

/// A lane in private memory, for tests without a region.
class LooseRing {
public:
    LooseRing(std::uint32_t capacity, bool overwrite)
        : m_records(std::make_unique<corotracer::LaneRecord[]>(capacity)),
          m_numbers(std::make_unique<std::atomic<std::uint64_t>[]>(capacity / 1024)),
          m_capacity(capacity),
          m_overwrite(overwrite)
    {
        m_header.records.store(capacity, kRelaxed);
        m_header.committed.store(capacity, kRelaxed);
        m_header.state.store(corotracer::kLaneActive, kRelease);
    }
    Ring ring() { return {&m_header, m_records.get(), m_numbers.get(), m_capacity, m_overwrite}; }

private:
    corotracer::LaneHeader m_header{};
    std::unique_ptr<corotracer::LaneRecord[]> m_records;
    std::unique_ptr<std::atomic<std::uint64_t>[]> m_numbers;
    std::uint32_t m_capacity;
    bool m_overwrite;
};

/// The producer of one lane. Used by one thread at a time.
class Lane {
public:
    Lane(const Ring &ring, std::uint64_t position) : m_ring(ring), m_position(position) {}

    /// Returns false if the lane was full (discard mode). The record is then dropped and counted.
    bool put(const Record &record)
    {
        if (m_pending != 0 && hasRoom(2)) {
            store({corotracer::kRecordDrops, m_firstDropped, m_pending, m_lastDropped, 0, 0});
            m_pending = 0;
        }
        if (m_pending == 0 && hasRoom(1)) {
            store(record);
            return true;
        }
        if (m_pending++ == 0)
            m_firstDropped = record.ts;
        m_lastDropped = record.ts;
        m_ring.header->dropped.fetch_add(1, kRelaxed);
        return false;
    }

    /// Stores the payload without the commit, as a writer that stops in the middle of a record.
    void putTorn(const Record &record)
    {
        beginBlock();
        storePayload(slotOf(m_position), record);
    }

    /// Ends the lane at the producer's position, as if there were no memory for slot `committed` in the first lap.
    void shrink()
    {
        m_ring.capacity = static_cast<std::uint32_t>(m_position);
        m_ring.header->records.store(m_ring.capacity, kRelease);  // partner: the reader's acquire load
    }

    void close(std::uint64_t now)
    {
        m_ring.header->closed_ts.store(now, kRelaxed);
        m_ring.header->state.store(corotracer::kLaneClosed, kRelease);  // partner: the engine's acquire load
    }

    std::uint64_t position() const { return m_position; }
    const Ring &ring() const { return m_ring; }

private:
    bool hasRoom(std::uint64_t records) const
    {
        if (m_ring.overwrite)
            return true;
        // Acquire; partner: the engine's release store of tail, which follows its loads of the slots to be overwritten.
        return m_position + records <= m_ring.header->tail.load(kAcquire) + m_ring.capacity;
    }
    corotracer::LaneRecord &slotOf(std::uint64_t position) const { return m_ring.records[position % m_ring.capacity]; }
    void beginBlock() const
    {
        if (!m_ring.overwrite || m_position % 1024 != 0)
            return;
        const std::uint64_t block = m_position / 1024;
        m_ring.blockNumbers[block % (m_ring.capacity / 1024)].store(block + 1, kRelaxed);
    }
    static void storePayload(corotracer::LaneRecord &slot, const Record &record)
    {
        slot.ts.store(record.ts, kRelease);  // partner, in overwrite mode: the reader's acquire loads
        slot.identity.store(record.identity, kRelease);
        slot.arg.store(record.arg, kRelease);
    }
    void store(const Record &record)
    {
        beginBlock();
        corotracer::LaneRecord &slot = slotOf(m_position);
        storePayload(slot, record);
        const std::uint64_t lap = m_position / m_ring.capacity % 15 + 1;
        const std::uint64_t commit = (record.n & 0xFFFFFFFF) << 32 | std::uint64_t{record.site & 0xFFFFF} << 12 |
                                     std::uint64_t{record.kind} << 4 | lap;
        slot.commit.store(commit, kRelease);  // partner: the reader's acquire load
        ++m_position;
    }

    Ring m_ring;
    std::uint64_t m_position;
    std::uint64_t m_pending = 0, m_firstDropped = 0, m_lastDropped = 0;
};

/// A target process in a mapped region. It does not populate memory, so the file system must have room.
class Process {
public:
    /// Claims an entry of the process table. Raw clocks are in ns (clock_kind 0).
    Process(corotracer::GlobalHeader &header, std::uint32_t pid, std::uint64_t startTicks)
        : m_header(&header), m_base(reinterpret_cast<std::byte *>(&header))
    {
        for (m_index = 0; m_index < header.extension.process_capacity; ++m_index) {
            std::uint32_t expected = corotracer::kProcessFree;
            if (entry().state.compare_exchange_strong(expected, corotracer::kProcessMaking, kAcquire))
                break;
        }
        entry().pid.store(pid, kRelaxed);
        entry().start_ticks.store(startTicks, kRelaxed);
        struct stat space {};
        if (::stat("/proc/self/ns/pid", &space) == 0)
            entry().pid_namespace.store(space.st_ino, kRelaxed);
        entry().clock_kind.store(0, kRelaxed);
        entry().init_ns.store(writers::kTsBase, kRelaxed);
        entry().state.store(corotracer::kProcessActive, kRelease);
    }

    std::uint32_t index() const { return m_index; }
    corotracer::GlobalHeader &header() const { return *m_header; }
    corotracer::ProcessEntry &entry() const
    {
        return at<corotracer::ProcessEntry>(extension().process_table_offset)[m_index];
    }
    corotracer::LaneHeader &laneHeader(std::uint32_t index) const
    {
        return at<corotracer::LaneHeader>(extension().lane_directory_offset)[index];
    }
    corotracer::CompactState &state(std::uint32_t index) const
    {
        return at<corotracer::CompactState>(extension().states_offset)[index];
    }
    corotracer::CompactBirth &birth(std::uint32_t index) const
    {
        return at<corotracer::CompactBirth>(extension().births_offset)[index];
    }

    /// Claims a free lane, or makes one with `records` (0: the region's default). Returns nullopt if the pool or the
    /// directory has no room.
    std::optional<Lane> claimLane(std::uint64_t tid, std::uint32_t records = 0) const
    {
        const std::uint32_t made = extension().lane_count.load(kAcquire);
        for (std::uint32_t index = 0; index < made; ++index) {
            std::uint32_t expected = corotracer::kLaneFree;
            corotracer::LaneHeader &lane = laneHeader(index);
            if (lane.records.load(kRelaxed) != 0 &&
                lane.state.compare_exchange_strong(expected, corotracer::kLaneMaking, kAcquire))
                return start(lane, tid, lane.tail.load(kRelaxed));
        }
        return makeLane(tid, records ? records : extension().lane_records);
    }

    /// Allocates a compact station from the stack of free ones, or a new one. Returns nullopt if there is none.
    std::optional<std::uint32_t> allocateStation() const
    {
        std::uint64_t top = extension().free_compact_stations.load(kAcquire);
        while ((top & 0xFFFFFFFF) != 0) {
            const auto index = static_cast<std::uint32_t>(top) - 1;
            const std::uint64_t rest = ((top >> 32) + 1) << 32 | birth(index).next_free.load(kRelaxed);
            if (extension().free_compact_stations.compare_exchange_weak(top, rest, kAcquire))
                return index;
        }
        const std::uint32_t index = extension().compact_station_count.fetch_add(1, kRelaxed);
        if (index >= extension().compact_stations_reserved)
            return std::nullopt;
        std::uint32_t committed = extension().compact_stations_committed.load(kRelaxed);
        while (committed <= index &&
               !extension().compact_stations_committed.compare_exchange_weak(committed, index + 1, kRelease))
            ;
        return index;
    }
    void freeStation(std::uint32_t index) const
    {
        std::uint64_t top = extension().free_compact_stations.load(kRelaxed);
        std::uint64_t next;
        do {
            birth(index).next_free.store(static_cast<std::uint32_t>(top), kRelaxed);
            next = ((top >> 32) + 1) << 32 | (index + 1);
        } while (!extension().free_compact_stations.compare_exchange_weak(top, next, kRelease, kRelaxed));
    }

    /// Stores the string and returns its reference, offset << 16 | length. Returns 0 if there is no room.
    std::uint64_t intern(std::string_view text) const
    {
        const std::uint64_t offset = extension().strings_used.fetch_add(text.size(), kRelaxed);
        if (offset + text.size() > extension().strings_capacity)
            return 0;
        std::memcpy(m_base + extension().strings_offset + offset, text.data(), text.size());
        return offset << 16 | text.size();
    }

private:
    template <class T>
    T *at(std::uint64_t offset) const
    {
        return reinterpret_cast<T *>(m_base + offset);
    }
    corotracer::ExtensionHeader &extension() const { return m_header->extension; }

    Lane start(corotracer::LaneHeader &lane, std::uint64_t tid, std::uint64_t position) const
    {
        lane.process.store(m_index, kRelaxed);
        lane.tid.store(tid, kRelaxed);
        lane.begin.store(position, kRelaxed);
        lane.thread_name.store(0, kRelaxed);
        lane.closed_ts.store(0, kRelaxed);
        lane.claims.fetch_add(1, kRelaxed);
        lane.state.store(corotracer::kLaneActive, kRelease);  // partner: the engine's acquire load
        const Ring ring{&lane, at<corotracer::LaneRecord>(lane.offset.load(kRelaxed)),
                        at<std::atomic<std::uint64_t>>(lane.block_numbers_offset.load(kRelaxed)),
                        lane.records.load(kRelaxed), extension().lane_mode == corotracer::kLanesOverwrite};
        return Lane(ring, position);
    }

    std::optional<Lane> makeLane(std::uint64_t tid, std::uint32_t records) const
    {
        const std::uint64_t numbers = (records / 1024 * 8 + 4095) / 4096 * 4096;
        const std::uint64_t bytes = numbers + std::uint64_t{records} * 32;
        std::uint64_t used = extension().lane_pool_used.load(kRelaxed);
        do {
            if (used + bytes > extension().lane_pool_size)
                return std::nullopt;
        } while (!extension().lane_pool_used.compare_exchange_weak(used, used + bytes, kRelaxed));
        const std::uint32_t index = extension().lane_count.load(kRelaxed);
        if (index >= extension().lane_capacity)
            return std::nullopt;
        corotracer::LaneHeader &lane = laneHeader(index);
        lane.state.store(corotracer::kLaneMaking, kRelaxed);
        // Tests need only one maker at a time. Release: the state is visible before the count.
        extension().lane_count.store(index + 1, kRelease);
        lane.block_numbers_offset.store(extension().lane_pool_offset + used, kRelaxed);
        lane.offset.store(extension().lane_pool_offset + used + numbers, kRelaxed);
        lane.records.store(records, kRelaxed);
        lane.committed.store(records, kRelease);
        return start(lane, tid, 0);
    }

    corotracer::GlobalHeader *m_header;
    std::byte *m_base;
    std::uint32_t m_index = 0;
};

/// One traced coroutine. Its calls act on the thread of the given lane.
class Coroutine {
public:
    /// Allocates a compact station and starts a coroutine in it. m_isAllWritten is true if the lane had room for the
    /// birth record. If `clock` is set, it gives the time after the allocation, which is later than the previous death
    /// in this station.
    static std::optional<Coroutine> create(const Process &process, Lane &lane, std::uint64_t key, std::uint64_t ts,
                                           std::uint64_t (*clock)() = nullptr)
    {
        const std::optional<std::uint32_t> index = process.allocateStation();
        if (!index)
            return std::nullopt;
        if (clock)
            ts = clock();
        corotracer::CompactState &state = process.state(*index);
        corotracer::CompactBirth &birth = process.birth(*index);
        const std::uint64_t generation = (state.life.load(kRelaxed) >> 32) + 1;
        state.life.store(generation << 32 | corotracer::kCompactFree, kRelease);
        birth.events_before.store(birth.events_before.load(kRelaxed) + state.seq.load(kRelaxed) / 2, kRelease);
        birth.probe_id.store(key, kRelease);
        birth.birth_ts.store(ts, kRelease);
        birth.name.store(0, kRelease);
        birth.parent.store(corotracer::kNoIdentity, kRelease);
        birth.process.store(process.index(), kRelease);
        for (auto *field :
             {&state.seq, &state.ts, &state.addr, &state.what, &state.tid, &state.death_ts, &state.finished_ts})
            field->store(0, kRelease);
        state.life.store(generation << 32 | corotracer::kCompactAlive, kRelease);  // partner: the engine's acquire load
        Coroutine made(process, *index, static_cast<std::uint32_t>(generation), key);
        made.m_isAllWritten = lane.put({corotracer::kRecordBirth, ts, made.identity(), key, 0, 0});
        return made;
    }

    /// The next event, with the payload of writers.h: even numbers suspend, odd numbers resume.
    bool step(Lane &lane, std::uint32_t site = 0, std::uint8_t point = corotracer::kAwaitPoint)
    {
        return transition(lane, genuineRecord(identity(), m_key, m_events, site, point));
    }

    /// Any event: writes the record first, then the CompactState. Returns false if the record was dropped.
    bool transition(Lane &lane, const Record &record)
    {
        const bool isWritten = lane.put(record);
        corotracer::CompactState &state = m_process->state(m_index);
        state.seq.store(2 * m_events + 1, kRelaxed);
        state.ts.store(record.ts, kRelease);  // partner: the reader's acquire loads, as for the others
        state.addr.store(record.arg, kRelease);
        state.what.store(std::uint64_t{record.kind} << 32 | record.site, kRelease);
        state.tid.store(lane.ring().header->tid.load(kRelaxed), kRelease);
        state.seq.store(2 * ++m_events, kRelease);
        return isWritten;
    }

    void writeNote(Lane &lane, const Record &record) { m_isAllWritten &= lane.put(record); }

    /// Ends the coroutine. Pushes the station on the stack if all records are in lanes, else leaves it to the engine.
    /// In overwrite mode it always pushes.
    void destroy(Lane &lane, std::uint64_t ts)
    {
        corotracer::CompactState &state = m_process->state(m_index);
        state.death_ts.store(ts, kRelease);
        m_isAllWritten &= lane.put({corotracer::kRecordDeath, ts, identity(), 0, m_events, 0});
        const bool recycle = m_isAllWritten || lane.ring().overwrite;
        // Release; partners: the engine's acquire load, and the next coroutine in this station.
        state.life.store(std::uint64_t{m_generation} << 32 |
                             (recycle ? corotracer::kCompactRecycled : corotracer::kCompactDead),
                         kRelease);
        if (recycle)
            m_process->freeStation(m_index);
    }

    std::uint64_t identity() const { return identityOf(m_index, m_generation); }
    std::uint32_t index() const { return m_index; }
    std::uint64_t events() const { return m_events; }
    std::uint64_t key() const { return m_key; }
    /// Continues at this number, as if so many events had been published.
    void setEvents(std::uint64_t events) { m_events = events; }

private:
    Coroutine(const Process &process, std::uint32_t index, std::uint32_t generation, std::uint64_t key)
        : m_process(&process), m_index(index), m_generation(generation), m_key(key)
    {
    }

    const Process *m_process;
    std::uint32_t m_index, m_generation;
    std::uint64_t m_key;
    std::uint64_t m_events = 0;
    bool m_isAllWritten = true;
};

}  // namespace lanewriter
