// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes written by the probe: one thread, a full lane, a lane that changes from thread to thread, and the counters.
#include "tests/probe/lanetest.h"

#include <atomic>
#include <cerrno>
#include <memory>
#include <thread>

namespace {

using namespace lanetest;
using probetest::inChild;
using probetest::Task;

Task waitTwice()
{
    co_await std::suspend_always{};
    co_await std::suspend_always{};
}

CT_CASE(tracesOneCoroutine)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        void *frame = nullptr;
        std::uint64_t promise = 0;
        {
            const Task task = waitTwice();
            CHECK(task.handle.promise().is_traced());
            CHECK(task.handle.promise().my_station == nullptr);
            frame = task.handle.address();
            promise = reinterpret_cast<std::uintptr_t>(static_cast<corotracer::PromiseMixin *>(&task.handle.promise()));
            task.handle.resume();
            const CompactState &state = region.compactStation(0);
            CHECK_EQUAL(state.seq.load(), 6U);
            CHECK_EQUAL(state.addr.load(), reinterpret_cast<std::uintptr_t>(frame));
            CHECK_EQUAL(state.what.load() >> 32, std::uint64_t{kRecordSuspend});
            CHECK_EQUAL(state.tid.load(), static_cast<std::uint64_t>(::syscall(SYS_gettid)));
            CHECK_EQUAL(state.life.load(), std::uint64_t{1} << 32 | kCompactAlive);
            CHECK_EQUAL(region.birth(0).probe_id.load(), promise);
            CHECK_EQUAL(region.birth(0).parent.load(), kNoIdentity);
        }
        const std::vector<Record> records = drainAll(region);
        CHECK_EQUAL(pattern(records), "BSRSD");
        REQUIRE(records.size() == 5);
        CHECK_EQUAL(records[0].arg, promise);
        CHECK_EQUAL(records[1].arg, reinterpret_cast<std::uintptr_t>(frame));
        CHECK_EQUAL(records[2].arg, 0U);
        CHECK(records[1].site != 0 && records[1].site == records[2].site && records[3].site != records[1].site);
        CHECK_EQUAL(records[3].n, 2U);
        CHECK_EQUAL(records[4].n, 3U);
        for (std::size_t i = 0; i < records.size(); ++i) {
            CHECK_EQUAL(records[i].identity, std::uint64_t{1} << 32);
            CHECK(i == 0 || records[i].ts >= records[i - 1].ts);
        }
        CHECK_EQUAL(region.compactStation(0).ts.load(), records[3].ts);
        CHECK_EQUAL(region.compactStation(0).death_ts.load(), records[4].ts);
        CHECK_EQUAL(region.birth(0).birth_ts.load(), records[0].ts);
        CHECK_EQUAL(region.life(0), kCompactRecycled);
        CHECK_EQUAL(region.header().allocated_count.load(), 0U);
        CHECK_EQUAL(region.lane(0).state.load(), kLaneActive);
        CHECK_EQUAL(region.lane(0).tid.load(), static_cast<std::uint64_t>(::syscall(SYS_gettid)));
    });
}

