// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A producer and a concurrent reader. Also for thread sanitizer.
#include "core/protocol/lanereader.h"
#include "tests/support/check.h"
#include "tests/support/lanewriter.h"

#include <thread>
#include <vector>

using lanewriter::Lane;
using lanewriter::LooseRing;

namespace {

constexpr std::uint64_t kIdentity = lanewriter::identityOf(3, 1);
constexpr std::uint64_t kKey = 5;
constexpr std::uint64_t kRecords = 2'000'000;

struct Producer {
    std::uint64_t accepted = 0;
    std::atomic<bool> done{false};
    std::uint64_t shrinksAt = ~std::uint64_t{0};  ///< position at which the lane shrinks

    void run(Lane lane)
    {
        for (std::uint64_t n = 0; n < kRecords; ++n) {
            if (lane.position() == shrinksAt)
                lane.shrink();
            accepted += lane.put(lanewriter::genuineRecord(kIdentity, kKey, n));
        }
        done.store(true, std::memory_order_release);
    }
};

struct Reader {
    std::uint64_t position = 0, count = 0, skipped = 0, drops = 0, wrong = 0;
    std::uint64_t next = 0;
    std::vector<ct::LaneItem> items = std::vector<ct::LaneItem>(700);

    /// Returns false if there is nothing new.
    bool read(const lanewriter::Ring &ring)
    {
        const std::uint64_t end = ct::committedEnd(ring.view(), position);
        const ct::LaneReading reading = ct::readLane(ring.view(), position, items);
        wrong += reading.next < position;
        // Everything committed before is read or was overwritten. There are two exceptions: a full buffer, and a skip
        // that is left to the next reading.
        const bool leapsNext = ring.overwrite && reading.count != 0;
        wrong += reading.next < end && reading.count < items.size() && reading.skipped == 0 && !leapsNext;
        for (std::size_t i = 0; i < reading.count; ++i)
            judge(items[i]);
        count += reading.count;
        skipped += reading.skipped;
        const bool any = reading.next != position;
        position = reading.next;
        ring.header->tail.store(position, std::memory_order_release);  // partner: the producer's acquire load
        return any;
    }
    void judge(const ct::LaneItem &item)
    {
        if (item.kind == corotracer::kRecordDrops) {
            drops += item.identity;
            next += item.identity;
            return;
        }
        wrong += item.identity != kIdentity || !lanewriter::isGenuine(item, kKey) || item.n < next;
        next = item.n + 1;
    }
};

void runBoth(LooseRing &memory, Producer &producer, Reader &reader)
{
    std::thread thread([&] { producer.run(Lane(memory.ring(), 0)); });
    while (!producer.done.load(std::memory_order_acquire))
        reader.read(memory.ring());
    thread.join();
    while (reader.read(memory.ring())) {
    }
}

}  // namespace

CT_CASE(nothingIsLostInSilence)
{
    LooseRing memory(corotracer::kLaneRecordsMin, false);
    Producer producer;
    Reader reader;
    runBoth(memory, producer, reader);
    CHECK_EQUAL(reader.wrong, 0u);
    CHECK_EQUAL(reader.skipped, 0u);
    const std::uint64_t dropped = memory.ring().header->dropped.load();
    CHECK_EQUAL(producer.accepted + dropped, kRecords);
    // A drop record reports every drop, except for those at the end, behind the last record.
    CHECK(reader.drops <= dropped);
    CHECK_EQUAL(reader.next + (dropped - reader.drops), kRecords);
}

CT_CASE(anOverwritingProducerIsFollowed)
{
    for (const std::uint32_t capacity : {corotracer::kLaneRecordsMin, 8 * corotracer::kLaneRecordsMin}) {
        LooseRing memory(capacity, true);
        Producer producer;
        Reader reader;
        runBoth(memory, producer, reader);
        CHECK_EQUAL(reader.wrong, 0u);
        CHECK_EQUAL(producer.accepted, kRecords);
        CHECK_EQUAL(reader.count + reader.skipped, kRecords);
        CHECK_EQUAL(reader.next, kRecords);
        CHECK(reader.count >= capacity - corotracer::kLaneBlock);
    }
}

/// The lane shrinks at any position of the reader, and whatever it has read before.
CT_CASE(aLaneThatGetsShorterIsFollowed)
{
    for (const bool overwrite : {false, true}) {
        for (const std::uint32_t blocks : {2U, 3U, 7U}) {
            LooseRing memory(8 * corotracer::kLaneBlock, overwrite);
            memory.ring().header->committed.store(blocks * corotracer::kLaneBlock);
            Producer producer;
            producer.shrinksAt = blocks * corotracer::kLaneBlock;
            Reader reader;
            runBoth(memory, producer, reader);
            CHECK_EQUAL(reader.wrong, 0u);
            CHECK_EQUAL(memory.ring().header->records.load(), blocks * corotracer::kLaneBlock);
            const std::uint64_t dropped = memory.ring().header->dropped.load();
            CHECK_EQUAL(producer.accepted + dropped, kRecords);
            CHECK_EQUAL(reader.next + (dropped - reader.drops), kRecords);
            if (overwrite)
                CHECK_EQUAL(reader.count + reader.skipped, kRecords);
            else
                CHECK_EQUAL(reader.skipped, 0u);
        }
    }
}
