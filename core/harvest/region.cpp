// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/region.h"

#include "core/harvest/mappingguard.h"
#include "core/harvest/processfence.h"

#include "core/protocol/layoutcheck.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

using corotracer::ExtensionHeader;
using corotracer::GlobalHeader;
using corotracer::kHeaderSize;
using corotracer::kStationSize;
using corotracer::SiteRecord;
using corotracer::StationData;

constexpr std::uint32_t kSiteCapacity = 65536;
constexpr std::uint64_t kStringsCapacity = 16ULL << 20;
constexpr std::uint64_t kSiteAreas = kSiteCapacity * sizeof(SiteRecord) + kStringsCapacity;

class FileDescriptor {
public:
    explicit FileDescriptor(int fd = -1) : m_fd(fd) {}
    FileDescriptor(FileDescriptor &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileDescriptor &operator=(FileDescriptor &&other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~FileDescriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    int get() const { return m_fd; }

private:
    int m_fd;
};

std::uint64_t clockNs(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
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

/// Stations that fit the file system now. Pages come as targets touch them, and a full tmpfs answers with SIGBUS in
/// the target: so no more stations are offered than there is room for.
Result<std::uint32_t> stationsThatFit(int fd, const std::string &path, std::uint32_t wanted)
{
    struct statvfs space;
    if (::fstatvfs(fd, &space) != 0)
        return errnoError(errno, "cannot ask for the free space of " + path);
    const std::uint64_t available = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
    const std::uint64_t needed = kHeaderSize + kSiteAreas + kStationSize;
    if (available < needed)
        return Error{ErrorCode::NoSpace, path + ": the file system has " + std::to_string(available >> 20) +
                                             " MiB free, a region needs at least " +
                                             std::to_string((needed >> 20) + 1) +
                                             " MiB; free some space or choose another place with --shm"};
    const std::uint64_t fitting = (available - kHeaderSize - kSiteAreas) / kStationSize;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, fitting));
}

/// Fills the header of a new region. The magic comes last: a file without it is not a region yet.
void writeHeader(GlobalHeader &header, std::uint32_t reserved, std::uint32_t offered, std::uint64_t fileSize)
{
    header.version = corotracer::kVersion;
    header.max_stations.store(offered, std::memory_order_relaxed);
    ExtensionHeader &extension = header.extension;
    extension.magic = corotracer::kExtensionMagic;
    extension.version = corotracer::kExtensionVersion;
    extension.size = sizeof(ExtensionHeader);
    extension.file_size = fileSize;
    extension.stations_reserved = reserved;
    extension.site_table_offset = kHeaderSize + std::uint64_t{reserved} * kStationSize;
    extension.site_capacity = kSiteCapacity;
    extension.site_record_size = sizeof(SiteRecord);
    extension.strings_offset = extension.site_table_offset + kSiteCapacity * sizeof(SiteRecord);
    extension.strings_capacity = kStringsCapacity;
    extension.created_monotonic_ns = clockNs(CLOCK_MONOTONIC);
    extension.created_realtime_ns = clockNs(CLOCK_REALTIME);
    extension.engine_pid.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_relaxed);
    extension.engine_fences = canFenceProcesses() ? 1 : 0;
    // Release: whoever reads the magic (another engine, by pread) finds the rest.
    std::atomic_ref<std::uint64_t>(header.magic_number).store(corotracer::kMagic, std::memory_order_release);
}

}  // namespace

struct Region::Data {
    std::string path;
    FileDescriptor file;
    RegionAccess access = RegionAccess::Observer;
    std::string observerReason;
    std::string warning;
    bool adopted = false;
    ValidatedLayout layout;
    std::byte *base = nullptr;
    mutable std::atomic<bool> cut{false};  ///< seen once, for good: growing again brings nothing back
    std::unique_ptr<MappingGuard> guard;   ///< of [base, base + fileSize)

    ~Data()
    {
        if (!base)
            return;
        if (access == RegionAccess::Owner && isWhole()) {
            // Nobody listens any more. Relaxed: a probe that still sees 1 writes to a socket in vain, no more.
            reinterpret_cast<GlobalHeader *>(base)->tracer_sleeping.store(0, std::memory_order_relaxed);
            if (layout.extension)
                reinterpret_cast<GlobalHeader *>(base)->extension.engine_pid.store(0, std::memory_order_relaxed);
        }
        guard.reset();
        ::munmap(base, layout.fileSize);
    }