CT_CASE(theProcessEntryIdentifiesTheProcess)
{
    const Region region;
    inChild([&] {
        // The entry of the same process before exec, and that of another process.
        region.process(0).state.store(kProcessActive);
        region.process(0).pid.store(static_cast<std::uint32_t>(::getpid()) + 1);
        const std::uint64_t before = corotracer::detail::start_ticks();
        region.process(1).state.store(kProcessActive);
        region.process(1).pid.store(static_cast<std::uint32_t>(::getpid()));
        region.process(1).start_ticks.store(before);
        // Entry 2 has this pid in another pid namespace. Entry 3 belongs to another copy of the probe in this process.
        region.process(2).state.store(kProcessActive);
        region.process(2).pid.store(static_cast<std::uint32_t>(::getpid()));
        region.process(2).start_ticks.store(before);
        region.process(2).pid_namespace.store(1);
        region.process(3).state.store(kProcessActive);
        region.process(3).pid.store(static_cast<std::uint32_t>(::getpid()));
        region.process(3).start_ticks.store(before);
        region.process(3).image.store(corotracer::detail::image_of_process());
        corotracer::InitTracer();
        CHECK_EQUAL(region.process(0).state.load(), kProcessActive);
        CHECK_EQUAL(region.process(1).state.load(), kProcessEnded);
        CHECK_EQUAL(region.process(2).state.load(), kProcessActive);
        CHECK_EQUAL(region.process(3).state.load(), kProcessActive);
        const ProcessEntry &own = region.process(4);
        CHECK_EQUAL(own.image.load(), corotracer::detail::image_of_process());
        CHECK_EQUAL(own.state.load(), kProcessActive);
        CHECK_EQUAL(own.pid.load(), static_cast<std::uint32_t>(::getpid()));
        CHECK(own.start_ticks.load() != 0);
        CHECK_EQUAL(std::string(own.name, own.name_length.load()), ::program_invocation_short_name);
        CHECK_EQUAL(own.clock_kind.load(), corotracer::detail::has_invariant_counter() ? 1U : 0U);
        CHECK(own.clock_kind.load() == 0 || own.mult.load() != 0);
        const Traced promise;
        CHECK_EQUAL(region.birth(0).process.load(), 4U);
        CHECK_EQUAL(region.lane(0).process.load(), 4U);
        // A conversion with these values gives about CLOCK_MONOTONIC.
        if (own.clock_kind.load() == 1) {
            const std::uint64_t ticks = region.birth(0).birth_ts.load() - own.init_counter.load();
            const std::uint64_t ns = own.init_ns.load() + corotracer::detail::scale(ticks, own.mult.load());
            const std::uint64_t now = corotracer::detail::monotonic_ns();
            CHECK(ns <= now + 10'000'000 && now - ns < 60'000'000'000);
        }
    });
}

/// The image number reveals nothing. The expected value is SipHash-2-4 of the empty text, from the reference
/// implementation.
CT_CASE(theImageIsAHashOfItsSecret)
{
    using corotracer::detail::hash_of_key;
    CHECK_EQUAL(hash_of_key(0x0706050403020100, 0x0F0E0D0C0B0A0908), 0x726FDB47DD0E0E31U);
    CHECK(hash_of_key(0, 0) != hash_of_key(0, 1) && hash_of_key(0, 0) != hash_of_key(1, 0));
}

/// A writer may be interrupted in the middle of a pair, for longer than the time between two pairs.
CT_CASE(aPairOfClocksHasOneWriterAtATime)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        if (corotracer::detail::state_v2.raw_clock.load() != kClockCounter)
            CHECK_SKIP("this machine has no counter that serves as a clock");
        ProcessEntry &own = region.process(0);
        const auto publishWhenDue = [] {
            corotracer::detail::state_v2.pair_due.store(0);
            corotracer::detail::publish_pair();
        };
        own.late_ns.store(1);
        own.late_seq.store(7);
        publishWhenDue();
        CHECK_EQUAL(own.late_ns.load(), 1U);
        CHECK_EQUAL(own.late_seq.load(), 7U);
        own.late_seq.store(8);
        while (own.late_ns.load() == 1)  // a disturbed reading is discarded
            publishWhenDue();
        CHECK_EQUAL(own.late_seq.load() % 2, 0U);
        CHECK(own.late_counter.load() > own.init_counter.load());
    });
}

CT_CASE(aFullProcessTableMeansFullStations)
{
    const Region region(Options{.processes = 1});
    region.process(0).state.store(kProcessActive);
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        CHECK(promise.my_station != nullptr);
        events(promise, 5);
        CHECK_EQUAL(region.compactStations(), 0U);
        CHECK_EQUAL(region.station(0).slots[4].seq.load(), 2U);
    });
}

