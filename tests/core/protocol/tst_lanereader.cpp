// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/lanereader.h"
#include "tests/support/check.h"
#include "tests/support/lanewriter.h"

#include <csignal>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <vector>

using ct::LaneReading;
using ct::RecordCopy;
using lanewriter::Lane;
using lanewriter::LooseRing;
using lanewriter::Ring;

namespace {

constexpr std::uint64_t kIdentity = 0x0000'0005'0000'0007;
constexpr std::uint64_t kKey = 9;
constexpr std::uint32_t kSmall = corotracer::kLaneRecordsMin;  // 2048: two blocks

/// Writes numbers [from, to).
void write(Lane &lane, std::uint64_t from, std::uint64_t to)
{
    for (std::uint64_t n = from; n < to; ++n)
        lane.put(lanewriter::genuineRecord(kIdentity, kKey, n, static_cast<std::uint32_t>(n) & 0xFFFFF));
}

/// Returns true if the copies have the numbers from, from + 1, ...
bool isRun(std::span<const RecordCopy> copies, std::uint64_t from)
{
    for (const RecordCopy &copy : copies) {
        if (copy.n() != static_cast<std::uint32_t>(from) || copy.identity != kIdentity ||
            copy.site() != (from & 0xFFFFF) || !lanewriter::isGenuine(copy, kKey))
            return false;
        ++from;
    }
    return true;
}

void setTail(const Ring &ring, std::uint64_t position)
{
    ring.header->tail.store(position, std::memory_order_release);
}

/// Reads until nothing new comes. Returns that position.
std::uint64_t readAll(const ct::LaneView &view, std::uint64_t position, std::uint64_t &count)
{
    std::vector<RecordCopy> copies(300);
    count = 0;
    for (bool more = true; more;) {
        const LaneReading reading = ct::readLane(view, position, copies);
        CHECK(!view.overwrite || reading.count == 0 || reading.next >= position + reading.count);
        more = reading.count != 0;
        count += reading.count;
        position = more ? reading.next : position;
    }
    return position;
}

}  // namespace

CT_CASE(readsCommittedRecordsInOrder)
{
    LooseRing memory(kSmall, false);
    Lane lane(memory.ring(), 0);
    const ct::LaneView view = memory.ring().view();
    std::vector<RecordCopy> copies(100);
    CHECK_EQUAL(ct::readLane(view, 0, copies).count, 0u);
    CHECK_EQUAL(ct::committedEnd(view, 0), 0u);
    write(lane, 0, 250);
    CHECK_EQUAL(ct::committedEnd(view, 0), 250u);
    CHECK_EQUAL(ct::committedEnd(view, 249), 250u);
    CHECK_EQUAL(ct::committedEnd(view, 250), 250u);
    CHECK(ct::hasRecordAt(view, 249) && !ct::hasRecordAt(view, 250));
    std::uint64_t position = 0;
    for (const std::size_t expected : {100u, 100u, 50u, 0u}) {
        const LaneReading reading = ct::readLane(view, position, copies);
        CHECK_EQUAL(reading.count, expected);
        CHECK_EQUAL(reading.skipped, 0u);
        CHECK(isRun(std::span(copies).first(reading.count), position));
        position += expected;
        CHECK_EQUAL(reading.next, position);
    }
    CHECK_EQUAL(ct::readLane(view, 0, {}).count, 0u);
}

