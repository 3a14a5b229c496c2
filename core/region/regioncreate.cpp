// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Creates a region: plans the areas, creates the file, writes the header.
#include "core/base/filekey.h"
#include "core/base/fileremedy.h"
#include "core/region/processfence.h"
#include "core/region/regiondata.h"
#include "core/region/regionspace.h"
#include "corotracer/calendartime.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace ct {

namespace {

using corotracer::ExtensionHeader;
using corotracer::GlobalHeader;
using corotracer::kHeaderSize;
using corotracer::kStationSize;

constexpr std::uint32_t kSiteCapacity = 65'536;
constexpr std::uint32_t kProcessCapacity = 1024;
constexpr std::uint32_t kLaneCapacity = 4096;
constexpr std::uint32_t kStationsMin = 64;  ///< stations that must get memory, or the creation fails

constexpr std::uint64_t toPages(std::uint64_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

std::string freshName()
{
    static constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    std::random_device random;
    std::string name = std::to_string(::getpid()) + "-";
    for (int i = 0; i < 6; ++i)
        name += kDigits[random() % 36];
    return name + ".shm";
}

Result<void> checkSpec(const RegionSpec &spec)
{
    if (spec.stations == 0 || spec.stations > corotracer::kMostStations)
        return Error{ErrorCode::InvalidArgument,
                     std::to_string(spec.stations) + " stations are not possible: existing C++ SDKs map 1 to " +
                         std::to_string(corotracer::kMostStations) + "; give a number in this range"};
    if (!spec.lanes)
        return {};
    if (spec.laneBytes < kLaneBytesMin || spec.laneBytes > kLaneBytesMax)
        return Error{ErrorCode::InvalidArgument,
                     "lanes of " + std::to_string(spec.laneBytes) + " bytes are not possible; give 64 KiB to 128 MiB"};
    if (spec.lanePoolBytes < kLanePoolMin || spec.lanePoolBytes > kLanePoolMax)
        return Error{ErrorCode::InvalidArgument, "a lane pool of " + std::to_string(spec.lanePoolBytes) +
                                                     " bytes is not possible; give 128 KiB to 1 TiB"};
    return {};
}

/// Arranges the areas one behind the other, each from a page boundary.
ValidatedLayout planLayout(const RegionSpec &spec, std::uint64_t stringsCapacity)
{
    std::uint64_t end = toPages(kHeaderSize + std::uint64_t{spec.stations} * kStationSize);
    const auto append = [&end](std::uint64_t bytes) {
        const std::uint64_t offset = end;
        end = toPages(end + bytes);
        return offset;
    };
    ExtensionAreas areas;
    areas.siteCapacity = kSiteCapacity;
    areas.siteTableOffset = append(kSiteCapacity * sizeof(corotracer::SiteRecord));
    areas.stringsCapacity = stringsCapacity;
    areas.stringsOffset = append(stringsCapacity);
    areas.processCapacity = kProcessCapacity;
    areas.processTableOffset = append(kProcessCapacity * sizeof(corotracer::ProcessEntry));
    if (spec.lanes) {
        areas.laneMode = corotracer::kLanesDiscard;
        areas.laneRecords = static_cast<std::uint32_t>(std::bit_floor(spec.laneBytes) / sizeof(corotracer::LaneRecord));
        areas.laneCapacity = kLaneCapacity;
        areas.compactCapacity = spec.stations;
        areas.lanePoolSize = toPages(spec.lanePoolBytes);
    }
    areas.laneDirectoryOffset = append(areas.laneCapacity * sizeof(corotracer::LaneHeader));
    areas.statesOffset = append(std::uint64_t{areas.compactCapacity} * sizeof(corotracer::CompactState));
    areas.birthsOffset = append(std::uint64_t{areas.compactCapacity} * sizeof(corotracer::CompactBirth));
    areas.lanePoolOffset = append(areas.lanePoolSize);
    return {end, spec.stations, areas};
}

/// Fills the header of a new region. The magic number comes last, because it makes the file a region.
void writeHeader(GlobalHeader &header, const RegionSpec &spec, const ValidatedLayout &layout, std::uint32_t offered)
{
    const ExtensionAreas &areas = *layout.extension;
    header.version = corotracer::kVersion;
    header.max_stations.store(offered, std::memory_order_relaxed);
    ExtensionHeader &extension = header.extension;
    extension.magic = corotracer::kExtensionMagic;
    extension.version = corotracer::kExtensionVersion;
    extension.size = sizeof(ExtensionHeader);
    extension.file_size = layout.fileSize;
    extension.stations_reserved = layout.stationCapacity;
    extension.site_table_offset = areas.siteTableOffset;
    extension.site_capacity = areas.siteCapacity;
    extension.site_record_size = sizeof(corotracer::SiteRecord);
    extension.strings_offset = areas.stringsOffset;
    extension.strings_capacity = areas.stringsCapacity;
    extension.process_table_offset = areas.processTableOffset;
    extension.process_capacity = areas.processCapacity;
    extension.lane_directory_offset = areas.laneDirectoryOffset;
    extension.lane_capacity = areas.laneCapacity;
    extension.states_offset = areas.statesOffset;
    extension.births_offset = areas.birthsOffset;
    extension.compact_stations_reserved = areas.compactCapacity;
    extension.lane_pool_offset = areas.lanePoolOffset;
    extension.lane_pool_size = areas.lanePoolSize;
    extension.lane_mode = areas.laneMode;
    extension.lane_records = areas.laneRecords;
    extension.lanes_shrink = 1;
    extension.lane_retention_ms = spec.laneRetentionMs;
    const corotracer::detail::clock_moment now =
        corotracer::detail::read_moment(corotracer::detail::has_invariant_counter());
    extension.created_counter = now.counter;
    extension.created_monotonic_ns = now.monotonic_ns;
    extension.created_realtime_ns = now.realtime_ns;
    extension.engine_pid.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_relaxed);
    extension.engine_fences = canFenceProcesses() ? 1 : 0;
    // Release: another engine that reads the magic number (by pread) finds the rest.
    std::atomic_ref<std::uint64_t>(header.magic_number).store(corotracer::kMagic, std::memory_order_release);
}

/// Creates the file. The descriptor is O_CLOEXEC, because a launched target must not inherit the lock.
Result<FileDescriptor> createFile(const std::string &path)
{
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() >= 0)
        return file;
    if (errno == EEXIST)
        return Error{ErrorCode::AlreadyExists,
                     path + " exists already; attach to it, delete it or choose another path"};
    return writeError(errno, "cannot create " + path);
}

