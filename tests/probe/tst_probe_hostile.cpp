// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The probe does not trust a region: files that are no regions, areas outside of the file, garbage, and damage while it
// traces.
#include "tests/probe/lanetest.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using namespace probetest;
using corotracer::PromiseMixin;

template <class Spoil>
void staysOff(Spoil spoil, const char *complaint)
{
    const Region region;
    inChild([&] {
        spoil(region);
        const std::string err = captured(STDERR_FILENO, [] { corotracer::InitTracer(); });
        if (err.find(complaint) == std::string::npos)
            check::fail(__FILE__, __LINE__, "said: " + err + ", expected: " + complaint);
        CHECK_EQUAL(std::count(err.begin(), err.end(), '\n'), 1);
        PromiseMixin promise;
        promise.write_trace(1, false);
        CHECK(promise.my_station == nullptr);
    });
}

CT_CASE(refusesFilesThatAreNoRegion)
{
    using corotracer::GlobalHeader;
    staysOff([](const Region &region) { REQUIRE(::truncate(region.path().c_str(), 0) == 0); }, "too short");
    staysOff([](const Region &region) { REQUIRE(::truncate(region.path().c_str(), 1023) == 0); }, "too short");
    staysOff([](const Region &region) { REQUIRE(::truncate(region.path().c_str(), 1024 + 63 * 1024) == 0); },
             "shorter than its header says");
    staysOff([](const Region &region) { region.header().magic_number = 1; }, "magic");
    staysOff([](const Region &region) { region.header().version = 2; }, "version");
    staysOff([](const Region &region) { region.header().max_stations.store(UINT32_MAX); }, "shorter than");
    staysOff([](const Region &) { ::setenv("CTP_SHM_PATH", "/nowhere/at/all", 1); }, "cannot be opened");
    staysOff([](const Region &) { ::setenv("CTP_SHM_PATH", "/dev/zero", 1); }, "not a regular file");
    staysOff([](const Region &) { ::setenv("CTP_SHM_PATH", "/tmp", 1); }, "cannot be opened");
    for (const char *text : {"", "0", "-1", "12x", "99999999999999999999", "nan"})
        staysOff([text](const Region &) { ::setenv("CTP_MAX_STATIONS", text, 1); }, "CTP_MAX_STATIONS");
}

/// If no engine lowers the count of births, it must not wrap to stations that are in use.
CT_CASE(aCountOfBirthsNearItsEndReusesNoStation)
{
    for (const bool extension : {true, false}) {
        const Region region(RegionOptions{.extension = extension});
        inChild([&] {
            corotracer::InitTracer();
            PromiseMixin first;
            first.write_trace(1, false);
            CHECK(first.my_station != nullptr);
            const std::uint64_t owner = region.station(0).header.probe_id.load();
            for (const std::uint32_t count : {0xBFFF'FFFEU, 0xFFFF'FFFEU}) {
                region.header().allocated_count.store(count);
                const PromiseMixin others[4];
                for (const PromiseMixin &other : others)
                    CHECK(!other.is_traced());
                CHECK(region.allocated() >= count);
            }
            CHECK_EQUAL(region.station(0).header.probe_id.load(), owner);
            // An engine lowers the count. Then there is room again.
            region.header().allocated_count.store(1);
            const PromiseMixin last;
            CHECK(last.is_traced());
        });
    }
}

/// A coroutine with one suspension point.
Task waitOnce()
{
    co_await std::suspend_always{};
}

template <class Spoil>
void tracesWithoutExtension(Spoil spoil)
{
    const Region region;
    inChild([&] {
        spoil(region.header().extension);
        corotracer::InitTracer();
        const Task task = waitOnce();
        CHECK_EQUAL(region.pattern(0), "S");
        CHECK_EQUAL(region.events(0)[0].site, 0U);
        CHECK_EQUAL(region.station(0).extension.mark.load(), 0U);
    });
}

CT_CASE(ignoresAnUnsoundExtension)
{
    using corotracer::ExtensionHeader;
    tracesWithoutExtension([](ExtensionHeader &e) { e.magic ^= 1; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.version = 99; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.size = 8; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.stations_reserved = 1'000'000; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.stations_reserved = ~std::uint64_t{0}; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_table_offset = 1024; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_table_offset = ~std::uint64_t{0} - 63; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_table_offset += 1; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_capacity = UINT32_MAX; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.site_record_size = 32; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.strings_offset = 0; });
    tracesWithoutExtension([](ExtensionHeader &e) { e.strings_capacity = ~std::uint64_t{0}; });
}

