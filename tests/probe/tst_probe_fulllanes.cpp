// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lanes without room: overwrite mode overwrites the oldest records, and a full file system never raises a signal.
#include "tests/probe/lanetest.h"
#include "tests/support/fillerfile.h"
#include "tests/support/oldkernel.h"
#include "tests/support/smalltmpfs.h"

#include <deque>
#include <thread>

namespace {

using namespace lanetest;
using probetest::inChild;
using smalltmpfs::Filler;

std::uint64_t blockNumber(const Region &region, std::size_t lane, std::uint32_t block)
{
    const char *base = reinterpret_cast<const char *>(&region.header());
    const auto *numbers =
        reinterpret_cast<const std::atomic<std::uint64_t> *>(base + region.lane(lane).block_numbers_offset.load());
    return numbers[block].load(std::memory_order_acquire);
}

/// Returns the retained records of a lane in overwrite mode, block after block, oldest first.
std::vector<Record> dump(const Region &region, std::size_t index)
{
    const LaneHeader &lane = region.lane(index);
    const std::uint32_t capacity = lane.records.load();
    std::map<std::uint64_t, std::uint32_t> blocks;
    for (std::uint32_t block = 0; block < capacity / kLaneBlock; ++block) {
        if (const std::uint64_t number = blockNumber(region, index, block); number != 0)
            blocks[number] = block;
    }
    std::vector<Record> result;
    for (const auto &[number, block] : blocks) {
        for (std::uint64_t p = (number - 1) * kLaneBlock; p < number * kLaneBlock; ++p) {
            const LaneRecord &record = region.record(lane, p);
            const std::uint64_t commit = record.commit.load(std::memory_order_acquire);
            if ((commit & 0xF) != p / capacity % kLaneLaps + 1)
                break;
            result.push_back({p, record.ts.load(), record.identity.load(), record.arg.load(),
                              static_cast<std::uint32_t>(commit >> 32), 0, static_cast<std::uint8_t>(commit >> 4)});
        }
    }
    return result;
}

CT_CASE(overwriteKeepsTheLatest)
{
    const Region region(Options{.mode = kLanesOverwrite, .laneRecords = 4 * kLaneBlock});
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        events(promise, 50'000);
        CHECK_EQUAL(region.lane(0).dropped.load(), 0U);
        const std::vector<Record> records = dump(region, 0);
        // At least all blocks except for the one being written.
        CHECK(records.size() >= 3 * kLaneBlock);
        CHECK_EQUAL(records.back().n, 49'999U);
        for (std::size_t i = 0; i < records.size(); ++i)
            CHECK_EQUAL(records[i].n, 50'000 - records.size() + i);
        CHECK_EQUAL(region.compactStation(0).seq.load(), 100'000U);
    });
}

CT_CASE(overwriteModeReusesTheLaneClosedFirst)
{
    const Region region(Options{.mode = kLanesOverwrite, .poolBytes = 3 * (65536 + 4096)});
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        events(promise, 1);
        std::thread([&] { events(promise, 1500); }).join();
        std::thread([&] {
            const Traced own;
            events(promise, 10);
        }).join();
        CHECK_EQUAL(region.lanes(), 3U);
        CHECK_EQUAL(region.lane(1).state.load(), kLaneClosed);
        CHECK_EQUAL(region.lane(2).state.load(), kLaneClosed);
        CHECK_EQUAL(region.life(1), kCompactRecycled);
        std::thread([&] { events(promise, 700); }).join();
        CHECK_EQUAL(region.lanes(), 3U);
        CHECK_EQUAL(region.lane(1).claims.load(), 2U);
        CHECK_EQUAL(region.lane(1).begin.load(), 1500U);
        const std::vector<Record> records = dump(region, 1);
        REQUIRE(!records.empty());
        CHECK_EQUAL(records.back().position, 2199U);
        CHECK_EQUAL(records.back().n, 1U + 1500 + 10 + 700 - 1);
    });
}

CT_CASE(retentionKeepsTheLaneOfAnEndedThread)
{
    const Region region(Options{.mode = kLanesOverwrite, .poolBytes = 2 * (65536 + 4096), .retentionMs = 3'600'000});
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        std::thread([&] { events(promise, 3); }).join();
        std::thread([&] { events(promise, 5); }).join();
        CHECK_EQUAL(region.lane(1).claims.load(), 1U);
        CHECK_EQUAL(region.extension().threads_without_lane.load(), 1U);
        CHECK_EQUAL(region.extension().records_without_lane.load(), 5U);
        CHECK_EQUAL(region.compactStation(0).seq.load(), 16U);
    });
}

