// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes that shrink while they are read: one pass at a time, against known numbers.
#include "tests/support/lanecapture.h"

using namespace lanecapture;

namespace {

constexpr std::uint32_t kBlock = corotracer::kLaneBlock;

/// A lane of eight blocks, of which `blocks` have memory, and a coroutine that was born in it.
struct ShortOfMemory {
    explicit ShortOfMemory(std::uint32_t blocks, bool overwrites = false) : c(4096, 8 * kBlock)
    {
        if (overwrites) {
            c.setOverwriteMode();
            c.restart();
        }
        process.emplace(c.process());
        lane.emplace(*process->claimLane(1));
        header = lane->ring().header;
        header->committed.store(blocks * kBlock);
        committed = blocks * kBlock;
        one.emplace(*Coroutine::create(*process, *lane, 1, 1));
    }
    /// Writes events up to `position` of the lane, and shrinks the lane on the way.
    void stepTo(std::uint64_t position)
    {
        while (lane->position() < position) {
            if (lane->position() == committed)
                lane->shrink();
            one->step(*lane);
        }
    }

    Capture c;
    std::optional<Process> process;
    std::optional<Lane> lane;
    corotracer::LaneHeader *header = nullptr;
    std::uint64_t committed = 0;
    std::optional<Coroutine> one;
};

}  // namespace

CT_CASE(readsAShortenedLaneToItsEnd)
{
    for (const std::uint32_t blocks : {2U, 3U, 5U}) {
        ShortOfMemory s(blocks);
        s.stepTo(1000);
        s.c.scanAll();
        for (std::uint64_t position = 1500; position < 60'000; position += 1500) {
            s.stepTo(position);
            s.c.scanAll();
            CHECK_EQUAL(s.header->tail.load(), position);
        }
        s.c.scanAll(true);
        s.c.end();
        const ct::Accounting sums = s.c.loop->accounting();
        CHECK_EQUAL(sums.lost, 0u);
        CHECK_EQUAL(sums.lanesShortened, 1u);
        s.c.checkTotals(s.one->events());
    }
}

/// The reader was away. It finds the lane shorter, and all records that fit.
CT_CASE(aLateReaderFindsAllRecordsThatFit)
{
    ShortOfMemory s(3);
    s.stepTo(100);
    s.c.scanAll();
    // From the tail on the lane is full, beyond its new end.
    s.stepTo(100 + 3 * kBlock);
    s.one->step(*s.lane);
    CHECK_EQUAL(s.header->dropped.load(), 1u);
    s.c.scanAll(true);
    CHECK_EQUAL(s.header->tail.load(), 100u + 3 * kBlock);
    s.stepTo(100 + 3 * kBlock + 500);
    s.c.end();
    CHECK_EQUAL(s.c.streamSums.lost, 0u);  // the CompactState has the event
    s.c.checkTotals(s.one->events());
}

/// Adopted by an engine that first sees the lane shortened, after the first engine was killed.
CT_CASE(aShortenedLaneIsAdopted)
{
    ShortOfMemory s(3);
    s.stepTo(5000 - 2000);
    s.c.scanAll(true);
    s.stepTo(5000);
    const std::uint64_t events = s.one->events(), seen = s.c.streamSums.captured;
    s.c.restart();
    s.c.scanAll(true);
    s.c.end();
    CHECK_EQUAL(s.c.streamSums.captured, events - seen);
    CHECK_EQUAL(s.c.streamSums.lost, 0u);
    CHECK_EQUAL(s.c.streamSums.missed, seen);
    s.c.checkTotals(events);
}

/// A region in overwrite mode can be read any number of times: live, while the lane shrinks, and afterwards.
CT_CASE(aShortenedOverwriteLaneRetainsTheLatestRecords)
{
    ShortOfMemory s(3, true);
    s.stepTo(1000);
    s.c.scanAll(true);
    s.stepTo(2500);
    s.c.scanAll(true);
    s.stepTo(4000);
    s.c.scanAll(true);
    CHECK_EQUAL(s.c.streamSums.captured, s.one->events());
    s.stepTo(20'000);
    s.c.scanAll(true);
    s.c.checkTotals(s.one->events());
    const std::uint64_t events = s.one->events();
    for (int reading = 0; reading < 2; ++reading) {
        s.c.restart();
        s.c.scanAll(true);
        s.c.end();
        CHECK(s.c.streamSums.captured >= 2 * kBlock && s.c.streamSums.captured <= 3 * kBlock);
        s.c.checkTotals(events);
    }
}

/// Whatever value `records` has, nothing is read beyond the lane, and every call returns.
CT_CASE(aScribbledLengthDoesNotReachBeyondTheLane)
{
    ShortOfMemory s(8);
    for (const std::uint32_t scribbled : {0U, 1U, 1023U, 1024U, 2047U, 3000U, 9 * kBlock, ~0U, 4 * kBlock}) {
        s.header->records.store(scribbled);
        for (int i = 0; i < 1500; ++i)
            s.one->step(*s.lane);
        s.c.scanAll(true);
    }
    s.c.end();
    const ct::Accounting sums = s.c.loop->accounting();
    CHECK_EQUAL(sums.captured + sums.lost + sums.missedBeforeAttach, s.one->events());
}
