// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/region.h"
#include "tests/support/child.h"
#include "tests/support/lanewriter.h"
#include "tests/support/regions.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using ct::Region;
using ct::RegionAccess;
using regions::offered;
using regions::specOf;

namespace {

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

/// Writes a zeroed region with a version-1 header, as the existing collector creates it.
void writeForeign(const std::string &path, std::uint32_t stations, std::uint64_t size)
{
    std::ofstream file(path, std::ios::binary);
    const std::uint64_t magic = corotracer::kMagic;
    const std::uint32_t numbers[2] = {corotracer::kVersion, stations};
    file.write(reinterpret_cast<const char *>(&magic), sizeof magic);
    file.write(reinterpret_cast<const char *>(numbers), sizeof numbers);
    file.close();
    std::filesystem::resize_file(path, size);
}

/// Runs body(file) in a child. Root may write to any file, so then the child becomes an ordinary user, who owns the
/// file.
void asOrdinaryUser(const std::string &directory, const std::string &file, void (*body)(const std::string &file))
{
    constexpr uid_t kNobody = 65534;
    const bool root = ::geteuid() == 0;
    if (root)
        REQUIRE(::chown(directory.c_str(), kNobody, kNobody) == 0 && ::chown(file.c_str(), kNobody, kNobody) == 0);
    std::fflush(nullptr);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        check::runInChild([&] {
            REQUIRE(!root ||
                    (::setresgid(kNobody, kNobody, kNobody) == 0 && ::setresuid(kNobody, kNobody, kNobody) == 0));
            body(file);
        });
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
}

}  // namespace

CT_CASE(createdRegionIsVersionOneAndPrivate)
{
    const regions::TempDir dir;
    auto region = Region::create({dir.file("a.shm"), 1000});
    REQUIRE(region);
    CHECK(region->access() == RegionAccess::Owner);
    CHECK(region->hasExtension() && !region->isAdopted());
    CHECK_EQUAL(region->stationCapacity(), 1000u);
    const corotracer::GlobalHeader &header = region->header();
    CHECK_EQUAL(header.magic_number, corotracer::kMagic);
    CHECK_EQUAL(header.version, 1u);
    CHECK_EQUAL(header.max_stations.load(), 1000u);
    CHECK_EQUAL(header.allocated_count.load(), 0u);
    CHECK_EQUAL(header.extension.engine_pid.load(), static_cast<std::uint32_t>(::getpid()));
    CHECK(header.extension.created_monotonic_ns != 0 && header.extension.created_realtime_ns != 0);
    struct stat info;
    REQUIRE(::stat(dir.file("a.shm").c_str(), &info) == 0);
    CHECK_EQUAL(info.st_mode & 0777, 0600u);
    CHECK(static_cast<std::uint64_t>(info.st_size) >= 1024 + 1000 * 1024u);
    CHECK(info.st_blocks * 512 < 4 << 20);  // sparse: offered stations, tables and header
    CHECK(region->committedBytes() >= 1024 + 1000 * 1024u);
    CHECK_EQUAL(region->siteRecords().size(), 65536u);
    CHECK_EQUAL(region->siteStrings().size(), 64u << 20);
}

CT_CASE(theLockIsNotInherited)
{
    const regions::TempDir dir;
    auto region = Region::create({dir.file("a.shm"), 10});
    REQUIRE(region);
    int closeOnExec = 0, mappedFds = 0;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry.path(), gone) != dir.file("a.shm"))
            continue;
        ++mappedFds;
        closeOnExec += (::fcntl(std::stoi(entry.path().filename().string()), F_GETFD) & FD_CLOEXEC) != 0;
    }
    CHECK_EQUAL(mappedFds, 1);
    CHECK_EQUAL(closeOnExec, 1);
}