/// A sparse file may claim any counts. A probe that trusted them would allocate memory for all entries.
CT_CASE(ignoresExcessiveCounts)
{
    struct Case {
        const char *what;
        lanetest::Options options;
        bool lanes;
    };
    const auto with = [](std::uint32_t lanetest::Options::*count, std::uint32_t value) {
        lanetest::Options options;
        options.*count = value;
        return options;
    };
    using lanetest::Options;
    const Case cases[] = {
        {"processes", with(&Options::processes, corotracer::kMaxProcesses), true},
        {"more processes", with(&Options::processes, corotracer::kMaxProcesses + 1), false},
        {"lanes", with(&Options::lanes, corotracer::kMaxLanes), true},
        {"more lanes", with(&Options::lanes, corotracer::kMaxLanes + 1), false},
        {"compact stations", with(&Options::compactStations, corotracer::kMaxStations), true},
        {"more compact stations", with(&Options::compactStations, corotracer::kMaxStations + 1), false},
        {"sites", with(&Options::sites, corotracer::kMaxSites), true},
        {"more sites", with(&Options::sites, corotracer::kMaxSites + 1), false},
    };
    for (const Case &each : cases) {
        const lanetest::Region region(each.options);
        inChild([&] {
            corotracer::InitTracer();
            const PromiseMixin promise;
            CHECK(promise.is_traced());
            if ((region.compactStations() == 1) != each.lanes ||
                (region.header().allocated_count.load() == 0) != each.lanes)
                check::fail(__FILE__, __LINE__, each.what);
        });
    }
}

CT_CASE(survivesRandomRegionContents)
{
    std::uint64_t random = 88172645463325252ULL;
    for (int round = 0; round < 24; ++round) {
        const Region region;
        inChild([&] {
            for (std::uint64_t i = round % 2 == 0 ? 0x40 : 0; i + 8 <= region.size(); i += 8) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                if (random % 4 != 0 || i > 0x200)
                    std::memcpy(region.bytes() + i, &random, 8);
            }
            ::close(STDERR_FILENO);
            corotracer::InitTracer();
            const Task task = waitOnce();
            PromiseMixin promise;
            for (std::uint64_t i = 0; i < 10; ++i)
                promise.write_trace(i, true);
        });
        random += static_cast<std::uint64_t>(round);
    }
}

CT_CASE(survivesScribblingWhileTracing)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::memset(region.bytes() + 0x10, 0xFF, corotracer::kHeaderSize - 0x10);
        const Task task = waitOnce();
        const Task other = waitOnce();
        std::memset(region.bytes(), 0, region.size());
        const Task third = waitOnce();
        CHECK(true);
    });
}

/// Births, events, deaths, names, and a thread that starts and ends.
void doEverything()
{
    lanetest::Traced promise;
    promise.set_name("a name");
    lanetest::events(promise, 3);
    corotracer::note_wake(promise);
    std::thread([&] {
        lanetest::Traced own;
        lanetest::events(own, 2500);  // more than a lane of minimal size has room for
        own.set_parent(promise);
    }).join();
    const std::vector<lanetest::Traced> more(40);
    const Task task = waitOnce();
}

CT_CASE(survivesScribbledLanesWhileTracing)
{
    using corotracer::ExtensionHeader;
    std::uint64_t random = 88172645463325252ULL;
    for (const std::uint32_t mode : {corotracer::kLanesDiscard, corotracer::kLanesOverwrite}) {
        for (int round = 0; round < 12; ++round) {
            const lanetest::Region region(lanetest::Options{.mode = mode});
            inChild([&] {
                corotracer::InitTracer();
                doEverything();
                ExtensionHeader &x = region.extension();
                char *const base = reinterpret_cast<char *>(&region.header());
                const std::uint64_t begins[] = {0x10,
                                                x.process_table_offset,
                                                x.lane_directory_offset,
                                                x.states_offset,
                                                x.births_offset,
                                                x.lane_pool_offset};
                for (const std::uint64_t begin : begins) {
                    for (std::uint64_t i = begin; i < begin + 1008; i += 8) {
                        random ^= random << 13;
                        random ^= random >> 7;
                        random ^= random << 17;
                        // Small numbers reach deeper into the probe than large ones.
                        const std::uint64_t value = round % 3 == 0 ? ~std::uint64_t{0} : random >> (random % 64);
                        std::memcpy(base + i, &value, sizeof value);
                    }
                    doEverything();
                }
            });
            random += static_cast<std::uint64_t>(round);
        }
    }
}

CT_CASE(stationsBeyondTheFileAreNotUsed)
{
    if (!kernelHonoursMadvise())
        return;
    // A file that ends before its stations cannot be mapped there: no SIGBUS, and no station.
    RegionOptions options;
    options.extension = false;
    options.stations = 8;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        REQUIRE(::truncate(region.path().c_str(), 4096) == 0);
        const PromiseMixin mapped[3];
        PromiseMixin beyond;
        beyond.write_trace(1, false);
        CHECK(mapped[2].my_station != nullptr);
        CHECK(beyond.my_station == nullptr);
    });
}

}  // namespace
