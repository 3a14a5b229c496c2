// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The clock readings that an engine publishes in a region, and their use by a later engine.
#include "core/region/calendartime.h"
#include "corotracer/calendartime.h"
#include "tests/support/concurrently.h"
#include "tests/support/lanecapture.h"

#include <ctime>

using namespace lanecapture;
using corotracer::detail::clock_moment;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

clock_moment published(Capture &c)
{
    clock_moment moment;
    CHECK(corotracer::detail::read_published(c.header().extension, moment));
    return moment;
}

std::uint64_t pairs(Capture &c)
{
    return c.header().extension.pair_seq.load() / 2;
}

}  // namespace

CT_CASE(readsTheClocksAtOneMoment)
{
    const bool counts = corotracer::detail::has_invariant_counter();
    const clock_moment before = corotracer::detail::read_moment(counts);
    const std::uint64_t real = corotracer::detail::realtime_ns();
    const std::uint64_t monotonic = corotracer::detail::monotonic_ns();
    const clock_moment after = corotracer::detail::read_moment(counts);
    CHECK(before.monotonic_ns <= monotonic && monotonic <= after.monotonic_ns);
    CHECK(before.realtime_ns <= real && real <= after.realtime_ns);
    CHECK(before.counter <= after.counter);
    CHECK_EQUAL(before.counter != 0, counts);
    CHECK_EQUAL(corotracer::detail::read_moment(false).counter, 0u);
}

CT_CASE(anEnginePublishesReadingsOnceASecond)
{
    Capture c;
    CHECK_EQUAL(pairs(c), 0u);
    ct::RegionTime time(*c.region);
    CHECK(time.isDue(5 * kSecond));
    time.keep(5 * kSecond, false);
    CHECK_EQUAL(pairs(c), 1u);
    CHECK(!time.isDue(6 * kSecond - 1));
    CHECK(time.isDue(6 * kSecond));
    time.keep(6 * kSecond, false);
    CHECK_EQUAL(pairs(c), 2u);
    const clock_moment moment = published(c);
    CHECK(moment.monotonic_ns != 0 && moment.realtime_ns > 1'600'000'000 * kSecond);
}

CT_CASE(aScanPublishesReadings)
{
    Capture c;
    c.pass();
    CHECK_EQUAL(pairs(c), 1u);
}

CT_CASE(keepsTheReadingsOfADeadTarget)
{
    Capture c;
    (void)c.process(5);
    c.pass();
    const clock_moment before = published(c);
    c.dead.insert(5);
    c.restart();
    c.scanAll(true);
    c.end();
    CHECK_EQUAL(pairs(c), 1u);
    CHECK_EQUAL(published(c).monotonic_ns, before.monotonic_ns);
    // A process lives in it, so the engine updates the readings.
    c.dead.clear();
    c.restart();
    c.scanAll(true);
    CHECK(pairs(c) >= 2);
    CHECK(published(c).monotonic_ns > before.monotonic_ns);
}

/// An engine that is killed between the two stores of pair_seq leaves it odd.
CT_CASE(aKilledWriterDoesNotBlockTheNextOwner)
{
    Capture c;
    c.header().extension.pair_seq.store(7);
    clock_moment moment;
    CHECK(!corotracer::detail::read_published(c.header().extension, moment));
    c.pass();
    CHECK_EQUAL(c.header().extension.pair_seq.load(), 8u);
    CHECK(published(c).realtime_ns != 0);
    // In overwrite mode, the writer may be the target, in the middle of its stores.
    corotracer::detail::publish_moment(c.header().extension, {1, 2, 3}, false);
    CHECK_EQUAL(published(c).realtime_ns, 3u);
    c.header().extension.pair_seq.store(11);
    corotracer::detail::publish_moment(c.header().extension, {4, 5, 6}, false);
    CHECK_EQUAL(c.header().extension.pair_seq.load(), 11u);
    CHECK_EQUAL(c.header().extension.pair_realtime_ns.load(), 3u);
}

CT_CASE(computesRealTimeFromTheLatestReadings)
{
    Capture c;
    corotracer::ExtensionHeader &extension = c.header().extension;
    extension.created_monotonic_ns = 100 * kSecond;
    extension.created_realtime_ns = 1'700'000'000 * kSecond;
    CHECK_EQUAL(ct::realtimeOf(*c.region, 130 * kSecond).value_or(0), 1'700'000'030 * kSecond);
    CHECK_EQUAL(ct::realtimeOf(*c.region, 90 * kSecond).value_or(0), 1'699'999'990 * kSecond);
    // The machine slept for an hour. CLOCK_MONOTONIC stood still.
    corotracer::detail::publish_moment(extension, {0, 200 * kSecond, 1'700'003'700 * kSecond}, true);
    CHECK_EQUAL(ct::realtimeOf(*c.region, 199 * kSecond).value_or(0), 1'700'003'699 * kSecond);
    CHECK_EQUAL(ct::realtimeOf(*c.region, 201 * kSecond).value_or(0), 1'700'003'701 * kSecond);
    // Half-written: the readings of the creation are used instead.
    extension.pair_seq.store(3);
    CHECK_EQUAL(ct::realtimeOf(*c.region, 130 * kSecond).value_or(0), 1'700'000'030 * kSecond);
}

CT_CASE(invalidReadingsGiveNoRealTime)
{
    Capture c;
    corotracer::ExtensionHeader &extension = c.header().extension;
    const auto hasRealTime = [&](std::uint64_t monotonic, std::uint64_t realtime, std::uint64_t ts) {
        extension.created_monotonic_ns = monotonic;
        extension.created_realtime_ns = realtime;
        return ct::realtimeOf(*c.region, ts).has_value();
    };
    CHECK(!hasRealTime(5, 0, 10));
    CHECK(!hasRealTime(5, ~std::uint64_t{0}, 10));
    CHECK(!hasRealTime(~std::uint64_t{0}, 5, 10));
    CHECK(!hasRealTime(5, 10, ~std::uint64_t{0}));
    CHECK(!hasRealTime(100, 10, 90));
    CHECK(hasRealTime(100, 11, 90));
}

/// Two writers and a reader: readings that are read together were written together.
CT_CASE(readingsAreNeverMixed)
{
    Capture c;
    corotracer::ExtensionHeader &extension = c.header().extension;
    std::atomic<int> reads{0};
    const auto write = [&extension, &reads](std::uint64_t from) {
        for (std::uint64_t i = 1; reads.load(std::memory_order_relaxed) < 500'000; ++i)
            corotracer::detail::publish_moment(extension, {from + i, 2 * (from + i), 3 * (from + i)}, false);
    };
    std::uint64_t mixed = 0;
    const auto read = [&] {
        clock_moment moment;
        if (!corotracer::detail::read_published(extension, moment))
            return;
        reads.fetch_add(1, std::memory_order_relaxed);
        mixed += moment.monotonic_ns != 2 * moment.counter || moment.realtime_ns != 3 * moment.counter;
    };
    ct::test::runConcurrently({read}, [&] {
        std::thread other([&] { write(std::uint64_t{1} << 40); });
        write(0);
        other.join();
    });
    CHECK_EQUAL(mixed, 0u);
    clock_moment last;
    CHECK(corotracer::detail::read_published(extension, last));
    CHECK_EQUAL(last.realtime_ns, 3 * last.counter);
}
