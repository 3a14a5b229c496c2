// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compact stations: how the probe allocates, claims, recycles and leaves them.
#include "tests/probe/lanetest.h"

#include <deque>
#include <memory>

namespace {

using namespace lanetest;
using probetest::inChild;

CT_CASE(stationsAreReused)
{
    const Region region(Options{.compactStations = 8});
    inChild([&] {
        corotracer::InitTracer();
        for (std::uint32_t i = 0; i < 10'000; ++i) {
            Traced promise;
            events(promise, 2);
            CHECK_EQUAL(promise.self(), std::uint64_t{i + 1} << 32);
            if (i % 256 == 0)
                (void)drainAll(region);
        }
        CHECK_EQUAL(region.compactStations(), 1U);
        // More coroutines at once than there are stations, in the thread's own stack and in total.
        std::deque<Traced> all(9);
        CHECK(all[7].is_traced());
        CHECK(!all[8].is_traced());
        CHECK_EQUAL(region.compactStations(), 8U);
        CHECK_EQUAL(region.extension().births_without_station.load(), 1U);
        events(all[8], 3);
    });
}

CT_CASE(thousandsOfStationsAreReused)
{
    constexpr std::uint32_t kMany = 3000;
    const Region region(Options{.compactStations = kMany, .laneRecords = 1 << 14});
    inChild([&] {
        corotracer::InitTracer();
        Ledger ledger;
        for (std::uint32_t round = 1; round <= 3; ++round) {
            std::deque<Traced> all(kMany);
            for (Traced &promise : all) {
                CHECK(promise.is_traced());
                CHECK_EQUAL(promise.self() >> 32, round);
                events(promise, 1);
            }
            ledger.add(drainAll(region));
        }
        ledger.add(drainAll(region));
        ledger.checkComplete();
        CHECK_EQUAL(ledger.dead(), 3 * kMany);
        CHECK_EQUAL(region.compactStations(), kMany);
        CHECK_EQUAL(region.extension().births_without_station.load(), 0U);
        CHECK_EQUAL(region.extension().compact_stations_committed.load(), kMany);
    });
}

CT_CASE(unreportedDeathBlocksReuse)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        auto early = std::make_unique<Traced>();
        auto late = std::make_unique<Traced>();
        events(*early, 3000);
        const auto unborn = std::make_unique<Traced>();  // its birth is dropped
        early.reset();                                   // and this death
        CHECK_EQUAL(region.life(0), kCompactDead);
        (void)drainAll(region);
        late.reset();
        CHECK_EQUAL(region.life(1), kCompactRecycled);
        CHECK_EQUAL(region.life(2), kCompactAlive);
        const_cast<std::unique_ptr<Traced> &>(unborn).reset();
        CHECK_EQUAL(region.life(2), kCompactDead);
        const Traced next;
        CHECK_EQUAL(next.self(), std::uint64_t{2} << 32 | 1);
        // The engine has read the dead stations and frees them.
        region.compactStation(0).life.store(std::uint64_t{1} << 32 | kCompactFree);
        region.birth(0).next_free.store(0);
        region.extension().free_compact_stations.store(std::uint64_t{9} << 32 | 1);
        const Traced again;
        CHECK_EQUAL(again.self(), std::uint64_t{2} << 32);
        CHECK_EQUAL(region.extension().free_compact_stations.load() & 0xFFFF'FFFF, 0U);
    });
}

CT_CASE(survivesCorruptFreeStack)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Traced first;
        region.extension().free_compact_stations.store(77'777);  // out of range
        const Traced second;
        CHECK_EQUAL(second.self(), std::uint64_t{1} << 32 | 1);
        region.birth(0).next_free.store(1);  // a circle with a live station
        region.extension().free_compact_stations.store(1);
        const Traced third;
        CHECK_EQUAL(third.self(), std::uint64_t{1} << 32 | 2);
        CHECK_EQUAL(region.life(0), kCompactAlive);
    });
}