CT_CASE(copyHasEveryField)
{
    LooseRing memory(kSmall, false);
    Lane lane(memory.ring(), 0);
    REQUIRE(lane.put({0x81, 0x1122334455667788, ~std::uint64_t{0}, 0xA1B2C3D4E5F60718, 0xFFFF'FFFF, 0xF'FFFF}));
    RecordCopy copy;
    REQUIRE(ct::readLane(memory.ring().view(), 0, {&copy, 1}).count == 1);
    CHECK_EQUAL(copy.ts, 0x1122334455667788u);
    CHECK_EQUAL(copy.identity, ~std::uint64_t{0});
    CHECK_EQUAL(copy.arg, 0xA1B2C3D4E5F60718u);
    CHECK_EQUAL(copy.n(), 0xFFFF'FFFFu);
    CHECK_EQUAL(copy.site(), 0xF'FFFFu);
    CHECK_EQUAL(int{copy.kind()}, 0x81);
}

CT_CASE(stopsAtATornRecord)
{
    for (const bool overwrite : {false, true}) {
        LooseRing memory(kSmall, overwrite);
        Lane lane(memory.ring(), 0);
        std::vector<RecordCopy> copies(kSmall);
        // In the first lap the slot was never written. In the second it carries the previous lap.
        for (const std::uint64_t at : {std::uint64_t{10}, std::uint64_t{kSmall} + 10}) {
            setTail(memory.ring(), lane.position());
            write(lane, lane.position(), at);
            lane.putTorn(lanewriter::genuineRecord(kIdentity, kKey, at));
            CHECK_EQUAL(ct::committedEnd(memory.ring().view(), at - 5), at);
            const LaneReading reading = ct::readLane(memory.ring().view(), at - 5, copies);
            CHECK_EQUAL(reading.count, 5u);
            CHECK_EQUAL(reading.next, at);
        }
    }
}

/// Laps repeat after 15: forty laps, read in pieces that do not divide the ring.
CT_CASE(continuesWhenLapsWrap)
{
    LooseRing memory(kSmall, false);
    Lane lane(memory.ring(), 0);
    const ct::LaneView view = memory.ring().view();
    std::vector<RecordCopy> copies(777);
    std::uint64_t position = 0;
    while (position < 40ULL * kSmall) {
        write(lane, lane.position(), position + kSmall);
        CHECK_EQUAL(ct::committedEnd(view, position), position + kSmall);
        CHECK(ct::hasRecordAt(view, position) && !ct::hasRecordAt(view, position + kSmall));
        const LaneReading reading = ct::readLane(view, position, copies);
        CHECK_EQUAL(reading.count, 777u);
        CHECK(isRun(copies, position));
        position = reading.next;
        setTail(memory.ring(), position);
    }
    CHECK_EQUAL(lane.ring().header->dropped.load(), 0u);
}

/// A slot that carries another lap than its own is not read.
CT_CASE(staleLapsAreNotRead)
{
    LooseRing memory(kSmall, false);
    Lane lane(memory.ring(), 0);
    write(lane, 0, kSmall);
    const ct::LaneView view = memory.ring().view();
    RecordCopy copy;
    for (std::uint64_t lap = 1; lap < 15; ++lap) {
        CHECK_EQUAL(ct::readLane(view, lap * kSmall, {&copy, 1}).count, 0u);
        CHECK_EQUAL(ct::committedEnd(view, lap * kSmall), lap * kSmall);
    }
}

CT_CASE(aFullLaneReportsItsDrops)
{
    LooseRing memory(kSmall, false);
    Lane lane(memory.ring(), 0);
    write(lane, 0, kSmall + 30);
    CHECK_EQUAL(lane.ring().header->dropped.load(), 30u);
    const ct::LaneView view = memory.ring().view();
    std::vector<RecordCopy> copies(kSmall);
    LaneReading reading = ct::readLane(view, 0, copies);
    CHECK_EQUAL(reading.count, kSmall);
    CHECK(isRun(copies, 0));
    setTail(memory.ring(), reading.next);
    write(lane, 5000, 5001);
    reading = ct::readLane(view, reading.next, copies);
    REQUIRE(reading.count == 2);
    CHECK_EQUAL(int{copies[0].kind()}, int{corotracer::kRecordDrops});
    CHECK_EQUAL(copies[0].identity, 30u);
    CHECK_EQUAL(copies[0].ts, writers::tsOf(kSmall));
    CHECK_EQUAL(copies[0].arg, writers::tsOf(kSmall + 29));
    CHECK(isRun({&copies[1], 1}, 5000));
}

/// Slots at or beyond `committed` have no accessible memory.
CT_CASE(slotsWithoutMemoryAreNotTouched)
{
    constexpr std::size_t kBytes = kSmall * sizeof(corotracer::LaneRecord);
    void *const memory = ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    REQUIRE(::mprotect(memory, kBytes / 2, PROT_READ | PROT_WRITE) == 0);
    for (const bool overwrite : {false, true}) {
        std::memset(memory, 0, kBytes / 2);
        LooseRing other(kSmall, overwrite);
        Ring ring = other.ring();
        ring.records = static_cast<corotracer::LaneRecord *>(memory);
        ring.header->committed.store(kSmall / 2, std::memory_order_release);
        Lane lane(ring, 0);
        write(lane, 0, kSmall / 2);
        if (overwrite)
            ring.blockNumbers[1].store(2, std::memory_order_relaxed);  // the next block was begun, and no more
        std::vector<RecordCopy> copies(kSmall);
        CHECK_EQUAL(ct::readLane(ring.view(), 0, copies).count, kSmall / 2);
        CHECK_EQUAL(ct::readLane(ring.view(), kSmall / 2, copies).count, 0u);
        CHECK_EQUAL(ct::committedEnd(ring.view(), 0), kSmall / 2);
        CHECK_EQUAL(ct::committedEnd(ring.view(), kSmall / 2), kSmall / 2);
        CHECK(!ct::hasRecordAt(ring.view(), kSmall / 2));
    }
    ::munmap(memory, kBytes);
}

CT_CASE(overwrittenRecordsAreSkippedAndCounted)
{
    constexpr std::uint32_t kRecords = 8192;
    for (const std::uint64_t written : {8192u, 8193u, 9000u, 20'000u, 40u * 8192u, 333'333u}) {
        LooseRing memory(kRecords, true);
        Lane lane(memory.ring(), 0);
        write(lane, 0, written);
        const ct::LaneView view = memory.ring().view();
        CHECK_EQUAL(ct::committedEnd(view, 0), written);
        std::vector<RecordCopy> copies(kRecords);
        const LaneReading reading = ct::readLane(view, 0, copies);
        CHECK_EQUAL(reading.next, written);
        CHECK_EQUAL(reading.count + reading.skipped, written);
        CHECK(reading.count > kRecords - corotracer::kLaneBlock);  // all but the block under the producer
        CHECK(isRun(std::span(copies).first(reading.count), reading.skipped));
    }
}

/// A producer that stopped before the first commit of a block: the previous block ends the lane.
CT_CASE(aBlockWithoutCommitHasNoRecord)
{
    LooseRing memory(kSmall, true);
    Lane lane(memory.ring(), 0);
    write(lane, 0, 3 * 1024);
    lane.putTorn(lanewriter::genuineRecord(kIdentity, kKey, 3 * 1024));
    const ct::LaneView view = memory.ring().view();
    CHECK_EQUAL(ct::committedEnd(view, 0), 3 * 1024u);
    std::vector<RecordCopy> copies(kSmall);
    const LaneReading reading = ct::readLane(view, 0, copies);
    CHECK_EQUAL(reading.count, 1024u);
    CHECK_EQUAL(reading.skipped, 2048u);
    CHECK(isRun(std::span(copies).first(1024), 2048));
}

/// One block number is arbitrary. The other blocks are read, and readers reach the end.
CT_CASE(survivesScribbledBlockNumbers)
{
    constexpr std::uint32_t kRecords = 8192;
    constexpr std::uint64_t kBlocks = kRecords / corotracer::kLaneBlock;
    const auto lapOf = [](std::uint64_t number) {
        return corotracer::lane_lap((number - 1) * corotracer::kLaneBlock, kRecords);
    };
    std::mt19937_64 random(3);
    for (const std::uint64_t written : {500u, 8192u, 20'000u, 20'480u}) {
        for (std::uint64_t index = 0; index < kBlocks; ++index) {
            LooseRing memory(kRecords, true);
            Lane lane(memory.ring(), 0);
            write(lane, 0, written);
            const ct::LaneView view = memory.ring().view();
            std::atomic<std::uint64_t> &number = memory.ring().blockNumbers[index];
            const std::uint64_t before = number.load();
            std::uint64_t whole = 0, count = 0;
            const std::uint64_t end = readAll(view, ct::oldestPosition(view), whole);
            CHECK_EQUAL(end, written);
            // Numbers that fit their index, one or many laps ahead or behind, are the plausible ones.
            for (const std::uint64_t scribble :
                 {std::uint64_t{0}, ~std::uint64_t{0}, before + 1, before + kBlocks, before + 1000 * kBlocks,
                  before - kBlocks, index + 1 + (std::uint64_t{1} << 37), random()}) {
                const bool fits = scribble != 0 && (scribble - 1) % kBlocks == index;
                if (before == 0 || (fits && lapOf(scribble) == lapOf(before)))
                    continue;  // cannot be distinguished from a good one
                number.store(scribble);
                for (const std::uint64_t position :
                     {ct::oldestPosition(view), std::uint64_t{0}, written / 2, written}) {
                    const std::uint64_t reached = readAll(view, position, count);
                    CHECK(reached >= ct::committedEnd(view, position));
                    CHECK(reached <= written);
                }
                readAll(view, ct::oldestPosition(view), count);
                CHECK(count + corotracer::kLaneBlock >= whole);
                CHECK(count <= whole);
            }
        }
    }
}

/// The producer continues behind the damage, and so does the reader.
CT_CASE(continuesBehindScribbledBlocks)
{
    LooseRing memory(kSmall, true);
    Lane lane(memory.ring(), 0);
    const ct::LaneView view = memory.ring().view();
    std::vector<RecordCopy> copies(kSmall);
    write(lane, 0, 100);
    memory.ring().blockNumbers[0].store(1 + 2 * 1000);  // far ahead, at its index
    CHECK_EQUAL(ct::committedEnd(view, 50), 50u);
    CHECK_EQUAL(ct::readLane(view, 50, copies).next, 50u);
    write(lane, 100, 1200);
    const LaneReading reading = ct::readLane(view, 50, copies);
    CHECK_EQUAL(reading.skipped, 1024u - 50u);
    CHECK_EQUAL(reading.count, 1200u - 1024u);
    CHECK(isRun(std::span(copies).first(reading.count), 1024));
    // A hole: the rest of its block is lost.
    memory.ring().records[1100].commit.store(0);
    CHECK_EQUAL(ct::committedEnd(view, 1024), 1100u);
    CHECK_EQUAL(ct::readLane(view, 1024, copies).next, 1100u);
    write(lane, 1200, 2050);
    CHECK_EQUAL(ct::committedEnd(view, 1024), 2050u);
    CHECK_EQUAL(ct::readLane(view, 1100, copies).skipped, 2048u - 1100u);
    CHECK_EQUAL(ct::readLane(view, 1100, copies).next, 2050u);
}

/// For any memory contents and position, reading ends and stays within the memory (checked by address sanitizer).
CT_CASE(survivesHostileLanes)
{
    std::mt19937_64 random(1);
    std::vector<RecordCopy> copies(3000);
    for (int round = 0; round < 400; ++round) {
        const bool overwrite = round % 2 != 0;
        LooseRing memory(kSmall << random() % 2, overwrite);
        const Ring ring = memory.ring();
        const bool plausible = round % 4 < 2;
        for (std::uint32_t i = 0; i < ring.capacity; ++i)
            ring.records[i].commit.store(plausible ? random() % 3 : random(), std::memory_order_relaxed);
        for (std::uint32_t i = 0; i < ring.capacity / 1024; ++i)
            ring.blockNumbers[i].store(random() >> (random() % 64), std::memory_order_relaxed);
        ring.header->committed.store(static_cast<std::uint32_t>(random() >> (random() % 64)),
                                     std::memory_order_relaxed);
        const std::uint64_t position = random() >> (random() % 64);
        const LaneReading reading = ct::readLane(ring.view(), position, copies);
        CHECK(reading.count <= copies.size());
        CHECK_EQUAL(reading.next - position, reading.count + reading.skipped);
        const std::uint64_t end = ct::committedEnd(ring.view(), position);
        CHECK(overwrite || end - position <= ring.capacity);
        std::uint64_t count = 0;
        CHECK(!overwrite || readAll(ring.view(), position, count) - position >= end - position);
    }
}

namespace {

constexpr std::size_t kPage = 4096;

/// Happens when the reader reaches the middle of a block: the producer is a lap ahead there, in the middle of a record.
struct Overtaken {
    ct::LaneView lane;
    corotracer::LaneRecord *half = nullptr;  ///< at the start of a page

    void happen() const
    {
        ::mprotect(half, kPage, PROT_READ | PROT_WRITE);
        const std::uint64_t number = lane.blockNumbers[0].load();
        const_cast<std::atomic<std::uint64_t> &>(lane.blockNumbers[0])
            .store(number + lane.capacity / corotracer::kLaneBlock);
        half->ts.store(~std::uint64_t{0});
    }
};
const Overtaken *overtaken = nullptr;

}  // namespace

/// The first load of a block's number allows reading the block. Only the second allows using what was read.
CT_CASE(discardsABlockOverwrittenDuringTheRead)
{
    constexpr std::uint32_t kCapacity = 2 * corotracer::kLaneBlock;
    const std::size_t bytes = kCapacity * sizeof(corotracer::LaneRecord);
    void *const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    auto *const records = static_cast<corotracer::LaneRecord *>(memory);
    LooseRing loose(kCapacity, true);
    lanewriter::Ring ring = loose.ring();
    ring.records = records;
    Lane lane(ring, 0);
    for (std::uint64_t n = 0; n < corotracer::kLaneBlock; ++n)
        lane.put(lanewriter::genuineRecord(lanewriter::identityOf(0, 1), 1, n));
    const Overtaken happening{ring.view(), records + corotracer::kLaneBlock / 2};
    overtaken = &happening;
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = [](int) { overtaken->happen(); };
    REQUIRE(::sigaction(SIGSEGV, &action, &before) == 0);
    REQUIRE(::mprotect(happening.half, kPage, PROT_NONE) == 0);
    std::vector<RecordCopy> copies(corotracer::kLaneBlock);
    const ct::LaneReading reading = ct::readLane(ring.view(), 0, copies);
    ::sigaction(SIGSEGV, &before, nullptr);
    CHECK_EQUAL(happening.half->ts.load(), ~std::uint64_t{0});  // it happened
    CHECK_EQUAL(reading.count, 0u);
    ::munmap(memory, bytes);
}
