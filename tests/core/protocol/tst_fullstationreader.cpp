// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One idle full station in every state that a reader can find, and with writers that stop at the worst moment.
#include "core/protocol/fullstationreader.h"
#include "tests/support/check.h"
#include "tests/support/writers.h"

#include <memory>
#include <random>

using corotracer::StationData;
using ct::StationCursor;
using ct::StationDialect;
using ct::StationFault;
using ct::StationReading;
using writers::Style;
using writers::Writer;

namespace {

struct StreamSums {
    std::uint64_t captured = 0, lost = 0, missed = 0, lastN = 0;
    bool ordered = true, genuine = true;
    std::uint64_t sum() const { return captured + lost + missed; }
};

/// Visits the station until nothing new comes.
void readAll(const StationData &station, StationCursor &cursor, StreamSums &streamSums, std::uint64_t key,
             std::uint64_t end = ct::kNoEnd)
{
    StationReading reading;
    do {
        ct::readStation(station, cursor, reading, end);
        for (std::uint32_t i = 0; i < reading.lossCount; ++i)
            (reading.losses[i].missed ? streamSums.missed : streamSums.lost) += reading.losses[i].count;
        for (std::uint32_t i = 0; i < reading.eventCount; ++i) {
            streamSums.ordered =
                streamSums.ordered && (streamSums.captured == 0 || reading.events[i].n > streamSums.lastN);
            streamSums.genuine = streamSums.genuine && writers::isGenuine(reading.events[i], key);
            streamSums.lastN = reading.events[i].n;
            ++streamSums.captured;
        }
    } while (!reading.empty());
}

struct Fixture {
    explicit Fixture(Style style) : station(std::make_unique<StationData>()), writer(*station, style, 5)
    {
        writer.create();
        cursor = ct::openStation(*station, false);
    }
    void read() { readAll(*station, cursor, streamSums, 5); }
    bool quiet() const { return !ct::hasNews<std::memory_order_acquire>(*station, cursor); }

    std::unique_ptr<StationData> station;
    Writer writer;
    StationCursor cursor;
    StreamSums streamSums;
};

constexpr Style kAllStyles[] = {Style::OldSdk, Style::Ours, Style::Monotonic};
/// Number of events that a full station proves.
std::uint64_t kept(Style style)
{
    return style == Style::Monotonic ? 7 : 8;
}

}  // namespace

CT_CASE(emptyStationHasNothing)
{
    for (const Style style : kAllStyles) {
        Fixture f(style);
        CHECK(f.quiet());
        f.read();
        CHECK_EQUAL(f.streamSums.sum(), 0u);
        CHECK(f.cursor.fault == StationFault::None);
        CHECK(f.cursor.dialect == (style == Style::Ours ? StationDialect::Seqlock : StationDialect::Unknown));
    }
}

CT_CASE(readsEveryCountUpToThreeLaps)
{
    for (const Style style : kAllStyles) {
        for (std::uint64_t count = 1; count <= 24; ++count) {
            Fixture f(style);
            f.writer.write(count);
            CHECK(!f.quiet());
            f.read();
            // Monotonic: the slot of event count - 7 can be under rewrite only if count >= 8.
            const std::uint64_t captured = std::min(count, kept(style));
            CHECK_EQUAL(f.streamSums.captured, captured);
            CHECK_EQUAL(f.streamSums.lost, count - captured);
            CHECK_EQUAL(f.streamSums.missed, 0u);
            CHECK(f.streamSums.ordered && f.streamSums.genuine);
            CHECK(f.quiet());
            CHECK(f.cursor.fault == StationFault::None);
        }
    }
}

CT_CASE(readingInStepLosesNothing)
{
    for (const Style style : kAllStyles) {
        for (std::uint64_t step = 1; step <= 7; ++step) {
            Fixture f(style);
            for (int i = 0; i < 100; ++i) {
                f.writer.write(step);
                f.read();
            }
            CHECK_EQUAL(f.streamSums.captured, step * 100);
            CHECK_EQUAL(f.streamSums.lost, 0u);
            CHECK(f.streamSums.ordered && f.streamSums.genuine);
        }
    }
}

CT_CASE(repeatedReadingEmitsOnce)
{
    for (const Style style : kAllStyles) {
        Fixture f(style);
        f.writer.write(3);
        f.read();
        f.read();
        CHECK_EQUAL(f.streamSums.captured, 3u);
    }
}

