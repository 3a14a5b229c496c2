// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Switching tracing off and on at run time, by the target and by the engine, with and without lanes. Also forked
// children.
#include "tests/probe/lanetest.h"

#include <memory>

namespace {

using namespace lanetest;
using probetest::inChild;
using probetest::Task;

void step(corotracer::PromiseMixin &promise)
{
    promise.write_trace(0x1234, false, 3);
}

CT_CASE(eventsAreNotWrittenWhileOff)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Traced kept;
        auto ends = std::make_unique<Traced>();
        step(kept);
        CHECK_EQUAL(pattern(drainAll(region)), "BBS");
        corotracer::enable(false);
        corotracer::enable(false);
        CHECK_EQUAL(region.process(0).switched_off.load(), 1U);
        step(kept);
        Traced bornOff;
        step(bornOff);
        CHECK(!bornOff.is_traced());
        CHECK(kept.is_traced());
        ends.reset();
        CHECK_EQUAL(pattern(drainAll(region)), "-");
        CHECK_EQUAL(region.life(1), kCompactDead);
        CHECK(region.compactStation(1).death_ts.load() != 0);
        CHECK_EQUAL(region.extension().births_while_off.load(), 1U);
        CHECK_EQUAL(region.extension().born_before_init.load(), 0U);
        corotracer::InitTracer();  // does nothing
        CHECK_EQUAL(region.process(1).state.load(), kProcessFree);
        corotracer::enable(true);
        corotracer::enable(true);
        CHECK_EQUAL(region.process(0).switched_off.load(), 0U);
        step(kept);
        step(bornOff);
        const std::vector<Record> records = drainAll(region);
        CHECK_EQUAL(pattern(records), "+S");
        CHECK_EQUAL(records.back().n, 1U);  // events that were not written have no number
        CHECK_EQUAL(region.compactStation(0).seq.load(), 4U);
    });
}

CT_CASE(tracingMayBeOffBeforeInit)
{
    const Region region;
    inChild([&] {
        corotracer::enable(false);
        corotracer::InitTracer();
        const Traced silent;
        CHECK(!silent.is_traced());
        CHECK_EQUAL(region.process(0).switched_off.load(), 1U);
        CHECK_EQUAL(region.lanes(), 0U);
        corotracer::enable(true);
        Traced traced;
        step(traced);
        CHECK_EQUAL(pattern(drainAll(region)), "+BS");
    });
}

Task waits()
{
    co_await std::suspend_always{};
    co_await std::suspend_always{};
}

CT_CASE(aCoroutineThatSuspendedWhileOffResumesInTheTrace)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Task task = waits();
        corotracer::enable(false);
        task.handle.resume();
        corotracer::enable(true);
        task.handle.resume();
        CHECK_EQUAL(pattern(drainAll(region)), "BS-+R");
    });
}

CT_CASE(theEnginePauses)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Traced kept;
        auto ends = std::make_unique<Traced>();
        step(kept);
        (void)drainAll(region);
        region.header().tracer_sleeping.store(kEnginePaused);
        step(kept);  // written; after this event the probe notices the pause
        step(kept);
        step(kept);
        const Traced bornPaused;
        CHECK(!bornPaused.is_traced());
        ends.reset();
        CHECK_EQUAL(pattern(drainAll(region)), "S-");
        CHECK_EQUAL(region.life(1), kCompactDead);
        CHECK_EQUAL(region.extension().births_while_off.load(), 1U);
        CHECK_EQUAL(region.process(0).switched_off.load(), 0U);
        region.header().tracer_sleeping.store(kEngineAwake);
        step(kept);
        const Traced createAgain;
        CHECK(createAgain.is_traced());
        const std::vector<Record> records = drainAll(region);
        CHECK_EQUAL(pattern(records), "+SB");
        CHECK_EQUAL(records[1].n, 2U);
        // The target switches tracing off while the engine pauses. It stays off.
        region.header().tracer_sleeping.store(kEnginePaused);
        step(kept);
        corotracer::enable(false);
        region.header().tracer_sleeping.store(kEngineAwake);
        step(kept);
        CHECK_EQUAL(pattern(drainAll(region)), "S--");
        corotracer::enable(true);
        step(kept);
        CHECK_EQUAL(pattern(drainAll(region)), "+S");
    });
}

