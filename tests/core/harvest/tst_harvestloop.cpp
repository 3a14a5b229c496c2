// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The harvest loop over a region of full stations, one pass at a time, against known numbers.
#include "tests/support/fullstationcapture.h"

#include <cstring>
#include <random>

using ct::Accounting;
using ct::Batch;
using ct::Region;
using regions::Capture;
using regions::StreamSums;
using writers::Style;
using writers::Writer;

namespace {

constexpr Style kAllStyles[] = {Style::OldSdk, Style::Ours, Style::Monotonic};

}  // namespace

CT_CASE(anEmptyRegionEmitsNothing)
{
    Capture c(100);
    c.pass();
    CHECK(c.batch.empty());
    CHECK(c.batch.now != 0);
    c.end();
    c.checkTotals(0);
    CHECK_EQUAL(c.loop.accounting().stationsMax, 200u);  // full and compact stations together
}

CT_CASE(emitsBirthEventsAndDeathInOrder)
{
    for (const Style style : kAllStyles) {
        Capture c(10);
        Writer writer = c.born(style, 9);
        writer.write(5);
        c.pass();
        CHECK_EQUAL(c.streamSums.coroutines.size(), 1u);
        CHECK_EQUAL(c.batch.births.front().probeId, 9u);
        CHECK_EQUAL(c.batch.births.front().pid, style == Style::Ours ? 4711u : 0u);
        CHECK(c.batch.births.front().dialect ==
              (style == Style::Monotonic ? ct::Dialect::Monotonic : ct::Dialect::Seqlock));
        CHECK_EQUAL(c.streamSums.captured, 5u);
        writer.write(2);
        writer.destroy();
        c.safetyPass();
        CHECK_EQUAL(c.streamSums.captured, 7u);
        REQUIRE(c.batch.deaths.size() == 1);
        if (style == Style::Ours)
            CHECK_EQUAL(c.batch.deaths.front().ts, writers::tsOf(7));
        c.safetyPass();
        CHECK(c.batch.empty());
        c.end();
        c.checkTotals(7);
        CHECK_EQUAL(c.streamSums.deaths, 1u);
    }
}

CT_CASE(eventsBetweenLastScanAndDeathAreKept)
{
    Capture c(10);
    Writer writer = c.born(Style::Ours, 1);
    writer.write(8);
    writer.destroy();
    c.end();
    c.checkTotals(8);
    CHECK_EQUAL(c.streamSums.captured, 8u);
    CHECK_EQUAL(c.streamSums.deaths, 1u);
}

CT_CASE(deathsAreFoundInRotation)
{
    Capture c(3000);
    std::vector<Writer> all;
    for (std::uint64_t i = 0; i < 3000; ++i)
        all.push_back(c.born(i % 2 ? Style::Ours : Style::OldSdk, i + 1));
    c.pass();
    for (Writer &writer : all) {
        writer.write(3);
        writer.destroy();
    }
    while (c.streamSums.deaths < 3000)
        c.pass();
    c.pass();
    CHECK(c.batch.empty());
    c.end();
    c.checkTotals(9000);
}

CT_CASE(unbornAndStationlessAreUntraced)
{
    Capture c(4);
    writers::allocateFullStation(c.header());  // killed before it stored birth_ts
    Writer writer = c.born(Style::Ours, 1);
    writer.write();
    for (int i = 0; i < 7; ++i)
        writers::allocateFullStation(c.header());
    c.pass();
    CHECK_EQUAL(c.streamSums.captured, 1u);
    c.end();
    c.checkTotals(1);
    // Stations 0, 2, 3 were never born. 9 were allocated and 4 exist: 5 more.
    CHECK_EQUAL(c.loop.accounting().untraced, 3u + 5u);
    CHECK_EQUAL(c.loop.accounting().stationsAllocated, 4u);
}