    bool isWhole() const
    {
        struct stat info;
        if (::fstat(file.get(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) < layout.fileSize)
            cut.store(true, std::memory_order_relaxed);
        return !cut.load(std::memory_order_relaxed);
    }

    Result<void> map()
    {
        const int protection = access == RegionAccess::Owner ? PROT_READ | PROT_WRITE : PROT_READ;
        void *const mapped = ::mmap(nullptr, layout.fileSize, protection, MAP_SHARED, file.get(), 0);
        if (mapped == MAP_FAILED)
            return errnoError(errno, "cannot map " + path);
        base = static_cast<std::byte *>(mapped);
        guard = std::make_unique<MappingGuard>(base, layout.fileSize);
        return {};
    }
};

Region::Region(std::unique_ptr<Data> data) : m_data(std::move(data)) {}
Region::Region(Region &&) noexcept = default;
Region &Region::operator=(Region &&) noexcept = default;
Region::~Region() = default;

namespace {

Result<void> checkStationCount(std::uint32_t stations)
{
    if (stations == 0 || stations > corotracer::kMaxStations)
        return Error{ErrorCode::InvalidArgument, std::to_string(stations) + " stations are not possible; give 1 to " +
                                                     std::to_string(corotracer::kMaxStations)};
    return {};
}

/// The descriptor is O_CLOEXEC: a launched target must not inherit the lock.
Result<FileDescriptor> createFile(const std::string &path)
{
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() >= 0)
        return file;
    if (errno == EEXIST)
        return Error{ErrorCode::AlreadyExists,
                     path + " exists already; attach to it, delete it or choose another path"};
    return errnoError(errno, "cannot create " + path);
}

}  // namespace