/// Makes the file private, locks it, and gives it the planned size.
Result<void> prepareFile(int fd, const std::string &path, std::uint64_t size)
{
    // No other user may read the region, whatever the umask and the default ACLs are.
    if (::fchmod(fd, 0600) != 0 || ::flock(fd, LOCK_EX | LOCK_NB) != 0)
        return writeError(errno, "cannot lock " + path);
    // Beyond this limit, ftruncate(2) would end this process with SIGXFSZ.
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size)
        return Error{ErrorCode::NoSpace, path + " needs a (sparse) size of " + std::to_string(size >> 20) +
                                             " MiB, more than the limit of this process; raise the limit (ulimit -f)"};
    if (::ftruncate(fd, static_cast<off_t>(size)) != 0)
        return writeError(errno, "cannot resize " + path + " to " + std::to_string(size) + " bytes");
    return {};
}

/// Commits memory for the header, for the tables of processes and lanes, and for the first stations. Halves the number
/// of stations until they fit, and returns it.
template <class Commit>
Result<std::uint32_t> commitAtFirst(Commit &&commit, const ValidatedLayout &layout, std::uint32_t wanted)
{
    const ExtensionAreas &areas = *layout.extension;
    if (auto header = commit(0, 4096); !header)
        return header.error();
    const std::uint64_t tablesEnd = areas.laneDirectoryOffset + areas.laneCapacity * sizeof(corotracer::LaneHeader);
    if (auto tables = commit(areas.processTableOffset, tablesEnd - areas.processTableOffset); !tables)
        return tables.error();
    for (std::uint32_t stations = wanted;; stations /= 2) {
        auto committed = commit(kHeaderSize, std::uint64_t{stations} * kStationSize);
        if (committed)
            return stations;
        if (committed.error().code != ErrorCode::NoSpace || stations <= kStationsMin)
            return committed.error();
    }
}

}  // namespace

Result<Region> Region::create(const RegionSpec &spec)
{
    if (auto checked = checkSpec(spec); !checked)
        return checked.error();
    auto data = std::make_unique<Data>();
    data->path = spec.path;
    if (data->path.empty()) {
        Result<RegionDirectory> chosen = chooseRegionDirectory();
        if (!chosen)
            return chosen.error();
        data->path = chosen->directory + "/" + freshName();
        data->warning = chosen->warning;
    }
    Result<FileDescriptor> file = createFile(data->path);
    if (!file)
        return file.error();
    data->file = std::move(*file);
    const auto fail = [&data](Error error) {
        unlinkIfSame(data->path, FileKey::of(data->file.get()));
        return error;
    };
    const RegionSpace room = RegionSpace::of(data->file.get());
    const Result<RegionSpec> fitted = fittedTo(room, spec, data->warning);
    if (!fitted)
        return fail({fitted.error().code, data->path + ": " + fitted.error().message});
    data->layout = planLayout(*fitted, stringsCapacityIn(room));
    if (auto prepared = prepareFile(data->file.get(), data->path, data->layout.fileSize); !prepared)
        return fail(prepared.error());
    data->access = RegionAccess::Owner;
    if (auto mapped = data->map(); !mapped)
        return fail(mapped.error());
    const std::uint32_t wanted =
        spec.stationsAtStart ? fitted->stations : std::min(fitted->stations, stationHeadroom(room.freeBytes, 0));
    const Result<std::uint32_t> offered =
        commitAtFirst([&data](std::uint64_t offset, std::uint64_t bytes) { return data->commit(offset, bytes); },
                      data->layout, wanted);
    if (!offered)
        return fail(offered.error());
    if (*offered < wanted)
        data->warning += (data->warning.empty() ? "" : "; ") + std::string("only ") + std::to_string(*offered) +
                         " stations fit the free space of " + data->path +
                         "; enlarge it (mount -o remount,size=1G /dev/shm, docker run --shm-size=1g) or choose another "
                         "path with --shm";
    writeHeader(data->header(), *fitted, data->layout, *offered);
    return Region(std::move(data));
}

}  // namespace ct