/// In overwrite mode, the newest history matters most. Any number of threads get a lane each, even one that was closed
/// at this moment.
CT_CASE(withoutRetentionEveryThreadGetsALane)
{
    const Region region(Options{.mode = kLanesOverwrite, .poolBytes = 2 * (65536 + 4096)});
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        events(promise, 1);
        for (std::uint32_t i = 1; i <= 50; ++i) {
            std::thread([&] { events(promise, 3); }).join();
            CHECK_EQUAL(dump(region, 1).back().n, 3 * i);
        }
        CHECK_EQUAL(region.lanes(), 2U);
        CHECK_EQUAL(region.lane(1).claims.load(), 50U);
        CHECK_EQUAL(region.extension().threads_without_lane.load(), 0U);
        CHECK_EQUAL(region.extension().records_without_lane.load(), 0U);
        // As if it were closed after the claimer read the clock. A damaged time has the same effect.
        region.lane(1).closed_ts.store(~std::uint64_t{0});
        std::thread([&] { events(promise, 3); }).join();
        CHECK_EQUAL(region.lane(1).claims.load(), 51U);
        CHECK_EQUAL(region.extension().threads_without_lane.load(), 0U);
    });
}

void (*onKernel)(const std::string &directory) = nullptr;
oldkernel::Kernel kernel = oldkernel::Kernel::AsItIs;

/// Runs `body` on a small file system, with this kernel and with simulated older or stricter ones.
void onSmallTmpfs(std::uint64_t bytes, void (*body)(const std::string &directory))
{
    using oldkernel::Kernel;
    onKernel = body;
    for (const Kernel each : {Kernel::AsItIs, Kernel::Before514, Kernel::Forbidding, Kernel::GrantingAdvice}) {
        kernel = each;
        smalltmpfs::onSmallTmpfs(bytes, [](const std::string &directory) {
            if (!oldkernel::become(kernel))
                CHECK_SKIP("this kernel has no filter of system calls");
            onKernel(directory);
        });
    }
}

CT_CASE(birthsWithoutMemoryAreCounted)
{
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        const Region region(Options{.compactStations = 100'000}, directory);
        corotracer::InitTracer();
        std::deque<Traced> all(1000);
        CHECK(all.back().is_traced());
        {
            const Filler filler(directory);
            std::deque<Traced> more(200);
            CHECK(more.front().is_traced());  // a committed one
            CHECK(!more.back().is_traced());
            CHECK_EQUAL(region.compactStations(), 1024U);
            CHECK_EQUAL(region.extension().births_without_station.load(), 176U);
            events(more.back(), 3);
        }
        corotracer::detail::state_v2.no_memory_before_ns.store(0);  // the time until the next attempt has passed
        std::deque<Traced> again(100);
        CHECK(again.back().is_traced());
    });
}