CT_CASE(creationRefusesExistingFiles)
{
    const regions::TempDir dir;
    writeForeign(dir.file("a.shm"), 1, 2048);
    auto region = Region::create({dir.file("a.shm"), 10});
    REQUIRE(!region);
    CHECK(region.error().code == ct::ErrorCode::AlreadyExists);
    CHECK(contains(region.error().message, dir.file("a.shm")));
    REQUIRE(::symlink(dir.file("nowhere").c_str(), dir.file("link.shm").c_str()) == 0);
    CHECK(!Region::create({dir.file("link.shm"), 10}));
    CHECK(!std::filesystem::exists(dir.file("nowhere")));
    CHECK(!Region::create({dir.file("no/such/dir.shm"), 10}));
    CHECK(!Region::create({dir.file("b.shm"), 0}));
    CHECK(!Region::create({dir.file("b.shm"), corotracer::kMostStations + 1}));
    CHECK(!std::filesystem::exists(dir.file("b.shm")));
}

CT_CASE(freshNamesInChosenDirectory)
{
    const regions::TempDir dir;
    const std::string shared = dir.file("place");
    const auto chosen = ct::chooseRegionDirectory({{shared, "second best"}});
    REQUIRE(chosen);
    CHECK_EQUAL(chosen->directory, shared);
    CHECK_EQUAL(chosen->warning, "second best");
    struct stat info;
    REQUIRE(::stat(shared.c_str(), &info) == 0);
    CHECK_EQUAL(info.st_mode & 0777, 0700u);
}

CT_CASE(skipsUnsafeDirectories)
{
    const regions::TempDir dir;
    std::filesystem::create_directory(dir.file("open"));
    ::chmod(dir.file("open").c_str(), 0755);
    std::ofstream(dir.file("file")) << 'x';
    std::filesystem::create_directory_symlink(dir.path(), dir.file("link"));
    const auto chosen = ct::chooseRegionDirectory(
        {{dir.file("open"), {}}, {dir.file("file"), {}}, {dir.file("link"), {}}, {dir.file("good"), "!"}});
    REQUIRE(chosen);
    CHECK_EQUAL(chosen->directory, dir.file("good"));
    CHECK(contains(chosen->warning, "chmod 700"));
    const auto none = ct::chooseRegionDirectory({{dir.file("open"), {}}, {dir.file("link"), {}}});
    REQUIRE(!none);
    CHECK(none.error().message.find(dir.file("open")) == 0);
    CHECK(contains(none.error().message, ". Also: " + dir.file("link")));
    CHECK(!ct::chooseRegionDirectory(std::vector<ct::RegionDirectory>{}));
}

CT_CASE(socketPathsHaveALimit)
{
    CHECK(ct::socketPathFor("/dev/shm/a.shm"));
    CHECK_EQUAL(*ct::socketPathFor("/dev/shm/a.shm"), "/dev/shm/a.shm.sock");
    CHECK(ct::socketPathFor("/" + std::string(94, 'a')));
    const auto tooLong = ct::socketPathFor("/" + std::string(95, 'a'));
    REQUIRE(!tooLong);
    CHECK(contains(tooLong.error().message, "101 bytes"));
}

CT_CASE(theSecondEngineObserves)
{
    const regions::TempDir dir;
    auto owner = Region::create({dir.file("a.shm"), 10});
    REQUIRE(owner);
    {
        auto observer = Region::open(dir.file("a.shm"));
        REQUIRE(observer);
        CHECK(observer->access() == RegionAccess::Observer);
        CHECK(observer->writableHeader() == nullptr);
        CHECK_EQUAL(observer->observerReason(), "owned by process " + std::to_string(::getpid()));
        CHECK(observer->hasExtension());
    }
    // The end of the observer does not affect the owner.
    CHECK_EQUAL(owner->header().extension.engine_pid.load(), static_cast<std::uint32_t>(::getpid()));
    {
        const Region ended = std::move(*owner);
    }
    auto next = Region::open(dir.file("a.shm"));
    REQUIRE(next);
    CHECK(next->access() == RegionAccess::Owner);
    CHECK(next->isAdopted());
}