CT_CASE(claimedStationCannotBeFreed)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::make_unique<Traced>().reset();
        // An engine that read the station before the claim, and would free it now.
        std::uint64_t seen = region.compactStation(0).life.load();
        CHECK_EQUAL(seen, std::uint64_t{1} << 32 | kCompactRecycled);
        const std::uint64_t identity =
            corotracer::detail::acquire_compact(corotracer::detail::thread_v2, corotracer::detail::state_v2.lanes);
        CHECK_EQUAL(identity, std::uint64_t{2} << 32);
        CHECK(!region.compactStation(0).life.compare_exchange_strong(seen, std::uint64_t{1} << 32 | kCompactFree));
        CHECK_EQUAL(region.compactStation(0).life.load(), std::uint64_t{2} << 32 | kCompactFree);
    });
}

/// When lanes were overwritten long ago, only generation, events_before and seq remain of earlier coroutines. The sums
/// are exact at any moment, also after a claim without a birth.
CT_CASE(eventsOfEarlierGenerationsStayCounted)
{
    const Region region;
    inChild([&] {
        const auto generation = [&] { return region.compactStation(0).life.load() >> 32; };
        const auto ever = [&] {
            return region.birth(0).events_before.load() + region.compactStation(0).seq.load() / 2;
        };
        corotracer::InitTracer();
        std::uint64_t sum = 0;
        for (std::uint64_t number = 1; number <= 5; ++number) {
            auto promise = std::make_unique<Traced>();
            CHECK_EQUAL(promise->self(), number << 32);
            CHECK_EQUAL(region.birth(0).events_before.load(), sum);
            CHECK_EQUAL(region.compactStation(0).seq.load(), 0U);
            events(*promise, static_cast<int>(7 * number));
            sum += 7 * number;
            CHECK_EQUAL(ever(), sum);
            promise.reset();
            CHECK_EQUAL(ever(), sum);
            CHECK_EQUAL(generation(), number);
        }
        (void)corotracer::detail::acquire_compact(corotracer::detail::thread_v2, corotracer::detail::state_v2.lanes);
        CHECK_EQUAL(ever(), sum);
        CHECK_EQUAL(generation(), 6U);
    });
}

/// The engine freed a station of a process that it judged dead, but this thread keeps it. The index is in two stacks,
/// in one of them twice.
CT_CASE(stationInSeveralStacksIsClaimedOnce)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::make_unique<Traced>().reset();
        corotracer::detail::thread_state &self = corotracer::detail::thread_v2;
        REQUIRE(self.free_compact_count == 1 && self.free_compact_stations[0] == 0);
        self.free_compact_stations[self.free_compact_count++] = 0;
        region.compactStation(0).life.store(std::uint64_t{1} << 32 | kCompactFree);
        region.birth(0).next_free.store(0);
        region.extension().free_compact_stations.store(1);
        const Traced first;
        const Traced second;
        const Traced third;
        CHECK_EQUAL(first.self(), std::uint64_t{2} << 32);
        CHECK_EQUAL(second.self(), std::uint64_t{1} << 32 | 1);
        CHECK_EQUAL(third.self(), std::uint64_t{1} << 32 | 2);
    });
}

CT_CASE(aStationIsNotReusedAfterTheLastGeneration)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        constexpr std::uint64_t kLast = 0xFFFF'FFFF;
        std::make_unique<Traced>().reset();
        region.compactStation(0).life.store((kLast - 1) << 32 | kCompactFree);
        auto last = std::make_unique<Traced>();
        CHECK_EQUAL(last->self(), kLast << 32);
        last.reset();
        CHECK_EQUAL(region.compactStation(0).life.load(), kLast << 32 | kCompactRecycled);
        CHECK_EQUAL(corotracer::detail::thread_v2.free_compact_count, 0U);
        const Traced next;
        CHECK_EQUAL(next.self(), std::uint64_t{1} << 32 | 1);
        // It is not allocated from the engine's stack either.
        region.compactStation(0).life.store(kLast << 32 | kCompactFree);
        region.birth(0).next_free.store(0);
        region.extension().free_compact_stations.store(1);
        const Traced another;
        CHECK_EQUAL(another.self(), std::uint64_t{1} << 32 | 2);
        CHECK_EQUAL(region.compactStation(0).life.load(), kLast << 32 | kCompactFree);
    });
}

}  // namespace
