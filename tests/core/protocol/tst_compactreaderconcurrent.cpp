// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads one compact station while coroutines are born, run and die in it. Also for thread sanitizer.
#include "core/protocol/compactreader.h"
#include "tests/support/check.h"
#include "tests/support/lanewriter.h"
#include "tests/support/regions.h"

#include <thread>

CT_CASE(copiesAreConsistent)
{
    const regions::TempDir dir;
    ct::RegionSpec spec;
    spec.path = dir.file("r.shm");
    spec.stations = 16;
    auto region = ct::Region::create(spec);
    REQUIRE(region);
    lanewriter::Process process(*region->writableHeader(), 4711, 1);
    lanewriter::LooseRing ring(corotracer::kLaneRecordsMin, true);  // never full, so every station is recycled
    constexpr std::uint64_t kGenerations = 80'000;
    // Every other coroutine is so short that only `life` distinguishes it from the next.
    const auto eventsOf = [](std::uint64_t generation) { return generation % 2 != 0 ? 0U : 60U; };
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> alive{0};
    std::uint64_t generations = 0;
    std::thread writer([&] {
        lanewriter::Lane lane(ring.ring(), 0);
        // Continue at least until the reader has seen 100 of them alive.
        for (std::uint64_t number = 1; number <= kGenerations || alive.load(std::memory_order_relaxed) < 100;
             ++number) {
            auto coroutine = lanewriter::Coroutine::create(process, lane, number, 1000 + number);
            for (std::uint64_t n = 0; n < eventsOf(number); ++n)
                coroutine->step(lane, 4);
            coroutine->destroy(lane, 2000 + number);
            generations = number;
        }
        done.store(true, std::memory_order_release);
    });
    std::uint64_t wrong = 0, generation = 0, events = 0;
    while (!done.load(std::memory_order_acquire)) {
        const auto copy = ct::readCompact(region->compactStations()[0], region->births()[0]);
        if (!copy || copy->life != corotracer::kCompactAlive)
            continue;
        alive.fetch_add(1, std::memory_order_relaxed);
        wrong += copy->probeId != copy->generation || copy->birthTs != 1000 + copy->generation;
        wrong += copy->generation < generation || (copy->generation == generation && copy->events < events);
        wrong += copy->process != process.index() || copy->parent != corotracer::kNoIdentity;
        if (copy->events != 0 && !copy->latestTorn) {
            const std::uint64_t n = copy->events - 1;
            wrong += copy->ts != writers::tsOf(n) || copy->site != 4;
            wrong += copy->addr != (writers::activeOf(n) ? 0 : writers::addrOf(copy->generation, n));
        }
        generation = copy->generation;
        events = copy->events;
    }
    writer.join();
    CHECK_EQUAL(wrong, 0u);
    const auto last = ct::readCompact(region->compactStations()[0], region->births()[0]);
    REQUIRE(last);
    CHECK_EQUAL(last->generation, generations);
    CHECK_EQUAL(last->events, eventsOf(generations));
    CHECK_EQUAL(last->life, std::uint32_t{corotracer::kCompactRecycled});
    CHECK_EQUAL(region->header().extension.compact_station_count.load(), 1u);
}