CT_CASE(areasBeyondTheFileMeanFullStations)
{
    const Region region;
    using Break = void (*)(ExtensionHeader &);
    const Break breaks[] = {
        [](ExtensionHeader &x) { x.process_table_offset += 1ULL << 40; },
        [](ExtensionHeader &x) { x.lane_directory_offset += 64; },
        [](ExtensionHeader &x) { x.compact_stations_reserved = 0xFFFF'FFFF; },
        [](ExtensionHeader &x) { x.births_offset = ~std::uint64_t{4095}; },
        [](ExtensionHeader &x) { x.lane_pool_size += 4096; },
        [](ExtensionHeader &x) { x.lane_pool_offset = 4096; },
        [](ExtensionHeader &x) { x.lane_records = 3000; },
        [](ExtensionHeader &x) { x.lane_records = 1; },
        [](ExtensionHeader &x) { x.lane_mode = 7; },
        [](ExtensionHeader &x) { x.lane_capacity = 0xFFFF'FFFF; },
    };
    alignas(64) char good[sizeof(ExtensionHeader)];
    std::memcpy(good, static_cast<void *>(&region.extension()), sizeof good);
    std::uint32_t stations = 0;
    for (const Break damage : breaks) {
        damage(region.extension());
        inChild([&] {
            corotracer::InitTracer();
            Traced promise;
            events(promise, 3);
            CHECK(promise.my_station != nullptr);
            CHECK_EQUAL(region.extension().lane_count.load(), 0U);
        });
        std::memcpy(static_cast<void *>(&region.extension()), good, sizeof good);
        CHECK_EQUAL(region.header().allocated_count.load(), ++stations);
    }
}

CT_CASE(aFullLaneReportsItsDrops)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        events(promise, 3000);
        const std::uint64_t kept = kLaneRecordsMin - 1;  // the birth has one
        CHECK_EQUAL(region.lane(0).dropped.load(), 3000 - kept);
        CHECK_EQUAL(region.compactStation(0).seq.load(), 6000U);
        CHECK_EQUAL(region.compactStation(0).addr.load(), 0U);
        std::vector<Record> records = drainAll(region);
        REQUIRE(records.size() == kLaneRecordsMin);
        const std::uint64_t last = records.back().ts;
        events(promise, 2);
        records = drainAll(region);
        CHECK_EQUAL(pattern(records), "!SR");
        REQUIRE(records.size() == 3);
        CHECK_EQUAL(records[0].identity, 3000 - kept);
        CHECK(records[0].ts >= last && records[0].arg >= records[0].ts && records[1].ts >= records[0].arg);
        CHECK_EQUAL(records[1].n, 3000U);
        CHECK_EQUAL(records[2].n, 3001U);
    });
}

CT_CASE(recordsStayInOrderOverManyLaps)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        std::uint32_t expected = 0;
        for (int round = 0; round < 60; ++round) {
            events(promise, 1500);
            for (const Record &record : drainAll(region)) {
                if (isTransition(record))
                    CHECK_EQUAL(record.n, expected++);
            }
        }
        CHECK_EQUAL(expected, 60U * 1500);
        CHECK_EQUAL(region.lane(0).dropped.load(), 0U);
    });
}

CT_CASE(aLaneOutlivesItsThread)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        std::thread([&] {
            events(promise, 3);
            for (int i = 0; i < 40; ++i)
                const Traced shortLived;
        }).join();
        CHECK_EQUAL(region.lane(1).state.load(), kLaneClosed);
        CHECK(region.lane(1).closed_ts.load() != 0);
        // The compact station that the thread kept is in the shared stack.
        CHECK_EQUAL(region.extension().free_compact_stations.load() & 0xFFFF'FFFF, 2U);
        const std::vector<Record> records = drainAll(region);
        CHECK_EQUAL(count(records, kRecordDeath), 40U);
        CHECK_EQUAL(region.lane(1).state.load(), kLaneFree);
        const std::uint64_t tail = region.lane(1).tail.load();
        std::thread([&] { events(promise, 2); }).join();
        CHECK_EQUAL(region.lanes(), 2U);
        CHECK_EQUAL(region.lane(1).claims.load(), 2U);
        CHECK_EQUAL(region.lane(1).begin.load(), tail);
        const std::vector<Record> more = drain(region, 1);
        REQUIRE(more.size() == 2);
        CHECK_EQUAL(more[0].position, tail);
        CHECK_EQUAL(more[1].n, 4U);
        CHECK(more[0].tid != records[0].tid);
    });
}

/// A coroutine may end with its thread, after the lane was closed. The thread then claims another lane and closes it,
/// too.
CT_CASE(coroutinesMayEndWithTheirThread)
{
    struct Late {
        ~Late() { events(*promise, 2); }
        Traced *promise;
    };
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        std::thread([&] {
            // Constructed before the lane, so destroyed after the lane was closed.
            static thread_local Late late{&promise};
            CHECK(late.promise != nullptr);
            events(promise, 2);
        }).join();
        std::size_t transitions = 0;
        for (std::uint32_t i = 0; i < region.lanes(); ++i) {
            CHECK(region.lane(i).state.load() == (i == 0 ? kLaneActive : kLaneClosed));
            for (const Record &record : drain(region, i))
                transitions += isTransition(record) ? 1 : 0;
        }
        CHECK_EQUAL(transitions, 4U);
    });
}

