// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory is populated ahead of its use, and a full file system is reported.
#include "core/region/region.h"
#include "tests/support/check.h"
#include "tests/support/harvestloop.h"
#include "tests/support/oldkernel.h"
#include "tests/support/regions.h"
#include "tests/support/smalltmpfs.h"

#include <csignal>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

using ct::Region;
using regions::offered;
using regions::specOf;
using smalltmpfs::onSmallTmpfs;

namespace {

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

/// Writes to all offered stations as a version-1 probe, in a process without our SIGBUS handler. Returns 0, or the
/// signal that ended it.
int touchAllOffered(Region &region)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGBUS, SIG_DFL);
        corotracer::GlobalHeader &header = *region.writableHeader();
        while (auto *station = writers::allocateFullStation(header)) {
            writers::Writer writer(*station, writers::Style::OldSdk, 1);
            writer.create();
            for (int i = 0; i < 8; ++i)
                writer.write();
        }
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

CT_CASE(stationsGrowAheadOfTheirUse)
{
    const regions::TempDir dir;
    auto region = Region::create(specOf(dir.file("a.shm"), 100'000));
    REQUIRE(region);
    CHECK_EQUAL(offered(*region), 32'768u);
    CHECK(region->growStations());
    CHECK_EQUAL(offered(*region), 32'768u);  // none is in use
    auto &allocated = region->writableHeader()->allocated_count;
    allocated.store(1);
    CHECK(region->growStations());
    CHECK(offered(*region) > 32'768u && offered(*region) < 40'000u);
    allocated.store(offered(*region) + 5000);  // some births were refused
    CHECK(region->growStations());
    CHECK(offered(*region) >= allocated.load() + 32'768);
    CHECK(region->committedBytes() >= std::uint64_t{offered(*region)} * 1024);
    allocated.store(90'000);
    CHECK(region->growStations());
    CHECK_EQUAL(offered(*region), 100'000u);
    allocated.store(4'000'000'000);
    CHECK(region->growStations());
    CHECK_EQUAL(offered(*region), 100'000u);
}

/// A burst between two checks: the births that found no station are counted once, and no others.
CT_CASE(birthsThatOvertakeGrowthAreCounted)
{
    const regions::TempDir dir;
    auto region = Region::create(specOf(dir.file("a.shm"), 200'000));
    REQUIRE(region);
    auto &allocated = region->writableHeader()->allocated_count;
    allocated.store(offered(*region));
    CHECK(region->growStations());
    CHECK_EQUAL(region->overtakenBirths(), 0u);
    allocated.store(offered(*region) + 7);
    CHECK(region->growStations());
    CHECK_EQUAL(region->overtakenBirths(), 7u);
    CHECK(region->growStations());
    allocated.fetch_add(100);
    CHECK(region->growStations());
    CHECK_EQUAL(region->overtakenBirths(), 7u);
    // The region can never have stations for all of these births. Those beyond its largest size are untraced, but they
    // were not overtaken by the growth.
    allocated.store(200'005);
    const std::uint32_t before = offered(*region);
    CHECK(region->growStations());
    CHECK_EQUAL(region->overtakenBirths(), 7u + (200'000 - before));
    allocated.store(300'000);
    CHECK(region->growStations());
    CHECK_EQUAL(region->overtakenBirths(), 7u + (200'000 - before));
}

/// A probe of the extension offers missing stations itself, so no coroutine stays untraced.
CT_CASE(birthsThatAreTracedAreNotReportedAsOvertaken)
{
    const regions::TempDir dir;
    auto region = Region::create(specOf(dir.file("a.shm"), 1000));
    REQUIRE(region);
    corotracer::GlobalHeader &header = *region->writableHeader();
    header.max_stations.store(8);
    header.allocated_count.store(10);
    HarvestLoop loop(*region);
    ct::Batch batch;
    loop.pass(batch);
    CHECK_EQUAL(region->overtakenBirths(), 2u);
    CHECK_EQUAL(loop.accounting().untraced, 10u);
    CHECK_EQUAL(loop.accounting().birthsOvertaken, 2u);
    for (std::uint32_t i = 0; i < 10; ++i)
        writers::Writer(*region->writableStation(i), writers::Style::OldSdk, i + 1).create();
    batch.clear();
    loop.safetyPass(batch);
    CHECK_EQUAL(loop.accounting().untraced, 0u);
    CHECK_EQUAL(loop.accounting().birthsOvertaken, 0u);
}

/// Births that a previous engine was too slow for are not counted again.
CT_CASE(birthsBeforeAdoptionAreNotOvertaken)
{
    const regions::TempDir dir;
    const std::string path = dir.file("a.shm");
    {
        auto region = Region::create(specOf(path, 200'000));
        REQUIRE(region);
        region->writableHeader()->allocated_count.store(offered(*region) + 500);
    }
    auto region = Region::open(path);
    REQUIRE(region && region->access() == ct::RegionAccess::Owner);
    CHECK(region->growStations());
    CHECK_EQUAL(region->overtakenBirths(), 0u);
    region->writableHeader()->allocated_count.store(offered(*region) + 7);
    CHECK(region->growStations());
    CHECK_EQUAL(region->overtakenBirths(), 7u);
}

/// A target damaged max_stations: the engine populates nothing for it, and offers no station that does not exist.
CT_CASE(aScribbledMaximumIsNoOffer)
{
    const regions::TempDir dir;
    auto region = Region::create(specOf(dir.file("a.shm"), 100));
    REQUIRE(region);
    region->writableHeader()->allocated_count.store(50);
    region->writableHeader()->max_stations.store(~0u);
    CHECK(region->growStations());
    CHECK_EQUAL(region->stationCapacity(), 100u);
    region->writableHeader()->max_stations.store(3);
    CHECK(region->growStations());
    CHECK_EQUAL(offered(*region), 100u);
}

/// A full file system gives a message, never a signal. Growth continues when there is room again.
CT_CASE(aFullFileSystemStopsGrowth)
{
    onSmallTmpfs(24 << 20, [](const std::string &directory) {
        auto region = Region::create(specOf(directory + "/a.shm"));
        REQUIRE(region);
        CHECK_EQUAL(offered(*region), 1536u);
        CHECK_EQUAL(touchAllOffered(*region), 0);
        auto grown = region->growStations();
        while (grown) {
            CHECK_EQUAL(touchAllOffered(*region), 0);
            grown = region->growStations();
        }
        CHECK(grown.error().code == ct::ErrorCode::NoSpace);
        CHECK(contains(grown.error().message, directory + "/a.shm"));
        const std::uint64_t overtaken = region->overtakenBirths();
        const std::uint32_t most = offered(*region);
        CHECK(most > 20'000 && most < 24'576);
        region->writableHeader()->allocated_count.store(16'384);
        CHECK_EQUAL(touchAllOffered(*region), 0);
        const auto still = region->growStations();
        CHECK(!still);
        CHECK_EQUAL(offered(*region), most);
        REQUIRE(::mount(nullptr, directory.c_str(), nullptr, MS_REMOUNT, "size=128m") == 0);
        while (!region->growStations())
            ::usleep(1000);
        CHECK_EQUAL(region->overtakenBirths(), overtaken);  // the other births were refused for lack of memory
        CHECK(offered(*region) >= region->header().allocated_count.load() + 4096);
        CHECK_EQUAL(touchAllOffered(*region), 0);
    });
}

/// Neither can the file system reserve memory nor the kernel populate it. There is no signal even then.
CT_CASE(aFullFileSystemThatCannotReserveStopsGrowth)
{
    onSmallTmpfs(24 << 20, [](const std::string &directory) {
        if (!oldkernel::become(oldkernel::Kernel::WithoutReserving))
            CHECK_SKIP("this kernel has no filter of system calls");
        auto region = Region::create(specOf(directory + "/a.shm"));
        REQUIRE(region);
        CHECK_EQUAL(touchAllOffered(*region), 0);
        auto full = region->growStations();
        while (full) {
            region->writableHeader()->allocated_count.store(offered(*region));
            full = region->growStations();
        }
        CHECK(full.error().code == ct::ErrorCode::NoSpace);
        CHECK(offered(*region) < 24'576);
        region->writableHeader()->allocated_count.store(0);
        CHECK_EQUAL(touchAllOffered(*region), 0);
    });
}

/// Version-1 stations, which may never be used, leave the space to lanes. They get at most a sixteenth of it.
CT_CASE(headroomFollowsTheFreeSpace)
{
    onSmallTmpfs(64 << 20, [](const std::string &directory) {
        auto region = Region::create(specOf(directory + "/a.shm"));
        REQUIRE(region);
        CHECK_EQUAL(offered(*region), 4096u);
        CHECK(region->committedBytes() < 8 << 20);
        // As stations are allocated, more are offered: a sixteenth of the space that is left then.
        region->writableHeader()->allocated_count.store(4000);
        CHECK(region->growStations());
        CHECK(offered(*region) > 7000 && offered(*region) <= 8192);
    });
}

CT_CASE(lanesFollowTheFreeSpace)
{
    onSmallTmpfs(64 << 20, [](const std::string &directory) {
        auto region = Region::create(specOf(directory + "/a.shm"));
        REQUIRE(region);
        CHECK_EQUAL(region->header().extension.lane_pool_size, 32u << 20);
        CHECK_EQUAL(region->header().extension.lanes_shrink, 1u);
        CHECK(contains(region->warning(), "only 64 MiB are free"));
        CHECK(contains(region->warning(), "lanes of 1024 KiB"));
    });
    onSmallTmpfs(40 << 20, [](const std::string &directory) {
        auto region = Region::create(specOf(directory + "/a.shm"));
        REQUIRE(region);
        CHECK(contains(region->warning(), "only 40 MiB are free"));
        CHECK(contains(region->warning(), "lanes of 512 KiB"));
        CHECK(contains(region->warning(), "--shm"));
    });
}

/// size=0 means no limit, and appears as a file system without blocks.
CT_CASE(aFileSystemWithoutALimitIsNotFull)
{
    onSmallTmpfs(0, [](const std::string &directory) {
        auto region = Region::create(specOf(directory + "/a.shm"));
        REQUIRE(region);
        CHECK_EQUAL(offered(*region), 32'768u);
        CHECK_EQUAL(region->header().extension.lane_pool_size, ct::kUsualLanePoolBytes);
        const auto chosen = ct::chooseRegionDirectory({{directory + "/place", {}}});
        CHECK(chosen);
    });
}

/// If the number is requested explicitly: a burst of births may be over before the engine checks.
CT_CASE(requestedStationsAreOfferedAtTheStart)
{
    const regions::TempDir dir;
    ct::RegionSpec spec = specOf(dir.file("a.shm"), 100'000);
    spec.stationsAtStart = true;
    auto region = Region::create(spec);
    REQUIRE(region);
    CHECK_EQUAL(offered(*region), 100'000u);
    CHECK(region->warning().empty());
    CHECK(region->committedBytes() >= std::uint64_t{100'000} * 1024);
    onSmallTmpfs(24 << 20, [](const std::string &directory) {
        ct::RegionSpec large = specOf(directory + "/a.shm", 64'000);
        large.stationsAtStart = true;
        auto small = Region::create(large);
        REQUIRE(small);
        CHECK(contains(small->warning(), "16000 stations fit"));
        CHECK(contains(small->warning(), "--shm"));
        CHECK_EQUAL(offered(*small), 16'000u);
        CHECK_EQUAL(touchAllOffered(*small), 0);
    });
}

CT_CASE(noRoomForARegionIsAnError)
{
    onSmallTmpfs(1 << 20, [](const std::string &directory) {
        const auto region = Region::create(specOf(directory + "/a.shm"));
        REQUIRE(!region);
        CHECK(region.error().code == ct::ErrorCode::NoSpace);
        CHECK(!std::filesystem::exists(directory + "/a.shm"));
    });
}
