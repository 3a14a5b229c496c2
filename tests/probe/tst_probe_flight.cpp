// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The flight recorder: the path of its file, the contents while the process lives and after it was killed, and the
// deletion of old files. Read with the project's own region and lane readers.
#include "core/region/region.h"
#include "tests/probe/lanetest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace {

namespace fs = std::filesystem;
using namespace corotracer;
using probetest::inChild;

struct Promise : PromiseMixin {
    using PromiseMixin::identity;
};

/// A private directory. Removes the variables of an engine from the environment.
struct Directory {
    Directory()
    {
        ::unsetenv("CTP_SHM_PATH");
        ::unsetenv("CTP_FLIGHT_RECORDER");
    }
    std::vector<std::string> files() const
    {
        std::vector<std::string> names;
        for (const fs::directory_entry &entry : fs::directory_iterator(path))
            names.push_back(entry.path().filename());
        std::sort(names.begin(), names.end());
        return names;
    }
    std::string only() const
    {
        REQUIRE(files().size() == 1);
        return path + "/" + files()[0];
    }
    ct::test::TempDir temporary;
    const std::string &path = temporary.path();
};

flight_recorder_options small(const char *path)
{
    flight_recorder_options options;
    options.path = path;
    options.lane_bytes = 64 << 10;  // 2048 events
    options.pool_bytes = 1 << 20;
    options.coroutines = 1024;
    return options;
}

/// Returns all retained records of a lane, oldest first.
std::vector<ct::RecordCopy> readAll(const ct::Region &region, std::uint32_t lane)
{
    const std::optional<ct::LaneView> view = region.lane(lane);
    REQUIRE(view.has_value());
    std::vector<ct::RecordCopy> all;
    ct::RecordCopy records[256];
    std::uint64_t position = region.laneDirectory()[lane].begin.load();
    for (;;) {
        const ct::LaneReading reading = ct::readLane(*view, position, records);
        all.insert(all.end(), records, records + reading.count);
        position = reading.next;
        if (reading.count == 0)
            return all;
    }
}

ct::Region opened(const std::string &path)
{
    ct::Result<ct::Region> region = ct::Region::open(path);
    if (!region)
        check::fail(__FILE__, __LINE__, region.error().message);
    REQUIRE(bool(region));
    return std::move(*region);
}

CT_CASE(recordsWithoutAnEngine)
{
    const Directory directory;
    inChild([&] {
        CHECK(std::string(flight_recorder_path()).empty());
        REQUIRE(start_flight_recorder(small(directory.path.c_str())));
        CHECK_EQUAL(std::string(flight_recorder_path()), directory.only());
        CHECK_EQUAL(directory.files()[0].find(std::to_string(::getpid()) + "-flight-"), 0U);
        struct stat status {};
        REQUIRE(::stat(flight_recorder_path(), &status) == 0);
        CHECK_EQUAL(status.st_mode & 07777, 0600U);
        Promise promise;
        promise.set_name("recorded");
        promise.write_trace(0x1234, false);
        promise.write_trace(0, true);
        const ct::Region region = opened(flight_recorder_path());
        CHECK_EQUAL(region.laneMode(), static_cast<std::uint32_t>(kLanesOverwrite));
        CHECK_EQUAL(region.processes()[0].pid.load(), static_cast<std::uint32_t>(::getpid()));
        const std::vector<ct::RecordCopy> records = readAll(region, 0);
        REQUIRE(records.size() == 4);
        CHECK_EQUAL(records[0].kind(), kRecordBirth);
        CHECK_EQUAL(records[1].kind(), kRecordName);
        CHECK_EQUAL(records[2].arg, 0x1234U);
        CHECK_EQUAL(records[3].n(), 1U);
        CHECK_EQUAL(region.compactStations()[0].seq.load(), 4U);
        // A second start changes nothing.
        const std::string first = flight_recorder_path();
        CHECK(start_flight_recorder(small(directory.path.c_str())));
        InitTracer();
        CHECK_EQUAL(std::string(flight_recorder_path()), first);
        CHECK_EQUAL(directory.files().size(), 1U);
    });
}