CT_CASE(aBirthEndsThePause)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Traced kept;
        region.header().tracer_sleeping.store(kEnginePaused);
        step(kept);
        region.header().tracer_sleeping.store(kEngineSleeps);
        const Traced born;
        CHECK(born.is_traced());
        CHECK_EQUAL(pattern(drainAll(region)), "BS-+B");
        CHECK_EQUAL(region.header().tracer_sleeping.load(), kEngineAwake);
    });
}

CT_CASE(pauseAlsoStopsFullStations)
{
    const probetest::Region region;
    inChild([&] {
        corotracer::InitTracer();
        Traced kept;
        auto ends = std::make_unique<Traced>();
        region.header().tracer_sleeping.store(kEnginePaused);
        step(kept);
        step(kept);
        ends.reset();
        const Traced born;
        CHECK_EQUAL(region.emitted(0), 1U);
        CHECK_EQUAL(region.station(1).header.is_dead.load(), 1);
        CHECK_EQUAL(region.allocated(), 2U);
        CHECK_EQUAL(region.header().extension.births_while_off.load(), 1U);
        region.header().tracer_sleeping.store(kEngineAwake);
        step(kept);
        CHECK_EQUAL(region.emitted(0), 2U);
        corotracer::enable(false);
        step(kept);
        CHECK_EQUAL(region.emitted(0), 2U);
        corotracer::enable(true);
        step(kept);
        CHECK_EQUAL(region.emitted(0), 3U);
    });
}

CT_CASE(drainedFullStationsAreUsedAgain)
{
    const probetest::Region region;
    inChild([&] {
        corotracer::InitTracer();
        {
            Traced first;
            for (int i = 0; i < 11; ++i)
                step(first);
        }
        const Traced second;
        // The engine has drained the first station and frees it.
        region.header().extension.free_stations.store(1);
        Traced third;
        CHECK(third.my_station != nullptr);
        CHECK_EQUAL(region.allocated(), 2U);
        const StationData &station = region.station(0);
        CHECK_EQUAL(station.extension.generation.load(), 1U);
        CHECK_EQUAL(station.extension.gen_start.load(), 11U);
        CHECK_EQUAL(station.header.is_dead.load(), 0);
        step(third);
        CHECK_EQUAL(region.emitted(0), 12U);
        CHECK_EQUAL(station.slots[11 % 8].seq.load(), 4U);
        CHECK_EQUAL(region.header().extension.free_stations.load() & 0xFFFF'FFFF, 0U);
        region.header().extension.free_stations.store(60);  // never allocated: not a station
        const Traced fourth;
        CHECK_EQUAL(region.allocated(), 3U);
    });
}

CT_CASE(aForkedChildHasItsOwnEntryAndLane)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        auto kept = std::make_unique<Traced>();
        auto recycled = std::make_unique<Traced>();
        recycled.reset();
        (void)drainAll(region);
        inChild([&] {
            CHECK(!kept->is_traced());
            step(*kept);
            const Traced untraced;
            CHECK(!untraced.is_traced());
            CHECK_EQUAL(drainAll(region).size(), 0U);
            corotracer::InitTracer();
            CHECK_EQUAL(region.process(1).state.load(), kProcessActive);
            Traced own;
            step(own);
            step(*kept);
            kept.reset();
            // The compact station that the parent's thread keeps stays the parent's.
            CHECK_EQUAL(region.compactStations(), 3U);
            CHECK_EQUAL(region.birth(2).process.load(), 1U);
            CHECK_EQUAL(region.lane(1).process.load(), 1U);
            CHECK_EQUAL(pattern(drain(region, 1)), "BS");
            CHECK_EQUAL(drain(region, 0).size(), 0U);
            CHECK_EQUAL(region.life(0), kCompactAlive);
            ::exit(check::failures == 0 ? 0 : 1);  // runs everything that happens at the end of a thread
        });
        CHECK_EQUAL(region.lane(0).state.load(), kLaneActive);
        step(*kept);
        CHECK_EQUAL(pattern(drain(region, 0)), "S");
    });
}

}  // namespace
