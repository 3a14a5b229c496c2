// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An attached region may end at once. The end may come before the first pass, or after some passes. The sums must be
// equal.
#include "tests/support/lanecapture.h"

#include <array>

using namespace lanecapture;

namespace {

/// The results of one engine that attaches, runs `passes` passes and ends.
struct Found {
    ct::Accounting sums;
    std::vector<std::uint32_t> processes;
    std::uint64_t drops = 0;
};

Found endAfter(Capture &c, int passes)
{
    c.restart();
    for (int pass = 0; pass < passes; ++pass)
        c.pass(true);
    c.end();
    Found found;
    found.sums = c.loop->accounting();
    for (const ct::Process &process : c.streamSums.notes.processes)
        found.processes.push_back(process.pid);
    for (const ct::Drop &drop : c.streamSums.notes.drops)
        found.drops += drop.records;
    return found;
}

void checkSame(const Found &without, const Found &with)
{
    const auto same = [](std::uint64_t a, std::uint64_t b, const char *what) {
        if (a != b)
            check::fail(__FILE__, __LINE__, std::string(what) + ": " + std::to_string(a) + " and " + std::to_string(b));
    };
    using Sums = ct::Accounting;
    const std::array<std::pair<std::uint64_t Sums::*, const char *>, 9> kSums{
        {{&Sums::captured, "captured"},
         {&Sums::lost, "lost"},
         {&Sums::missedBeforeAttach, "missed"},
         {&Sums::coroutines, "coroutines"},
         {&Sums::coroutinesMissed, "coroutines missed"},
         {&Sums::untraced, "untraced"},
         {&Sums::recordsDropped, "records dropped"},
         {&Sums::laneBytes, "lane bytes"},
         {&Sums::regionBytes, "region bytes"}}};
    for (const auto &[sum, what] : kSums)
        same(without.sums.*sum, with.sums.*sum, what);
    same(without.sums.processes, with.sums.processes, "processes");
    same(without.sums.growthStopped, with.sums.growthStopped, "growth stopped");
    same(without.sums.threadsWithoutLane, with.sums.threadsWithoutLane, "threads without a lane");
    same(without.sums.lanes, with.sums.lanes, "lanes");
    same(without.sums.lanesInUse, with.sums.lanesInUse, "lanes in use");
    same(without.sums.stationsAllocated, with.sums.stationsAllocated, "stations");
    same(without.drops, with.drops, "drops");
    CHECK(without.processes == with.processes);
}

}  // namespace

/// A flight recorder on a full file system: it has a process, but no lane and no compact station that names it.
CT_CASE(sumsOfFullRegionInOverwriteModeNeedNoPass)
{
    Capture c;
    corotracer::ExtensionHeader &extension = c.header().extension;
    extension.lane_mode = corotracer::kLanesOverwrite;
    (void)c.process(77);
    extension.threads_without_lane.store(2);
    extension.records_without_lane.store(30);
    extension.births_without_station.store(5);
    c.dead.insert(77);
    const Found without = endAfter(c, 0);
    CHECK_EQUAL(without.processes.size(), 1u);
    CHECK_EQUAL(without.sums.untraced, 5u);
    CHECK(without.sums.growthStopped);
    CHECK(without.sums.regionBytes != 0);
    checkSame(without, endAfter(c, 1));
    checkSame(without, endAfter(c, 3));
}

/// Some coroutines left records, others left none.
CT_CASE(sumsInOverwriteModeNeedNoPass)
{
    Capture c;
    c.header().extension.lane_mode = corotracer::kLanesOverwrite;
    {
        const Process process = c.process(77);
        Lane lane = *process.claimLane(1), other = *process.claimLane(2);
        Coroutine early = *Coroutine::create(process, other, 100'000, 1);
        steps(early, other, 3);
        for (std::uint64_t key = 1; key <= 3000; ++key) {
            Coroutine one = *Coroutine::create(process, lane, key, 1);
            steps(one, lane, 4);
            one.destroy(lane, 2);
        }
        (void)c.process(78);
    }
    c.dead.insert(77);
    c.dead.insert(78);
    const Found without = endAfter(c, 0);
    CHECK_EQUAL(without.processes.size(), 2u);
    CHECK_EQUAL(without.sums.coroutines + without.sums.coroutinesMissed, 3001u);
    checkSame(without, endAfter(c, 1));
    checkSame(without, endAfter(c, 20));
}

/// Full stations only, as in version 1.
CT_CASE(sumsOfStationsNeedNoPass)
{
    Capture c(256);
    c.header().allocated_count.store(256 + 40);  // more births than stations
    const Found without = endAfter(c, 0);
    CHECK(without.sums.regionBytes != 0);
    CHECK_EQUAL(without.sums.untraced, 296u);
    checkSame(without, endAfter(c, 1));
}

/// After a long capture, the sums are those of the end, not of an earlier pass.
CT_CASE(finalDrainMakesAllChecks)
{
    Capture c;
    const Process process = c.process(5);
    c.scanAll();
    const std::uint64_t before = c.loop->accounting().regionBytes;
    (void)c.process(6);
    // Give pages of compact stations memory.
    for (int page = 0; page < 64; ++page)
        process.state(static_cast<std::uint32_t>(page) * 64).addr.store(1);
    c.end();
    CHECK_EQUAL(c.streamSums.notes.processes.size(), 2u);
    CHECK_EQUAL(c.loop->accounting().processes, 2u);
    CHECK_EQUAL(c.loop->accounting().regionBytes, c.region->committedBytes());
    CHECK(c.loop->accounting().regionBytes > before);
}