CT_CASE(aKilledOwnersRegionIsAdopted)
{
    const regions::TempDir dir;
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        auto region = Region::create({dir.file("a.shm"), 10});
        if (region)
            region->writableHeader()->tracer_sleeping.store(1);
        const char ok = region ? 'y' : 'n';
        if (::write(ready[1], &ok, 1) != 1)
            ::_exit(1);
        for (;;)
            ::pause();
    }
    REQUIRE(child > 0);
    char ok = 0;
    REQUIRE(::read(ready[0], &ok, 1) == 1);
    CHECK_EQUAL(ok, 'y');
    {
        auto while_alive = Region::open(dir.file("a.shm"));
        REQUIRE(while_alive);
        CHECK_EQUAL(while_alive->observerReason(), "owned by process " + std::to_string(child));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    auto region = Region::open(dir.file("a.shm"));
    REQUIRE(region);
    CHECK(region->access() == RegionAccess::Owner);
    CHECK_EQUAL(region->header().tracer_sleeping.load(), 0u);  // the announcement of the killed engine is removed
    CHECK_EQUAL(region->header().extension.engine_pid.load(), static_cast<std::uint32_t>(::getpid()));
    ::close(ready[0]);
    ::close(ready[1]);
}

CT_CASE(foreignAndReadOnlyFilesAreObserved)
{
    const regions::TempDir dir;
    writeForeign(dir.file("v1.shm"), 4, 1024 + 4 * 1024);
    auto foreign = Region::open(dir.file("v1.shm"));
    REQUIRE(foreign);
    CHECK(foreign->access() == RegionAccess::Observer);
    CHECK_EQUAL(foreign->observerReason(), "not created by corotracer-gui");
    CHECK_EQUAL(foreign->stationCapacity(), 4u);
    CHECK(foreign->siteRecords().empty() && foreign->siteStrings().empty());
    {
        auto made = Region::create({dir.file("ro.shm"), 4});
        REQUIRE(made);
    }
    ::chmod(dir.file("ro.shm").c_str(), 0400);
    asOrdinaryUser(dir.path(), dir.file("ro.shm"), [](const std::string &file) {
        auto readOnly = Region::open(file);
        REQUIRE(readOnly);
        CHECK_EQUAL(readOnly->observerReason(), "read-only file");
    });
}

CT_CASE(errorsOfRefusedFilesNameTheFile)
{
    const regions::TempDir dir;
    std::ofstream(dir.file("short")) << "too short";
    std::ofstream(dir.file("empty"));
    std::ofstream(dir.file("text")) << std::string(5000, 'x');
    writeForeign(dir.file("cut"), 100, 4096);
    REQUIRE(::mkfifo(dir.file("fifo").c_str(), 0600) == 0);
    for (const char *const name : {"short", "empty", "text", "cut", "fifo", "missing", "."}) {
        const auto region = Region::open(dir.file(name));
        REQUIRE(!region);
        CHECK(contains(region.error().message, dir.file(name)));
    }
}

CT_CASE(reportsACutFile)
{
    const regions::TempDir dir;
    auto region = Region::create({dir.file("a.shm"), 10});
    REQUIRE(region);
    CHECK(region->isWhole());
    std::filesystem::resize_file(dir.file("a.shm"), 100);
    CHECK(!region->isWhole());
}

/// The file is truncated between the check of its size and the access. The missing part reads as zeros, and isWhole()
/// becomes false.
CT_CASE(readingATruncatedPartReturnsZeros)
{
    const regions::TempDir dir;
    auto region = Region::create({dir.file("a.shm"), 1000});
    REQUIRE(region);
    const auto size = std::filesystem::file_size(dir.file("a.shm"));
    std::filesystem::resize_file(dir.file("a.shm"), 4096);
    CHECK_EQUAL(region->station(900).header.birth_ts.load(), 0u);
    CHECK(!region->isWhole());
    std::filesystem::resize_file(dir.file("a.shm"), size);
    CHECK(!region->isWhole());
}