CT_CASE(randomStepsAddUp)
{
    std::mt19937 random(7);
    for (const Style style : kAllStyles) {
        Fixture f(style);
        for (int i = 0; i < 20'000; ++i) {
            f.writer.write(random() % 24);
            if (random() % 3 != 0)
                f.read();
        }
        f.read();
        CHECK_EQUAL(f.streamSums.sum(), f.writer.emitted());
        CHECK(f.streamSums.ordered && f.streamSums.genuine);
        CHECK(f.cursor.fault == StationFault::None);
    }
}

/// An odd slot is not read, not counted, and never times out. Its neighbours are read.
CT_CASE(readsUpToAHalfWrittenEvent)
{
    for (std::uint64_t before = 0; before <= 20; ++before) {
        Fixture f(Style::Ours);
        f.writer.write(before);
        f.writer.begin(std::memory_order_relaxed);
        f.read();
        f.read();
        // The slot that is being rewritten had event before - 8.
        CHECK_EQUAL(f.streamSums.captured, std::min<std::uint64_t>(before, 7));
        CHECK_EQUAL(f.streamSums.sum(), before);
        CHECK_EQUAL(ct::publishedEnd(ct::readSeqs(*f.station), f.cursor.dialect), before);
        f.writer.finish(std::memory_order_release);
        f.read();
        CHECK_EQUAL(f.streamSums.sum(), before + 1);
        CHECK(f.streamSums.ordered && f.streamSums.genuine);
    }
}

CT_CASE(endIsNeverPassed)
{
    for (const Style style : kAllStyles) {
        for (std::uint64_t end = 1; end < 20; ++end) {
            Fixture f(style);
            f.writer.write(30);
            readAll(*f.station, f.cursor, f.streamSums, 5, end);
            CHECK_EQUAL(f.cursor.next, end);
            CHECK_EQUAL(f.streamSums.captured, 0u);
        }
    }
}

CT_CASE(midAttachCountsAsMissed)
{
    for (const Style style : kAllStyles) {
        for (std::uint64_t before = 0; before <= 40; ++before) {
            Fixture f(style);
            f.writer.write(before);
            f.cursor = ct::openStation(*f.station, true);
            CHECK_EQUAL(f.cursor.atAttach, before > 0);
            f.read();
            const std::uint64_t captured = std::min(before, kept(style));
            CHECK_EQUAL(f.streamSums.missed, before - captured);
            CHECK_EQUAL(f.streamSums.lost, 0u);
            f.writer.write(20);
            f.read();
            CHECK_EQUAL(f.streamSums.missed, before - captured);
            CHECK_EQUAL(f.streamSums.lost, 20 - kept(style));
        }
    }
}

CT_CASE(distinguishesDialects)
{
    using ct::judgeDialect;
    CHECK(judgeDialect({}) == StationDialect::Unknown);
    CHECK(judgeDialect({1, 0, 0, 0, 0, 0, 0, 0}) == StationDialect::Unknown);
    CHECK(judgeDialect({2, 0, 0, 0, 0, 0, 0, 0}) == StationDialect::Seqlock);
    CHECK(judgeDialect({2, 1, 0, 0, 0, 0, 0, 0}) == StationDialect::Seqlock);
    CHECK(judgeDialect({0, 1, 0, 0, 0, 0, 0, 0}) == StationDialect::Monotonic);
    CHECK(judgeDialect({8, 1, 2, 3, 4, 5, 6, 7}) == StationDialect::Monotonic);
    CHECK(judgeDialect({8, 8, 8, 8, 8, 8, 8, 8}) == StationDialect::Seqlock);
    CHECK(judgeDialect({8, 8, 8, 8, 8, 8, 6, 6}) == StationDialect::Seqlock);
    for (const Style style : {Style::OldSdk, Style::Monotonic}) {
        for (std::uint64_t count = 1; count <= 100; ++count) {
            Fixture f(style);
            f.writer.write(count);
            CHECK(judgeDialect(ct::readSeqs(*f.station)) ==
                  (style == Style::Monotonic ? StationDialect::Monotonic : StationDialect::Seqlock));
        }
    }
}

/// A monotonic number of 0 is invisible: not an event, and nothing is lost.
CT_CASE(monotonicZeroIsNoEvent)
{
    Fixture f(Style::Monotonic);
    writers::storePayload(f.station->slots[0], 5, 0, std::memory_order_relaxed);
    f.read();
    CHECK_EQUAL(f.streamSums.sum(), 0u);
    f.writer.write(2);
    f.read();
    CHECK_EQUAL(f.streamSums.captured, 2u);
    CHECK_EQUAL(f.streamSums.lost, 0u);
}