CT_CASE(lateBirthsAreFound)
{
    Capture c(2000);
    std::vector<Writer> unborn;
    for (std::uint64_t i = 0; i < 2000; ++i)
        unborn.emplace_back(*writers::allocateFullStation(c.header()), Style::Ours, i + 1);
    c.pass();
    CHECK_EQUAL(c.streamSums.coroutines.size(), 0u);
    for (Writer &writer : unborn) {
        writer.create();
        writer.write();
    }
    for (int i = 0; i < 8; ++i)
        c.pass();
    CHECK_EQUAL(c.streamSums.captured, 2000u);
    c.end();
    c.checkTotals(2000);
    CHECK_EQUAL(c.loop.accounting().untraced, 0u);
}

CT_CASE(allocatedCountIsKeptFromWrapping)
{
    Capture c(4);
    c.born(Style::Ours, 1);
    c.header().allocated_count.store((1u << 31) + 10);
    c.pass();
    CHECK_EQUAL(c.header().allocated_count.load(), (1u << 30) + 10);
    CHECK_EQUAL(c.header().extension.allocated_wrapped.load(), std::uint64_t{1} << 30);
    c.end();
    CHECK_EQUAL(c.loop.accounting().untraced, (std::uint64_t{1} << 31) + 10 - 4 + 3);
}

CT_CASE(hostileCountsStayInsideTheFile)
{
    Capture c(4);
    c.header().max_stations.store(0xFFFFFFFF);
    c.header().allocated_count.store(0x7FFFFFFF);
    c.header().extension.site_count.store(0xFFFFFFFF);
    c.header().extension.stations_reserved = ~std::uint64_t{0};
    c.header().extension.site_table_offset = ~std::uint64_t{0};
    c.pass();
    c.safetyPass();
    c.end();
    CHECK_EQUAL(c.loop.accounting().stationsMax, 8u);
}

CT_CASE(sitesComeBeforeTheirUse)
{
    Capture c(4);
    auto *const base = reinterpret_cast<char *>(&c.header());
    auto *const records = reinterpret_cast<corotracer::SiteRecord *>(base + c.header().extension.site_table_offset);
    char *const strings = base + c.header().extension.strings_offset;
    std::strcpy(strings, "server.cppvoid serve(serve(int)::_Z5servei.Frame*)");
    records[0].line = 88;
    records[0].column = 5;
    records[0].file_length = 10;
    records[0].function_offset = 10;
    records[0].function_length = 40;
    records[0].ready.store(1);
    records[1].file_offset = 64 << 20;  // beyond the strings
    records[1].file_length = 1;
    records[1].ready.store(1);
    Writer writer = c.born(Style::Ours, 1);
    const std::uint32_t ids[] = {1, 2, 3, 65536, 65537, 0xFFFFFFFF};
    for (std::size_t i = 0; i < std::size(ids); ++i) {
        writer.station().slots[i].site.store(ids[i]);
        writer.station().slots[i].kind.store(static_cast<std::uint8_t>(i == 0 ? corotracer::kFinalSuspend : 200));
        writer.write();
    }
    c.pass();
    REQUIRE(c.batch.transitions.size() == 6);
    const ct::SiteId expected[] = {1, 2, 0, 0, 0, 0};
    for (std::size_t i = 0; i < 6; ++i)
        CHECK_EQUAL(c.batch.transitions[i].site, expected[i]);
    CHECK(c.batch.transitions[0].kind == ct::PointKind::Final);
    CHECK(c.batch.transitions[1].kind == ct::PointKind::Await);
    REQUIRE(c.streamSums.sites.size() == 2);
    CHECK_EQUAL(c.streamSums.sites[1].file, "server.cpp");
    CHECK_EQUAL(c.streamSums.sites[1].function, "serve(int)");
    CHECK_EQUAL(c.streamSums.sites[1].line, 88u);
    CHECK_EQUAL(c.streamSums.sites[2].file, "");
    // A site that becomes ready later is emitted when it is next used. Version-1 stations have no sites.
    records[2].ready.store(1);
    writer.station().slots[6].site.store(3);
    writer.write();
    Writer old = c.born(Style::OldSdk, 2);
    old.station().slots[0].site.store(1);
    old.write();
    c.pass();
    REQUIRE(c.batch.transitions.size() == 2);
    CHECK_EQUAL(c.batch.transitions[0].site, 3u);
    CHECK_EQUAL(c.batch.transitions[1].site, 0u);
    CHECK_EQUAL(c.streamSums.broken, 0u);
}

