// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lane without further memory wraps in the memory that it has. A reader that is fast enough loses nothing.
#include "tests/probe/lanetest.h"
#include "tests/support/fillerfile.h"
#include "tests/support/smalltmpfs.h"

#include <thread>

namespace {

using namespace lanetest;
using smalltmpfs::Filler;
using smalltmpfs::onSmallTmpfs;

constexpr std::uint32_t kStep = (1 << 20) / sizeof(LaneRecord);
/// Lanes of 4 MiB.
const Options kLongLanes{.laneRecords = 1 << 17, .poolBytes = 1 << 30};

/// Publishes pieces of `piece` events, and drains after each piece.
void eventsAndDrains(const Region &region, Traced &promise, int pieces, std::uint64_t piece, Ledger &ledger)
{
    for (int i = 0; i < pieces; ++i) {
        events(promise, piece);
        ledger.add(drainAll(region));
    }
}

CT_CASE(aFullFileSystemShortensALane)
{
    if (!probetest::kernelHonoursMadvise())
        return;
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        const Region region(kLongLanes, directory);
        corotracer::InitTracer();
        Ledger ledger;
        {
            Traced promise;
            events(promise, 1);
            const Filler filler(directory);
            eventsAndDrains(region, promise, 40, 20'000, ledger);
        }
        ledger.add(drainAll(region));
        CHECK_EQUAL(region.lane(0).dropped.load(), 0U);
        CHECK_EQUAL(region.lane(0).records.load(), kStep);
        CHECK_EQUAL(region.lane(0).committed.load(), kStep);
        CHECK_EQUAL(ledger.transitions, 800'001U);
        ledger.checkComplete();
    });
}

/// Three steps of memory are there, so the length is not a power of two.
CT_CASE(aLaneMayHaveAnyNumberOfBlocks)
{
    if (!probetest::kernelHonoursMadvise())
        return;
    onSmallTmpfs(6 << 20, [](const std::string &directory) {
        const Region region(kLongLanes, directory);
        corotracer::InitTracer();
        Ledger ledger;
        {
            Traced promise;
            eventsAndDrains(region, promise, 3, 30'000, ledger);
            CHECK_EQUAL(region.lane(0).committed.load(), 3 * kStep);
            const Filler filler(directory);
            eventsAndDrains(region, promise, 80, 30'000, ledger);
        }
        ledger.add(drainAll(region));
        CHECK_EQUAL(region.lane(0).records.load(), 3 * kStep);
        CHECK_EQUAL(region.lane(0).dropped.load(), 0U);
        ledger.checkComplete();
    });
}

/// A full lane drops records as usual, and counts them.
CT_CASE(aShortenedLaneThatIsFullDrops)
{
    if (!probetest::kernelHonoursMadvise())
        return;
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        const Region region(kLongLanes, directory);
        corotracer::InitTracer();
        Traced promise;
        events(promise, 1);
        const Filler filler(directory);
        Ledger ledger;
        events(promise, 50'000);
        CHECK_EQUAL(region.lane(0).dropped.load(), 50'002 - kStep);
        ledger.add(drainAll(region));
        events(promise, 50'000);
        ledger.add(drainAll(region));
        CHECK_EQUAL(ledger.markers, 1U);
        CHECK_EQUAL(ledger.transitions + region.lane(0).dropped.load(), 100'001U);
        CHECK_EQUAL(region.compactStation(0).seq.load(), 2 * 100'001U);
    });
}

CT_CASE(theNextThreadClaimsAShortenedLane)
{
    if (!probetest::kernelHonoursMadvise())
        return;
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        const Region region(kLongLanes, directory);
        corotracer::InitTracer();
        Ledger ledger;
        std::optional<Filler> filler;
        for (int i = 0; i < 5; ++i) {
            std::thread([&] {
                Traced own;
                events(own, 10);
                if (!filler)
                    filler.emplace(directory);
                eventsAndDrains(region, own, 3, 30'000, ledger);
            }).join();
            ledger.add(drainAll(region));
        }
        CHECK_EQUAL(region.lanes(), 1U);
        CHECK_EQUAL(region.lane(0).claims.load(), 5U);
        CHECK_EQUAL(region.lane(0).records.load(), kStep);
        CHECK_EQUAL(region.lane(0).dropped.load(), 0U);
        CHECK_EQUAL(ledger.dead(), 5U);
        ledger.checkComplete();
    });
}

/// A lane starts with less than one step of memory if there is no more.
CT_CASE(aLaneStartsWithTheAvailableMemory)
{
    if (!probetest::kernelHonoursMadvise())
        return;
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        const Region region(kLongLanes, directory);
        corotracer::InitTracer();
        Ledger ledger;
        {
            Traced promise;  // its compact station has memory now
            const Filler filler(directory, 400 << 10);
            std::thread([&] {
                Traced own;
                eventsAndDrains(region, own, 100, 1500, ledger);
            }).join();
        }
        ledger.add(drainAll(region));
        REQUIRE(region.lanes() == 2);
        const LaneHeader &lane = region.lane(1);
        CHECK(lane.committed.load() >= kLaneRecordsMin && lane.committed.load() < kStep);
        CHECK_EQUAL(lane.records.load(), lane.committed.load());
        CHECK_EQUAL(lane.dropped.load(), 0U);
        ledger.checkComplete();
    });
}

/// If `lanes_shrink` is 0, readers may not know of shorter lanes. The lane keeps its length.
CT_CASE(aLaneKeepsItsLengthUnlessShrinkingIsAllowed)
{
    if (!probetest::kernelHonoursMadvise())
        return;
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        Options options = kLongLanes;
        options.shrink = false;
        const Region region(options, directory);
        corotracer::InitTracer();
        Traced promise;
        events(promise, 1);
        const Filler filler(directory);
        events(promise, 40'000);
        (void)drainAll(region);
        events(promise, 10'000);
        CHECK_EQUAL(region.lane(0).records.load(), 1U << 17);
        CHECK_EQUAL(region.lane(0).dropped.load(), 50'002 - kStep);
    });
}

CT_CASE(overwriteModeRetainsTheLatestInTheAvailableMemory)
{
    if (!probetest::kernelHonoursMadvise())
        return;
    onSmallTmpfs(4 << 20, [](const std::string &directory) {
        Options options = kLongLanes;
        options.mode = kLanesOverwrite;
        const Region region(options, directory);
        corotracer::InitTracer();
        Traced promise;
        events(promise, 1);
        const Filler filler(directory);
        events(promise, 300'000);
        const LaneHeader &lane = region.lane(0);
        CHECK_EQUAL(lane.records.load(), kStep);
        CHECK_EQUAL(lane.dropped.load(), 0U);
        // Backwards from the last event. The birth is record 0.
        const std::uint64_t last = 300'001;
        for (std::uint64_t p = last; p > last - (kStep - kLaneBlock); --p) {
            const LaneRecord &record = region.record(lane, p);
            const std::uint64_t commit = record.commit.load(std::memory_order_acquire);
            REQUIRE((commit & 0xF) == lane_lap(p, kStep));
            REQUIRE(commit >> 32 == p - 1);
        }
    });
}

}  // namespace