CT_CASE(contradictionFlagsAMonotonicStation)
{
    Fixture f(Style::Monotonic);
    f.writer.write(3);
    f.read();
    f.station->slots[4].seq.store(6);
    f.read();
    CHECK(f.cursor.fault == StationFault::Contradiction);
    CHECK_EQUAL(f.streamSums.captured, 3u);
}

CT_CASE(scribbledSeqIsNoLoss)
{
    for (const Style style : kAllStyles) {
        for (const std::uint64_t seq : {~std::uint64_t{0}, ~std::uint64_t{0} - 7, std::uint64_t{1} << 63}) {
            Fixture f(style);
            f.writer.write(2);
            f.read();
            f.station->slots[f.cursor.next % 8].seq.store(seq);
            f.read();
            CHECK(f.cursor.fault != StationFault::None);
            CHECK_EQUAL(f.streamSums.sum(), 2u);
        }
    }
}

/// A forked child of an old SDK continues to count from its parent's number.
CT_CASE(twoWritersAreSeenAndCounted)
{
    for (std::uint64_t before = 1; before < 40; ++before) {
        Fixture f(Style::OldSdk);
        f.writer.write(before);
        f.read();
        const std::uint64_t capturedBefore = f.streamSums.captured;
        Writer child = f.writer;
        child.write(3);
        f.writer.write(1);
        // The cursor's sums may still be right, but the slots show two writers.
        CHECK(ct::checkWriters(*f.station, f.cursor) == ct::WriterCheck::Two);
        f.cursor.fault = StationFault::TwoWriters;
        ct::FaultyCounts counts = ct::openFaulty(f.cursor);
        StationReading reading;
        ct::readFaulty(*f.station, ct::readSeqs(*f.station), f.cursor, counts, reading);
        std::uint64_t sum = f.streamSums.sum() + reading.eventCount;
        for (std::uint32_t i = 0; i < reading.lossCount; ++i)
            sum += reading.losses[i].count;
        CHECK_EQUAL(sum, before + 4);
        for (std::uint32_t i = 1; i < reading.eventCount; ++i)
            CHECK(reading.events[i].n > reading.events[i - 1].n);
        CHECK(capturedBefore > 0);
        ct::readFaulty(*f.station, ct::readSeqs(*f.station), f.cursor, counts, reading);
        CHECK(reading.empty());
    }
}

CT_CASE(anImpossibleJumpMeansTwoWriters)
{
    Fixture f(Style::OldSdk);
    f.writer.write(100);
    f.read();
    Writer child = f.writer;
    child.write(1);
    f.writer.write(1);  // slot 4 has number 108; 101 to 107 do not exist
    f.read();
    CHECK(f.cursor.fault == StationFault::TwoWriters);
    CHECK_EQUAL(f.streamSums.sum(), 100u);
}

CT_CASE(anImpossibleMonotonicJumpMeansTwoWriters)
{
    Fixture f(Style::Monotonic);
    f.writer.write(100);
    f.read();
    f.station->slots[109 % 8].seq.store(109);  // 102 to 108 do not exist
    f.read();
    CHECK(f.cursor.fault == StationFault::TwoWriters);
    CHECK_EQUAL(f.streamSums.sum(), 100u);
}

CT_CASE(oneWriterIsNeverFlaggedAsTwo)
{
    for (std::uint64_t count = 0; count < 60; ++count) {
        Fixture f(Style::OldSdk);
        f.writer.write(count);
        f.read();
        CHECK(ct::checkWriters(*f.station, f.cursor) == ct::WriterCheck::Single);
        f.writer.begin(std::memory_order_release);
        CHECK(ct::checkWriters(*f.station, f.cursor) == ct::WriterCheck::Single);
    }
}

/// Garbage in every slot: bounded work, no crash, no event that was not there.
CT_CASE(survivesRandomBytes)
{
    std::mt19937_64 random(3);
    for (int i = 0; i < 50'000; ++i) {
        StationData station{};
        for (corotracer::Epoch &epoch : station.slots)
            epoch.seq.store(random() >> (random() % 64));
        if (random() % 2)
            station.extension.mark.store(corotracer::kStationMark);
        station.extension.dialect.store(static_cast<std::uint32_t>(random() % 4));
        StationCursor cursor = ct::openStation(station, random() % 2);
        StreamSums streamSums;
        readAll(station, cursor, streamSums, 0);
        CHECK(streamSums.captured <= 8);
        CHECK(streamSums.ordered);
        cursor.fault = StationFault::TwoWriters;
        ct::FaultyCounts counts = ct::openFaulty(cursor);
        StationReading reading;
        ct::readFaulty(station, ct::readSeqs(station), cursor, counts, reading);
        CHECK(reading.eventCount <= 8);
    }
}