CT_CASE(aSecondWriterIsFlaggedAndCounted)
{
    for (int deaths = 0; deaths < 2; ++deaths) {
        Capture c(4);
        Writer parent = c.born(Style::OldSdk, 1);
        parent.write(100);
        c.pass();
        Writer child = parent;  // fork
        if (deaths) {
            child.destroy();
            c.safetyPass();
        }
        std::mt19937 random(5);
        std::uint64_t emitted = 100;
        for (int i = 0; i < 500; ++i) {
            const std::uint64_t a = random() % 5, b = random() % 5;
            parent.write(a);
            if (!deaths)
                child.write(b);
            emitted += a + (deaths ? 0 : b);
            if (i % 7 == 0)
                c.pass();
        }
        c.safetyPass();
        CHECK_EQUAL(c.streamSums.flags, 1u);
        c.end();
        CHECK_EQUAL(c.loop.accounting().flaggedStations, 1u);
        const Accounting sums = c.loop.accounting();
        CHECK_EQUAL(sums.captured + sums.lost, emitted);
        CHECK_EQUAL(c.streamSums.inversions, 0u);
        CHECK_EQUAL(c.streamSums.deaths, static_cast<std::uint64_t>(deaths));
    }
}

CT_CASE(aSecondWriterDiscoveredAtTheEndIsCounted)
{
    Capture c(4);
    Writer parent = c.born(Style::OldSdk, 1);
    parent.write(100);
    Writer child = parent;
    child.write(4);
    c.pass();
    parent.write(1);  // slot 4 again; the next event is expected in slot 0, which stays unchanged
    c.pass();
    CHECK(c.batch.empty());
    c.end();
    CHECK_EQUAL(c.loop.accounting().flaggedStations, 1u);
    CHECK_EQUAL(c.loop.accounting().captured + c.loop.accounting().lost, 105u);
    CHECK_EQUAL(c.streamSums.inversions, 0u);
}

CT_CASE(attachedStationsAreMissedNotLost)
{
    for (const Style style : kAllStyles) {
        Capture first(10);
        Writer full = first.born(style, 1);
        full.write(50);
        Writer empty = first.born(style, 2);
        auto observed = Region::open(first.region.path());
        REQUIRE(observed);
        HarvestLoop loop(*observed);
        StreamSums streamSums;
        Batch batch;
        loop.pass(batch);
        streamSums.add(batch);
        const std::uint64_t kept = style == Style::Monotonic ? 7 : 8;
        CHECK_EQUAL(streamSums.captured, kept);
        CHECK_EQUAL(streamSums.missed, 50 - kept);
        full.write(20);
        empty.write(20);
        Writer later = first.born(style, 3);
        later.write(20);
        batch.clear();
        CHECK(loop.finalDrain(batch));
        streamSums.add(batch);
        CHECK_EQUAL(streamSums.missed, 50 - kept);
        CHECK_EQUAL(streamSums.lost, 3 * (20 - kept));
        CHECK_EQUAL(streamSums.sum(), 110u);
        CHECK_EQUAL(streamSums.broken + streamSums.inversions + streamSums.torn, 0u);
        CHECK(!loop.mayAnnounceSleep());
        CHECK(!loop.prepareSleep(batch));
        CHECK_EQUAL(first.header().tracer_sleeping.load(), 0u);
    }
}

/// A probe of this project sends without SIGPIPE. Others must not be asked to write to a dead engine's connection.
CT_CASE(adoptedVersionOneTargetsAreNotAskedToWake)
{
    for (const Style style : {Style::Ours, Style::OldSdk}) {
        const regions::TempDir dir;
        {
            auto region = Region::create({dir.file("r.shm"), 10});
            REQUIRE(region);
            Writer writer(*writers::allocateFullStation(*region->writableHeader()), style, 1);
            writer.create();
        }
        auto adopted = Region::open(dir.file("r.shm"));
        REQUIRE(adopted);
        REQUIRE(adopted->access() == ct::RegionAccess::Owner);
        HarvestLoop loop(*adopted);
        Batch batch;
        loop.pass(batch);
        CHECK_EQUAL(loop.mayAnnounceSleep(), style == Style::Ours);
    }
}