CT_CASE(headerDescribesTheRegion)
{
    const Directory directory;
    inChild([&] {
        const std::uint64_t before = detail::monotonic_ns();
        REQUIRE(start_flight_recorder(small(directory.path.c_str())));
        const ct::Region region = opened(flight_recorder_path());
        const ExtensionHeader &extension = region.header().extension;
        CHECK_EQUAL(extension.file_size, fs::file_size(flight_recorder_path()));
        CHECK_EQUAL(extension.lane_records, 2048U);
        CHECK_EQUAL(extension.lane_pool_size, 1U << 20);
        CHECK_EQUAL(extension.compact_stations_reserved, 1024U);
        CHECK_EQUAL(extension.lane_retention_ms, 0U);
        CHECK_EQUAL(extension.engine_fences, 0U);
        CHECK(extension.created_monotonic_ns >= before && extension.created_monotonic_ns <= detail::monotonic_ns());
        CHECK(extension.created_realtime_ns > 1'600'000'000'000'000'000U);
        CHECK_EQUAL(region.header().max_stations.load(), 0U);
        // Writers need no fence and wait for no engine.
        CHECK((detail::page_v2.session.load() & detail::engine_fences_bit) != 0);
    });
}

CT_CASE(sizesAreClampedToTheirLimits)
{
    ExtensionHeader extension{};
    flight_recorder_options options;
    options.lane_bytes = 0;
    options.pool_bytes = 0;
    options.coroutines = 0;
    (void)detail::plan_flight_region(options, extension);
    CHECK_EQUAL(extension.lane_records, kLaneRecordsMin);
    CHECK_EQUAL(extension.lane_pool_size, 2U * kLaneRecordsMin * sizeof(LaneRecord));
    CHECK_EQUAL(extension.compact_stations_reserved, 1U);
    options.lane_bytes = ~std::uint64_t{0};
    options.pool_bytes = ~std::uint64_t{0};
    options.coroutines = ~std::uint32_t{0};
    const std::uint64_t size = detail::plan_flight_region(options, extension);
    CHECK_EQUAL(extension.lane_records, kLaneRecordsMax);
    CHECK_EQUAL(extension.compact_stations_reserved, kMaxStations);
    CHECK_EQUAL(extension.lane_pool_offset + extension.lane_pool_size, size);
    options.lane_bytes = (3U << 20) + 5;
    (void)detail::plan_flight_region(options, extension);
    CHECK_EQUAL(extension.lane_records, (2U << 20) / sizeof(LaneRecord));
}

CT_CASE(latestEventsAreKept)
{
    const Directory directory;
    inChild([&] {
        REQUIRE(start_flight_recorder(small(directory.path.c_str())));
        constexpr std::uint64_t count = 100'000;
        Promise promise;
        for (std::uint64_t i = 0; i < count; ++i)
            promise.write_trace(i, i % 2 != 0);
        const ct::Region region = opened(flight_recorder_path());
        const std::vector<ct::RecordCopy> records = readAll(region, 0);
        REQUIRE(!records.empty());
        CHECK(records.size() >= 1024 && records.size() <= 2048);
        CHECK_EQUAL(records.back().n(), count - 1);
        for (std::size_t i = 1; i < records.size(); ++i)
            CHECK(records[i].n() == records[i - 1].n() + 1 && records[i].arg == records[i].n() &&
                  records[i].ts >= records[i - 1].ts);
        CHECK_EQUAL(region.laneDirectory()[0].dropped.load(), 0U);
        CHECK_EQUAL(region.compactStations()[0].seq.load(), 2 * count);
    });
}

CT_CASE(namesStayInTheStringsOfTheirProcess)
{
    const Directory directory;
    inChild([&] {
        REQUIRE(start_flight_recorder(small(directory.path.c_str())));
        const ct::Region region = opened(flight_recorder_path());
        Promise promise;
        promise.set_name("first");
        // Allocates strings as another process would.
        constexpr std::uint64_t foreignBytes = 10'000;
        const std::uint64_t foreign = detail::state_v2.sites.extension->strings_used.fetch_add(foreignBytes);
        for (int i = 0; i < 300; ++i) {
            const std::string name = std::to_string(i) + std::string(100, 'x');
            promise.set_name(name);
            const std::uint64_t string = region.births()[0].name.load();
            const std::uint64_t offset = string >> 16;
            CHECK(offset + name.size() <= foreign || offset >= foreign + foreignBytes);
            CHECK_EQUAL(std::string(region.siteStrings().data() + offset, string & 0xFFFF), name);
        }
    });
}