CT_CASE(aThreadWithoutPoolMemoryHasNoLane)
{
    // 64 KiB and a page per lane: three lanes, then none.
    const Region region(Options{.laneRecords = 1 << 12, .poolBytes = 3 * (65536 + 4096) + 4096});
    inChild([&] {
        corotracer::InitTracer();
        Traced first;
        events(first, 1);
        std::atomic<bool> done{false};
        std::vector<std::thread> threads;
        std::vector<std::unique_ptr<Traced>> promises(3);
        for (std::uint32_t i = 0; i < 2; ++i) {
            threads.emplace_back([&, i] {
                promises[i] = std::make_unique<Traced>();
                while (!done.load())
                    std::this_thread::yield();
            });
            while (region.lanes() != i + 2)
                std::this_thread::yield();
        }
        for (std::uint32_t i = 0; i < 3; ++i) {
            CHECK_EQUAL(region.lane(i).records.load(), kLaneRecordsMin);
            CHECK_EQUAL(region.lane(i).offset.load() % 4096, 0U);
        }
        std::thread([&] {
            promises[2] = std::make_unique<Traced>();
            events(*promises[2], 5);
            promises[2].reset();
        }).join();
        CHECK_EQUAL(region.lanes(), 3U);
        CHECK_EQUAL(region.extension().threads_without_lane.load(), 1U);
        CHECK_EQUAL(region.extension().records_without_lane.load(), 7U);
        CHECK_EQUAL(region.compactStation(3).seq.load(), 10U);
        CHECK_EQUAL(region.life(3), kCompactDead);
        done.store(true);
        for (std::thread &thread : threads)
            thread.join();
    });
}

/// A few threads get long lanes, and hundreds of threads still get one each.
CT_CASE(aLaneIsAThirtySecondOfTheFreePool)
{
    using corotracer::detail::lane_bytes;
    constexpr std::uint64_t kMiB = 1 << 20;
    CHECK_EQUAL(lane_bytes(16 * kMiB, 4096 * kMiB), 16 * kMiB);
    CHECK_EQUAL(lane_bytes(16 * kMiB, 512 * kMiB), 16 * kMiB);
    CHECK_EQUAL(lane_bytes(16 * kMiB, 512 * kMiB - 1), 8 * kMiB);
    CHECK_EQUAL(lane_bytes(16 * kMiB, 64 * kMiB), 2 * kMiB);
    CHECK_EQUAL(lane_bytes(16 * kMiB, 3 * kMiB), 65536U);
    CHECK_EQUAL(lane_bytes(16 * kMiB, 65536 + 4096), 65536U);
    CHECK_EQUAL(lane_bytes(16 * kMiB, 65536), 0U);
    CHECK_EQUAL(lane_bytes(16 * kMiB, 0), 0U);
    // The whole default pool of a session.
    std::uint64_t left = 512 * kMiB;
    int lanes = 0;
    for (; const std::uint64_t bytes = lane_bytes(16 * kMiB, left); ++lanes)
        left -= bytes + corotracer::detail::block_bytes(bytes / sizeof(LaneRecord));
    CHECK(lanes >= 250 && lanes <= 350);
    CHECK(left < 65536 + 4096);
}

CT_CASE(writesAndWakesWithoutEngineFences)
{
    const Region region(Options{.engineFences = false});
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        events(promise, 4);
        CHECK_EQUAL(pattern(drainAll(region)), "BSRSR");
        CHECK_EQUAL(region.compactStation(0).seq.load(), 8U);
        region.header().tracer_sleeping.store(1);
        events(promise, 1);
        CHECK_EQUAL(region.header().tracer_sleeping.load(), 0U);
    });
}

CT_CASE(eventsBirthsAndDeathsWake)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        region.header().tracer_sleeping.store(1);
        auto promise = std::make_unique<Traced>();
        CHECK_EQUAL(region.header().tracer_sleeping.exchange(1), 0U);
        events(*promise, 1);
        CHECK_EQUAL(region.header().tracer_sleeping.exchange(1), 0U);
        promise.reset();
        CHECK_EQUAL(region.header().tracer_sleeping.load(), 0U);
    });
}

}  // namespace