CT_CASE(passesContinueAfterAFullBatch)
{
    constexpr std::uint32_t kStations = 40'000;
    Capture c(kStations);
    for (std::uint32_t i = 0; i < kStations; ++i) {
        REQUIRE(c.region.growStations());
        Writer writer = c.born(Style::Ours, i + 1);
        writer.write(8);
        writer.destroy();
    }
    c.safetyPass();
    CHECK(c.batch.transitions.size() >= ct::StationQueue::kMostInBatch);
    CHECK(c.batch.transitions.size() < ct::StationQueue::kMostInBatch + 8);
    c.end();
    c.checkTotals(kStations * 8);
    CHECK_EQUAL(c.streamSums.captured, kStations * 8u);
}

CT_CASE(survivesATruncatedFile)
{
    Capture c(10);
    Writer writer = c.born(Style::Ours, 1);
    writer.write(3);
    c.pass();
    std::filesystem::resize_file(c.region.path(), 0);
    c.pass();
    c.safetyPass();
    CHECK(!c.loop.prepareSleep(c.batch));
    c.end();
    CHECK_EQUAL(c.loop.accounting().captured, 3u);
}

/// A target that overwrites random memory: the work is bounded, nothing crashes, no event is out of order.
CT_CASE(survivesScribbling)
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 300; ++round) {
        Capture c(16);
        char *const bytes = reinterpret_cast<char *>(&c.header());
        for (int i = 0; i < 8; ++i)
            c.born(Style::OldSdk, 1).write(random() % 20);
        for (int pass = 0; pass < 6; ++pass) {
            for (int i = 0; i < 200; ++i) {
                const std::uint64_t value = random() >> (random() % 64);
                std::memcpy(bytes + 8 + random() % (17 * 1024 - 16), &value, sizeof value);
            }
            c.pass();
            c.safetyPass();
        }
        c.end();
        CHECK_EQUAL(c.streamSums.inversions, 0u);
    }
}

CT_CASE(aPausedEngineNeverAnnouncesSleep)
{
    Capture c(4);
    c.loop.setPaused(true);
    CHECK_EQUAL(c.header().tracer_sleeping.load(), static_cast<std::uint32_t>(corotracer::kEnginePaused));
    CHECK(!c.loop.mayAnnounceSleep());
    CHECK(!c.loop.prepareSleep(c.batch));
    c.loop.cancelSleep();
    CHECK_EQUAL(c.header().tracer_sleeping.load(), static_cast<std::uint32_t>(corotracer::kEnginePaused));
    CHECK(c.loop.accounting().paused);
    c.loop.setPaused(false);
    CHECK_EQUAL(c.header().tracer_sleeping.load(), static_cast<std::uint32_t>(corotracer::kEngineAwake));
    CHECK(c.loop.prepareSleep(c.batch));
    c.end();
    CHECK_EQUAL(c.header().tracer_sleeping.load(), static_cast<std::uint32_t>(corotracer::kEngineAwake));
}

CT_CASE(stationsAreOfferedAheadOfOldProbes)
{
    Capture c(100'000);
    CHECK_EQUAL(c.header().max_stations.load(), 32'768u);
    for (std::uint64_t i = 0; i < 60'000; ++i) {
        c.born(Style::OldSdk, i + 1);
        if (i % 10'000 == 0)
            c.pass();
    }
    c.pass();
    CHECK(c.header().max_stations.load() >= 90'000);
    c.end();
    c.checkTotals(0);
    CHECK_EQUAL(c.loop.accounting().untraced, 0u);
    CHECK_EQUAL(c.loop.accounting().coroutines, 60'000u);
    CHECK(!c.loop.accounting().growthStopped);
    CHECK(c.loop.accounting().regionBytes > 0);
}