Result<Region> Region::create(const RegionSpec &spec)
{
    if (auto counted = checkStationCount(spec.stations); !counted)
        return counted.error();
    auto data = std::make_unique<Data>();
    data->path = spec.path;
    if (data->path.empty()) {
        Result<RegionPlace> place = chooseRegionPlace();
        if (!place)
            return place.error();
        data->path = place->directory + "/" + freshName();
        data->warning = place->warning;
    }
    Result<FileDescriptor> file = createFile(data->path);
    if (!file)
        return file.error();
    data->file = std::move(*file);
    const auto fail = [&data](Error error) {
        ::unlink(data->path.c_str());
        return error;
    };
    // Umask and default ACLs aside, nobody else may read a target's memory.
    if (::fchmod(data->file.get(), 0600) != 0 || ::flock(data->file.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(errnoError(errno, "cannot lock " + data->path));
    const Result<std::uint32_t> offered = stationsThatFit(data->file.get(), data->path, spec.stations);
    if (!offered)
        return fail(offered.error());
    if (*offered < spec.stations)
        data->warning += (data->warning.empty() ? "" : "; ") + std::string("only ") + std::to_string(*offered) +
                         " of " + std::to_string(spec.stations) + " stations fit the free space of " + data->path;
    const std::uint64_t size = kHeaderSize + std::uint64_t{spec.stations} * kStationSize + kSiteAreas;
    if (::ftruncate(data->file.get(), static_cast<off_t>(size)) != 0)
        return fail(errnoError(errno, "cannot size " + data->path + " to " + std::to_string(size) + " bytes"));
    // The header's page itself, so that our own first store cannot fault. Some file systems cannot; they do not
    // overcommit either.
    if (::fallocate(data->file.get(), 0, 0, kHeaderSize) != 0 && errno != EOPNOTSUPP)
        return fail(errnoError(errno, "cannot reserve room in " + data->path));
    data->access = RegionAccess::Owner;
    data->layout = {size, spec.stations,
                    ExtensionAreas{kHeaderSize + std::uint64_t{spec.stations} * kStationSize, kSiteCapacity,
                                   size - kStringsCapacity, kStringsCapacity}};
    if (auto mapped = data->map(); !mapped)
        return fail(mapped.error());
    writeHeader(*reinterpret_cast<GlobalHeader *>(data->base), spec.stations, *offered, size);
    return Region(std::move(data));
}

namespace {

struct OpenedFile {
    FileDescriptor file;
    bool writable = false;
    struct stat info {};
};

Result<OpenedFile> openFile(const std::string &path)
{
    OpenedFile opened;
    // O_NONBLOCK: a FIFO of that name must not hold us up; regular files do not care.
    constexpr int kFlags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    opened.file = FileDescriptor(::open(path.c_str(), O_RDWR | kFlags));
    opened.writable = opened.file.get() >= 0;
    if (!opened.writable)
        opened.file = FileDescriptor(::open(path.c_str(), O_RDONLY | kFlags));
    if (opened.file.get() < 0)
        return errnoError(errno, "cannot open " + path);
    if (::fstat(opened.file.get(), &opened.info) != 0)
        return errnoError(errno, "cannot look at " + path);
    if (!S_ISREG(opened.info.st_mode))
        return Error{ErrorCode::BadFormat, path + " is not a file; choose a shared-memory file of a target"};
    return opened;
}

/// Why `opened` must not be written, or empty: then we hold its lock.
std::string takeOwnership(const OpenedFile &opened, const ValidatedLayout &layout)
{
    if (!layout.extension)
        return "not created by corotracer-gui";
    if (opened.info.st_uid != ::geteuid())
        return "belongs to user " + std::to_string(opened.info.st_uid);
    if (!opened.writable)
        return "read-only file";
    if (::flock(opened.file.get(), LOCK_EX | LOCK_NB) == 0)
        return {};
    std::uint32_t pid = 0;
    constexpr off_t kPidOffset = offsetof(GlobalHeader, extension) + offsetof(ExtensionHeader, engine_pid);
    if (::pread(opened.file.get(), &pid, sizeof pid, kPidOffset) != sizeof pid || pid == 0)
        return "owned by another process";
    return "owned by process " + std::to_string(pid);
}

}  // namespace

Result<Region> Region::open(const std::string &path)
{
    Result<OpenedFile> opened = openFile(path);
    if (!opened)
        return opened.error();
    std::array<std::byte, kHeaderSize> header{};
    const ssize_t got = ::pread(opened->file.get(), header.data(), header.size(), 0);
    if (got < 0)
        return errnoError(errno, "cannot read " + path);
    Result<ValidatedLayout> layout = checkLayout(std::span(header).first(static_cast<std::size_t>(got)),
                                                 static_cast<std::uint64_t>(opened->info.st_size));
    if (!layout)
        return Error{layout.error().code, path + ": " + layout.error().message};
    auto data = std::make_unique<Data>();
    data->path = path;
    data->adopted = true;
    data->layout = *layout;
    data->observerReason = takeOwnership(*opened, *layout);
    data->access = data->observerReason.empty() ? RegionAccess::Owner : RegionAccess::Observer;
    data->file = std::move(opened->file);
    if (auto mapped = data->map(); !mapped)
        return mapped.error();
    if (data->access == RegionAccess::Owner) {
        auto *const mapped = reinterpret_cast<GlobalHeader *>(data->base);
        // A killed engine may have left its announcement; relaxed: nobody acts on these two but people and probes
        // that would write to a socket in vain.
        mapped->tracer_sleeping.store(0, std::memory_order_relaxed);
        mapped->extension.engine_pid.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_relaxed);
    }
    return Region(std::move(data));
}

const std::string &Region::path() const
{
    return m_data->path;
}

RegionAccess Region::access() const
{
    return m_data->access;
}

const std::string &Region::observerReason() const
{
    return m_data->observerReason;
}

bool Region::hasExtension() const
{
    return m_data->layout.extension.has_value();
}

bool Region::isAdopted() const
{
    return m_data->adopted;
}

const std::string &Region::warning() const
{
    return m_data->warning;
}

const GlobalHeader &Region::header() const
{
    return *reinterpret_cast<const GlobalHeader *>(m_data->base);
}

GlobalHeader *Region::writableHeader()
{
    return m_data->access == RegionAccess::Owner ? reinterpret_cast<GlobalHeader *>(m_data->base) : nullptr;
}

std::uint32_t Region::stationCapacity() const
{
    return m_data->layout.stationCapacity;
}

const StationData &Region::station(std::uint32_t index) const
{
    return reinterpret_cast<const StationData *>(m_data->base + kHeaderSize)[index];
}

std::span<const SiteRecord> Region::siteRecords() const
{
    if (!m_data->layout.extension)
        return {};
    const ExtensionAreas &areas = *m_data->layout.extension;
    return {reinterpret_cast<const SiteRecord *>(m_data->base + areas.siteTableOffset), areas.siteCapacity};
}

std::span<const char> Region::siteStrings() const
{
    if (!m_data->layout.extension)
        return {};
    const ExtensionAreas &areas = *m_data->layout.extension;
    return {reinterpret_cast<const char *>(m_data->base + areas.stringsOffset), areas.stringsCapacity};
}

bool Region::isWhole() const
{
    return m_data->isWhole();
}

Result<void> Region::remove()
{
    struct stat ours, there;
    if (::fstat(m_data->file.get(), &ours) != 0 || ::lstat(m_data->path.c_str(), &there) != 0)
        return errnoError(errno, "cannot remove " + m_data->path);
    if (ours.st_dev != there.st_dev || ours.st_ino != there.st_ino)
        return Error{ErrorCode::Busy, m_data->path + " is another file by now; it was left alone"};
    if (::unlink(m_data->path.c_str()) != 0)
        return errnoError(errno, "cannot remove " + m_data->path);
    const std::string socket = m_data->path + ".sock";
    if (::lstat(socket.c_str(), &there) == 0 && S_ISSOCK(there.st_mode))
        ::unlink(socket.c_str());
    return {};
}

}  // namespace ct