CT_CASE(removalKeepsForeignFiles)
{
    const regions::TempDir dir;
    {
        auto region = Region::create({dir.file("a.shm"), 10});
        REQUIRE(region);
        std::ofstream(dir.file("a.shm.sock")) << "no socket";
        CHECK(region->remove());
        CHECK(!std::filesystem::exists(dir.file("a.shm")));
        CHECK(std::filesystem::exists(dir.file("a.shm.sock")));
        CHECK(!region->remove());
        writeForeign(dir.file("a.shm"), 1, 2048);
        CHECK(!region->remove());
        CHECK(std::filesystem::exists(dir.file("a.shm")));
    }
}

CT_CASE(aCreatedRegionHasAllAreas)
{
    const regions::TempDir dir;
    auto spec = specOf(dir.file("a.shm"));
    spec.lanePoolBytes = 256 << 20;  // a smaller pool than usual: half of the free space of /tmp limits it, too
    auto region = Region::create(spec);
    REQUIRE(region);
    CHECK_EQUAL(region->laneMode(), std::uint32_t{corotracer::kLanesDiscard});
    CHECK_EQUAL(region->stationCapacity(), corotracer::kMostStations);
    CHECK_EQUAL(offered(*region), 32'768u);
    CHECK_EQUAL(region->processes().size(), 1024u);
    CHECK_EQUAL(region->laneDirectory().size(), 4096u);
    CHECK_EQUAL(region->compactStations().size(), corotracer::kMostStations);
    CHECK_EQUAL(region->births().size(), corotracer::kMostStations);
    CHECK_EQUAL(region->header().extension.lane_records, ct::kUsualLaneBytes / 32);
    CHECK_EQUAL(region->header().extension.lane_pool_size, spec.lanePoolBytes);
    CHECK_EQUAL(region->header().extension.lane_retention_ms, 0u);
    CHECK(region->committedBytes() < 40 << 20);
    CHECK(region->writableProcesses().data() == region->processes().data());
    CHECK(region->writableLanes().data() == region->laneDirectory().data());
    CHECK(region->writableCompactStations().data() == region->compactStations().data());
    CHECK(region->writableBirths().data() == region->births().data());
    CHECK(region->writableStation(5) == &region->station(5));
    CHECK(region->writableStation(corotracer::kMostStations) == nullptr);
    // Another engine accepts and maps the created region.
    auto observer = Region::open(dir.file("a.shm"));
    REQUIRE(observer);
    CHECK_EQUAL(observer->laneMode(), region->laneMode());
    CHECK_EQUAL(observer->compactStations().size(), region->compactStations().size());
    CHECK_EQUAL(observer->births().size(), region->births().size());
    CHECK_EQUAL(observer->laneDirectory().size(), 4096u);
    CHECK(observer->writableProcesses().empty() && observer->writableLanes().empty());
    CHECK(observer->writableCompactStations().empty() && observer->writableBirths().empty());
    CHECK(observer->writableStation(0) == nullptr);
    CHECK(observer->growStations());
}

CT_CASE(lanesAreOptionalAndTheirSizesAreChecked)
{
    const regions::TempDir dir;
    auto spec = specOf(dir.file("a.shm"), 100);
    spec.lanes = false;
    auto without = Region::create(spec);
    REQUIRE(without);
    CHECK_EQUAL(without->laneMode(), std::uint32_t{corotracer::kLanesNone});
    CHECK(without->compactStations().empty() && without->births().empty() && without->laneDirectory().empty());
    CHECK_EQUAL(without->processes().size(), 1024u);
    CHECK(!without->lane(0));
    CHECK(Region::open(dir.file("a.shm"))->hasExtension());
    spec = specOf(dir.file("b.shm"), 100);
    spec.laneBytes = 100'000;
    auto rounded = Region::create(spec);
    REQUIRE(rounded);
    CHECK_EQUAL(rounded->header().extension.lane_records, 2048u);
    spec.path = dir.file("c.shm");
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{65'535}, (std::uint64_t{128} << 20) + 1}) {
        spec.laneBytes = bytes;
        CHECK(!Region::create(spec));
    }
    spec.laneBytes = 65'536;
    spec.lanePoolBytes = 1000;
    CHECK(!Region::create(spec));
    spec.lanePoolBytes = ~std::uint64_t{0};
    CHECK(!Region::create(spec));
    CHECK(!std::filesystem::exists(dir.file("c.shm")));
}

/// A lane is read only if it lies in the pool, whatever its header says.
CT_CASE(refusesLanesOutsideThePool)
{
    const regions::TempDir dir;
    auto region = Region::create(specOf(dir.file("a.shm"), 100));
    REQUIRE(region);
    CHECK(!region->lane(0));     // never made
    CHECK(!region->lane(4096));  // no such entry
    const lanewriter::Process process(*region->writableHeader(), 1, 1);
    auto writer = process.claimLane(7);
    REQUIRE(writer);
    const auto view = region->lane(0);
    REQUIRE(view);
    CHECK_EQUAL(view->capacity, ct::kUsualLaneBytes / 32);
    CHECK(!view->overwrite);
    CHECK(view->committed == &region->laneDirectory()[0].committed);
    writer->put(lanewriter::genuineRecord(1, 2, 3));
    ct::RecordCopy record;
    CHECK_EQUAL(ct::readLane(*view, 0, {&record, 1}).count, 1u);
    corotracer::LaneHeader &lane = region->writableLanes()[0];
    const corotracer::ExtensionHeader &extension = region->header().extension;
    const auto refused = [&](auto &field, auto value) {
        const auto before = field.exchange(value);
        const bool none = !region->lane(0);
        field.store(before);
        return none && region->lane(0);
    };
    CHECK(refused(lane.state, std::uint32_t{corotracer::kLaneMaking}));
    for (const std::uint32_t records : {0u, 1u, 1024u, 3000u, 1u << 23, ~0u})
        CHECK(refused(lane.records, records));
    const std::uint64_t poolEnd = extension.lane_pool_offset + extension.lane_pool_size;
    for (const std::uint64_t offset : {std::uint64_t{0}, extension.lane_pool_offset - 4096, poolEnd, poolEnd - 4096,
                                       extension.lane_pool_offset + 32, ~std::uint64_t{4095}})
        CHECK(refused(lane.offset, offset));
    for (const std::uint64_t offset : {std::uint64_t{0}, extension.lane_pool_offset - 8, poolEnd, poolEnd - 8,
                                       extension.lane_pool_offset + 4, ~std::uint64_t{7}})
        CHECK(refused(lane.block_numbers_offset, offset));
}

/// The region of a flight recorder: created by the target, in overwrite mode. No process owns its lock.
CT_CASE(selfHostedRegionsAreAdopted)
{
    const regions::TempDir dir;
    {
        auto made = Region::create(specOf(dir.file("a.shm"), 100));
        REQUIRE(made);
    }
    const int fd = ::open(dir.file("a.shm").c_str(), O_RDWR | O_CLOEXEC);
    const std::uint32_t mode = corotracer::kLanesOverwrite;
    const std::uint32_t paused = corotracer::kEnginePaused;
    REQUIRE(::pwrite(fd, &mode, sizeof mode, 0x13C) == sizeof mode);
    REQUIRE(::pwrite(fd, &paused, sizeof paused, 0x14) == sizeof paused);  // an engine that was killed in a pause
    ::close(fd);
    auto region = Region::open(dir.file("a.shm"));
    REQUIRE(region);
    CHECK(region->access() == RegionAccess::Owner && region->isAdopted());
    CHECK_EQUAL(region->laneMode(), std::uint32_t{corotracer::kLanesOverwrite});
    CHECK_EQUAL(region->header().tracer_sleeping.load(), std::uint32_t{corotracer::kEngineAwake});
    const lanewriter::Process process(*region->writableHeader(), 1, 1);
    REQUIRE(process.claimLane(7));
    REQUIRE(region->lane(0));
    CHECK(region->lane(0)->overwrite);
}