CT_CASE(aKilledProgramLeavesAReadableFile)
{
    const Directory directory;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (!start_flight_recorder(small(directory.path.c_str())))
            ::_exit(1);
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([] {
                for (;;) {
                    Promise promise;
                    for (std::uint64_t i = 0; i < 1000; ++i)
                        promise.write_trace(i, i % 2 != 0);
                }
            });
        }
        Promise promise;
        for (std::uint64_t i = 0; i < 50'000; ++i)
            promise.write_trace(i, i % 2 != 0);
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    const ct::Region region = opened(directory.only());
    std::uint64_t latest = 0;
    const std::uint32_t lanes = region.header().extension.lane_count.load();
    CHECK(lanes >= 1 && lanes <= 4);
    for (std::uint32_t i = 0; i < lanes; ++i) {
        for (const ct::RecordCopy &record : readAll(region, i))
            latest = std::max<std::uint64_t>(latest, record.n());
    }
    CHECK_EQUAL(latest, 49'999U);
}

CT_CASE(theEnvironmentStartsTheFlightRecorder)
{
    const Directory directory;
    const auto recorded = [&](const char *wish) {
        ::setenv("CTP_FLIGHT_RECORDER", wish, 1);
        inChild([&] {
            InitTracer();
            const Promise promise;
            CHECK_EQUAL(promise.is_traced(), std::string(wish) != "0" && *wish != '\0');
        });
    };
    recorded("0");
    recorded("");
    CHECK(directory.files().empty());
    recorded(directory.path.c_str());
    CHECK_EQUAL(directory.files().size(), 1U);
    ::setenv("CTP_FLIGHT_LANE_MIB", "1", 1);
    ::setenv("CTP_FLIGHT_POOL_MIB", "3", 1);
    ::setenv("CTP_FLIGHT_RETENTION_MS", "2500", 1);
    const std::string named = directory.path + "/named.shm";
    recorded(named.c_str());
    ::unsetenv("CTP_FLIGHT_LANE_MIB");
    ::unsetenv("CTP_FLIGHT_POOL_MIB");
    ::unsetenv("CTP_FLIGHT_RETENTION_MS");
    const ct::Region region = opened(named);
    CHECK_EQUAL(region.header().extension.lane_records, 32'768U);
    CHECK_EQUAL(region.header().extension.lane_pool_size, 3U << 20);
    CHECK_EQUAL(region.header().extension.lane_retention_ms, 2500U);
    ::unsetenv("CTP_FLIGHT_RECORDER");
}

CT_CASE(engineRegionHasPriority)
{
    const Directory directory;
    const lanetest::Region engines;
    ::setenv("CTP_FLIGHT_RECORDER", directory.path.c_str(), 1);
    inChild([&] {
        CHECK(start_flight_recorder(small(directory.path.c_str())));
        const Promise promise;
        CHECK(promise.is_traced());
        CHECK(std::string(flight_recorder_path()).empty());
    });
    inChild([] { InitTracer(); });
    ::unsetenv("CTP_FLIGHT_RECORDER");
    CHECK(directory.files().empty());
    CHECK_EQUAL(engines.compactStations(), 1U);
}

CT_CASE(replacesNoExistingFile)
{
    const Directory directory;
    const std::string file = directory.path + "/file";
    const std::string link = directory.path + "/link";
    std::ofstream(file) << "precious";
    fs::create_symlink(directory.path + "/elsewhere", link);
    for (const std::string &path : {file, link, directory.path + "/no/such/directory", std::string(5000, 'x')}) {
        inChild([&] {
            errno = 4321;
            CHECK(!start_flight_recorder(small(path.c_str())));
            CHECK_EQUAL(errno, 4321);
            CHECK(std::string(flight_recorder_path()).empty());
            const Promise promise;
            CHECK(!promise.is_traced());
        });
    }
    CHECK_EQUAL(fs::file_size(file), 8U);
    CHECK_EQUAL(directory.files().size(), 2U);
}

CT_CASE(aFileSizeLimitRaisesNoSignal)
{
    const Directory directory;
    inChild([&] {
        const rlimit limit{1 << 20, 1 << 20};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
        CHECK(!start_flight_recorder(small(directory.path.c_str())));
        CHECK(directory.files().empty());
    });
}

CT_CASE(aFullFileSystemRaisesNoSignal)
{
    const Directory directory;
    if (::mount("tst_flight", directory.path.c_str(), "tmpfs", 0, "size=256k") != 0)
        CHECK_SKIP("no file system can be mounted here");
    inChild([&] {
        if (start_flight_recorder(small(directory.path.c_str()))) {
            std::vector<Promise> promises(2000);
            for (int i = 0; i < 50; ++i) {
                for (Promise &promise : promises)
                    promise.write_trace(1, i % 2 != 0);
            }
        }
        detail::page_v2.session.store(0);
    });
    std::ofstream(directory.path + "/filler") << std::string(300'000, 'x');
    inChild([&] { CHECK(!start_flight_recorder(small(directory.path.c_str()))); });
    CHECK(::umount(directory.path.c_str()) == 0);
}

CT_CASE(aForkedChildRecordsForItself)
{
    const Directory directory;
    inChild([&] {
        REQUIRE(start_flight_recorder(small(directory.path.c_str())));
        const std::string parents = flight_recorder_path();
        inChild([&] {
            CHECK(std::string(flight_recorder_path()).empty());
            const Promise untraced;
            CHECK(!untraced.is_traced());
            REQUIRE(start_flight_recorder(small(directory.path.c_str())));
            CHECK(parents != flight_recorder_path());
            const Promise promise;
            CHECK(promise.is_traced());
        });
        CHECK_EQUAL(std::string(flight_recorder_path()), parents);
        CHECK_EQUAL(opened(parents).header().extension.compact_station_count.load(), 0U);
        CHECK_EQUAL(directory.files().size(), 2U);
    });
}

CT_CASE(oldFlightFilesAreDeletedOldestFirst)
{
    const Directory directory;
    // The pid of a process that has ended.
    const pid_t gone = ::fork();
    REQUIRE(gone >= 0);
    if (gone == 0)
        ::_exit(0);
    REQUIRE(::waitpid(gone, nullptr, 0) == gone);
    const auto make = [&](const std::string &name, int age) {
        std::ofstream(directory.path + "/" + name) << name;
        fs::last_write_time(directory.path + "/" + name, fs::file_time_type::clock::now() - std::chrono::hours(age));
    };
    const std::string prefix = std::to_string(gone) + "-flight-";
    make(prefix + "a.shm", 1);
    make(prefix + "b.shm", 4);
    make(prefix + "c.shm", 2);
    make(prefix + "d.shm", 3);
    make(std::to_string(::getpid()) + "-flight-alive.shm", 9);
    make(std::to_string(gone) + "-abcdef.shm", 9);
    make(prefix + "notes.txt", 9);
    make("-flight-x.shm", 9);
    make("99999999999999999999-flight-x.shm", 9);
    fs::create_symlink("/etc/passwd", directory.path + "/" + prefix + "link.shm");
    detail::delete_old_flight_files(directory.path.c_str(), 2);
    const std::vector<std::string> left = directory.files();
    CHECK_EQUAL(left.size(), 8U);
    CHECK(std::count(left.begin(), left.end(), prefix + "a.shm") == 1);
    CHECK(std::count(left.begin(), left.end(), prefix + "c.shm") == 1);
    detail::delete_old_flight_files(directory.path.c_str(), 0);
    CHECK_EQUAL(directory.files().size(), 6U);
    detail::delete_old_flight_files("/no/such/directory", 0);
}

CT_CASE(refusesForeignDirectories)
{
    const Directory directory;
    const std::string chosen = directory.path + "/place";
    CHECK(detail::prepare_directory(chosen.c_str()));
    CHECK(detail::prepare_directory(chosen.c_str()));
    fs::permissions(chosen, fs::perms::group_read, fs::perm_options::add);
    CHECK(!detail::prepare_directory(chosen.c_str()));
    fs::remove(chosen);
    fs::create_symlink(directory.path, chosen);
    CHECK(!detail::prepare_directory(chosen.c_str()));
    CHECK(!detail::prepare_directory((directory.path + "/no/such").c_str()));
}

CT_CASE(standardDirectoryDependsOnTheUser)
{
    char directory[32];
    CHECK(detail::standard_directory(0, nullptr, directory));
    CHECK_EQUAL(std::string(directory), "/dev/shm/corotracer-" + std::to_string(::geteuid()));
    CHECK(detail::standard_directory(1, "/container/run", directory));
    CHECK_EQUAL(std::string(directory), "/container/run/corotracer");
    CHECK(!detail::standard_directory(1, nullptr, directory));
    CHECK(!detail::standard_directory(1, "", directory));
    CHECK(!detail::standard_directory(1, std::string(40, 'x').c_str(), directory));
}

}  // namespace