CT_CASE(recordsWithoutMemoryAreCounted)
{
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        // Lanes of 4 MiB: one step of 1 MiB has memory, the next has not.
        const Region region(Options{.laneRecords = 1 << 17, .poolBytes = 1 << 30}, directory);
        corotracer::InitTracer();
        Traced promise;
        events(promise, 1);
        constexpr std::uint64_t kStep = (1 << 20) / sizeof(LaneRecord);
        CHECK_EQUAL(region.lane(0).committed.load(), kStep);
        Ledger ledger;
        {
            const Filler filler(directory);
            events(promise, 40'000);
            CHECK_EQUAL(region.lane(0).dropped.load(), 40'002 - kStep);
            ledger.add(drainAll(region));
            // There is no memory for a lane's header either.
            std::thread([&] {
                for (int i = 0; i < 40; ++i)
                    events(promise, 1);
            }).join();
        }
        ledger.add(drainAll(region));
        corotracer::detail::thread_v2.retry_ns = 0;  // the time until the next attempt has passed
        events(promise, 10);
        ledger.add(drainAll(region));
        CHECK_EQUAL(ledger.markers, region.extension().records_without_lane.load() == 40 ? 1U : 2U);
        CHECK_EQUAL(region.compactStation(0).seq.load(), 2 * 40'051U);
        CHECK_EQUAL(ledger.transitions + ledger.dropped + region.extension().records_without_lane.load(), 40'051U);
    });
}

CT_CASE(failedAttemptsUseNoPool)
{
    onSmallTmpfs(32 << 20, [](const std::string &directory) {
        const Region region(Options{.laneRecords = 1 << 17, .poolBytes = 1 << 30}, directory);
        constexpr std::uint64_t kLaneBytes = (std::uint64_t{1} << 17) * sizeof(LaneRecord) + 4096;
        corotracer::InitTracer();
        Traced promise;
        events(promise, 1);
        {
            const Filler filler(directory);
            std::vector<std::thread> threads;
            for (int i = 0; i < 8; ++i)
                threads.emplace_back([] {
                    Traced own;
                    for (int attempt = 0; attempt < 50; ++attempt) {
                        corotracer::detail::thread_v2.retry_ns = 0;  // the time until the next attempt has passed
                        events(own, 1);
                    }
                });
            for (std::thread &thread : threads)
                thread.join();
        }
        CHECK(region.extension().records_without_lane.load() > 0);
        // Only finished lanes use bytes of the pool. One may have got the last free page of the file system.
        CHECK_EQUAL(region.extension().lane_pool_used.load(), region.lanes() * kLaneBytes);
        const std::uint32_t before = region.lanes();
        for (int i = 0; i < 4; ++i)
            std::thread([] { events(*std::make_unique<Traced>(), 1); }).join();
        CHECK_EQUAL(region.lanes(), before + 4);
        for (std::uint32_t i = 0; i < region.lanes(); ++i) {
            CHECK_EQUAL(region.lane(i).records.load(), 1U << 17);
            CHECK(region.lane(i).state.load() != kLaneMaking);
        }
    });
}

/// Another thread can be faster to get the last directory entry, or the memory for one.
CT_CASE(unusedPartReturnsToPool)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const corotracer::detail::lane_areas &areas = corotracer::detail::state_v2.lanes;
        const std::uint64_t used = region.extension().lane_pool_used.load();
        const corotracer::detail::lane_carving first = corotracer::detail::carve(areas);
        const corotracer::detail::lane_carving second = corotracer::detail::carve(areas);
        CHECK_EQUAL(first.begin, used);
        CHECK_EQUAL(second.begin, first.end());
        corotracer::detail::give_back(areas, first);  // not the last
        CHECK_EQUAL(region.extension().lane_pool_used.load(), second.end());
        corotracer::detail::give_back(areas, second);
        corotracer::detail::give_back(areas, first);
        CHECK_EQUAL(region.extension().lane_pool_used.load(), used);
    });
}

CT_CASE(coroutinesBeyondTheMemoryAreUntraced)
{
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        const Region region(Options{.mode = kLanesNone, .stations = 20'000}, directory);
        region.header().max_stations.store(8);
        corotracer::InitTracer();
        std::deque<Traced> all(10'000);
        CHECK(all[2000].is_traced());
        CHECK(!all.back().is_traced());
        const std::uint32_t offered = region.header().max_stations.load();
        CHECK(offered >= 2048 && offered < 4096);
        CHECK(!all[offered].is_traced());
        CHECK_EQUAL(region.header().allocated_count.load(), 10'000U);  // the rest are untraced
        for (Traced &promise : all)
            events(promise, 9);
    });
}

CT_CASE(coroutinesAreUntracedWithoutMemory)
{
    onSmallTmpfs(2 << 20, [](const std::string &directory) {
        const Region region(Options(), directory);
        const Filler filler(directory);
        corotracer::InitTracer();
        std::deque<Traced> all(8);  // full stations; some share the page of the header
        for (Traced &promise : all)
            events(promise, 10);
        CHECK(!all.back().is_traced());
        CHECK_EQUAL(region.compactStations(), 0U);
    });
}

}  // namespace
