// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An engine with a limited address space (ulimit -v) creates smaller regions, or reports what to do.
#include "core/region/regionspace.h"
#include "corotracer/addressspace.h"
#include "tests/support/check.h"
#include "tests/support/regions.h"

#include <functional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using ct::Region;
using ct::RegionSpace;
using ct::RegionSpec;
using regions::specOf;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

/// Runs `body` in a child that can use `left` more bytes of address space than now.
void withAddressSpace(std::uint64_t left, const std::function<void()> &body)
{
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        check::failures = 0;
        const std::uint64_t used = corotracer::detail::address_space_used();
        rlimit limit{};
        ::getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = used + left;
        if (used > std::uint64_t{64} << 30)  // under a sanitizer no limit can hold
            ::_exit(0);
        try {
            REQUIRE(::setrlimit(RLIMIT_AS, &limit) == 0);
            body();
        } catch (const check::Abort &) {
        }
        ::_exit(check::failures == 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace

CT_CASE(enoughSpaceLeavesTheSizesUnchanged)
{
    std::string warning;
    const auto fitted = ct::fittedTo(RegionSpace(), specOf("/a.shm"), warning);
    REQUIRE(fitted);
    CHECK_EQUAL(warning, "");
    CHECK_EQUAL(fitted->stations, corotracer::kMostStations);
    CHECK_EQUAL(fitted->lanePoolBytes, ct::kUsualLanePoolBytes);
    CHECK_EQUAL(ct::stringsCapacityIn(RegionSpace()), 64 * kMiB);
}

CT_CASE(aRegionFitsTheAddressSpace)
{
    for (const std::uint64_t left : {128 * kMiB, 1024 * kMiB, 4096 * kMiB}) {
        withAddressSpace(left, [left] {
            const regions::TempDir dir;
            const std::uint64_t before = corotracer::detail::address_space_used();
            const auto region = Region::create(specOf(dir.file("a.shm")));
            REQUIRE(region);
            CHECK(corotracer::detail::address_space_used() - before <= left / 4 + kMiB);
            CHECK(contains(region->warning(), "ulimit -v"));
            CHECK(region->stationCapacity() > 5000 && region->stationCapacity() < corotracer::kMostStations);
            CHECK(contains(region->warning(), std::to_string(region->stationCapacity())));
            CHECK_EQUAL(region->compactStations().size(), region->stationCapacity());
            CHECK(region->header().extension.lane_pool_size >= 4 * kMiB);
        });
    }
}

CT_CASE(tooLittleAddressSpaceIsAnError)
{
    withAddressSpace(100 * kMiB, [] {
        const regions::TempDir dir;
        const auto region = Region::create(specOf(dir.file("a.shm")));
        REQUIRE(!region);
        CHECK(contains(region.error().message, dir.file("a.shm")));
        CHECK(contains(region.error().message, "raise the limit"));
        CHECK(contains(region.error().message, "ulimit -v"));
        CHECK(!std::filesystem::exists(dir.file("a.shm")));
    });
}

/// The size of another program's region cannot be reduced.
CT_CASE(mappingErrorsNameTheLimit)
{
    const regions::TempDir dir;
    const auto made = Region::create(specOf(dir.file("a.shm")));
    REQUIRE(made);
    // Where the disk is nearly full, a region is smaller.
    const std::string size = std::to_string(std::filesystem::file_size(dir.file("a.shm")) / kMiB);
    REQUIRE(std::stoull(size) > 2048);
    withAddressSpace(1024 * kMiB, [&dir, &size] {
        const auto region = Region::open(dir.file("a.shm"));
        REQUIRE(!region);
        CHECK(contains(region.error().message, "cannot map " + size + " MiB of " + dir.file("a.shm")));
        CHECK(contains(region.error().message, "; raise the limit on this process's address space (ulimit -v)"));
    });
}
