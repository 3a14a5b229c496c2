// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/region.h"

#include "core/base/filekey.h"
#include "core/base/fileremedy.h"
#include "core/region/regiondata.h"
#include "core/region/regionspace.h"
#include "core/region/stalesocket.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace ct {

using corotracer::CompactBirth;
using corotracer::CompactState;
using corotracer::ExtensionHeader;
using corotracer::GlobalHeader;
using corotracer::kHeaderSize;
using corotracer::LaneHeader;
using corotracer::ProcessEntry;
using corotracer::SiteRecord;
using corotracer::StationData;

Region::Data::~Data()
{
    if (!base)
        return;
    if (access == RegionAccess::Owner && isWhole()) {
        // The engine no longer listens, and a pause ends with the engine that requested it. Relaxed: a probe that still
        // sees the old value at most writes to a socket in vain.
        header().tracer_sleeping.store(corotracer::kEngineAwake, std::memory_order_relaxed);
        if (layout.extension)
            header().extension.engine_pid.store(0, std::memory_order_relaxed);
    }
    guard.reset();
    ::munmap(base, layout.fileSize);
}

bool Region::Data::isWhole() const
{
    struct stat info;
    if (::fstat(file.get(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) < layout.fileSize)
        cut.store(true, std::memory_order_relaxed);
    return !cut.load(std::memory_order_relaxed);
}

Result<void> Region::Data::map()
{
    const int protection = access == RegionAccess::Owner ? PROT_READ | PROT_WRITE : PROT_READ;
    void *const mapped = ::mmap(nullptr, layout.fileSize, protection, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
    if (mapped == MAP_FAILED)
        return cannotMap(errno, path, layout.fileSize);
    base = static_cast<std::byte *>(mapped);
    ::madvise(mapped, layout.fileSize, MADV_DONTDUMP);  // keeps gigabytes of holes out of core dumps
    guard = std::make_unique<MappingGuard>(base, layout.fileSize);
    return {};
}

Region::Region(std::unique_ptr<Data> data) : m_data(std::move(data)) {}
Region::Region(Region &&) noexcept = default;
Region &Region::operator=(Region &&) noexcept = default;
Region::~Region() = default;

namespace {

struct OpenedFile {
    FileDescriptor file;
    bool writable = false;
    struct stat info {};
};

Result<OpenedFile> openFile(const std::string &path, RegionUse use)
{
    OpenedFile opened;
    // O_NONBLOCK: opening a FIFO must not wait. It has no effect on regular files.
    constexpr int kFlags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    if (use == RegionUse::Harvest)
        opened.file = FileDescriptor(::open(path.c_str(), O_RDWR | kFlags));
    opened.writable = opened.file.get() >= 0;
    if (!opened.writable)
        opened.file = FileDescriptor(::open(path.c_str(), O_RDONLY | kFlags));
    if (opened.file.get() < 0)
        return readError(errno, "cannot open " + path);
    if (::fstat(opened.file.get(), &opened.info) != 0)
        return readError(errno, "cannot examine " + path);
    if (!S_ISREG(opened.info.st_mode))
        return Error{ErrorCode::BadFormat, path + " is not a file; choose a shared-memory file of a target"};
    return opened;
}

/// Locks the file: exclusively for Harvest, shared for PostMortem. Returns "" on success, else the reason for
/// observing.
std::string lockFile(const OpenedFile &opened, const ValidatedLayout &layout, RegionUse use)
{
    const bool reads = use == RegionUse::PostMortem;
    if (!layout.extension)
        return "not created by corotracer-gui";
    if (opened.info.st_uid != ::geteuid())
        return "belongs to user " + std::to_string(opened.info.st_uid);
    if (!opened.writable && !reads)
        return "read-only file";
    if (::flock(opened.file.get(), (reads ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0)
        return {};
    std::uint32_t pid = 0;
    constexpr off_t kPidOffset = offsetof(GlobalHeader, extension) + offsetof(ExtensionHeader, engine_pid);
    if (::pread(opened.file.get(), &pid, sizeof pid, kPidOffset) != sizeof pid || pid == 0)
        return "owned by another process";
    return "owned by process " + std::to_string(pid);
}

}  // namespace

Result<Region> Region::open(const std::string &path, RegionUse use)
{
    Result<OpenedFile> opened = openFile(path, use);
    if (!opened)
        return opened.error();
    std::array<std::byte, kHeaderSize> header{};
    const ssize_t got = ::pread(opened->file.get(), header.data(), header.size(), 0);
    if (got < 0)
        return readError(errno, "cannot read " + path);
    Result<ValidatedLayout> layout = checkLayout(std::span(header).first(static_cast<std::size_t>(got)),
                                                 static_cast<std::uint64_t>(opened->info.st_size));
    if (!layout)
        return Error{layout.error().code, path + ": " + layout.error().message};
    auto data = std::make_unique<Data>();
    data->path = path;
    data->adopted = true;
    data->layout = *layout;
    data->observerReason = lockFile(*opened, *layout, use);
    if (data->observerReason.empty())
        data->access = use == RegionUse::PostMortem ? RegionAccess::PostMortem : RegionAccess::Owner;
    data->file = std::move(opened->file);
    if (auto mapped = data->map(); !mapped)
        return mapped.error();
    if (data->access == RegionAccess::Owner) {
        auto *const mapped = reinterpret_cast<GlobalHeader *>(data->base);
        // A killed engine may have left its announcement of sleep, or its pause. Relaxed: engine_pid is for display
        // only, and a probe that still sees the old tracer_sleeping at most writes to a socket in vain.
        mapped->tracer_sleeping.store(0, std::memory_order_relaxed);
        mapped->extension.engine_pid.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_relaxed);
        data->ignoreEarlierBirths();
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
    return m_data->header();
}

GlobalHeader *Region::writableHeader()
{
    return m_data->access == RegionAccess::Owner ? &m_data->header() : nullptr;
}

std::uint32_t Region::stationCapacity() const
{
    return m_data->layout.stationCapacity;
}

const StationData &Region::station(std::uint32_t index) const
{
    return reinterpret_cast<const StationData *>(m_data->base + kHeaderSize)[index];
}

StationData *Region::writableStation(std::uint32_t index)
{
    if (m_data->access != RegionAccess::Owner || index >= m_data->layout.stationCapacity)
        return nullptr;
    return reinterpret_cast<StationData *>(m_data->base + kHeaderSize) + index;
}

std::span<const SiteRecord> Region::siteRecords() const
{
    return m_data->area<const SiteRecord>(&ExtensionAreas::siteTableOffset, &ExtensionAreas::siteCapacity);
}

std::span<const char> Region::siteStrings() const
{
    if (!m_data->layout.extension)
        return {};
    const ExtensionAreas &areas = *m_data->layout.extension;
    return {reinterpret_cast<const char *>(m_data->base + areas.stringsOffset), areas.stringsCapacity};
}

std::uint32_t Region::laneMode() const
{
    return m_data->layout.extension ? m_data->layout.extension->laneMode : std::uint32_t{corotracer::kLanesNone};
}

std::span<const ProcessEntry> Region::processes() const
{
    return m_data->area<const ProcessEntry>(&ExtensionAreas::processTableOffset, &ExtensionAreas::processCapacity);
}

std::span<const LaneHeader> Region::laneDirectory() const
{
    return m_data->area<const LaneHeader>(&ExtensionAreas::laneDirectoryOffset, &ExtensionAreas::laneCapacity);
}

std::span<const CompactState> Region::compactStations() const
{
    return m_data->area<const CompactState>(&ExtensionAreas::statesOffset, &ExtensionAreas::compactCapacity);
}

std::span<const CompactBirth> Region::births() const
{
    return m_data->area<const CompactBirth>(&ExtensionAreas::birthsOffset, &ExtensionAreas::compactCapacity);
}

std::span<ProcessEntry> Region::writableProcesses()
{
    if (m_data->access != RegionAccess::Owner)
        return {};
    return m_data->area<ProcessEntry>(&ExtensionAreas::processTableOffset, &ExtensionAreas::processCapacity);
}

std::span<LaneHeader> Region::writableLanes()
{
    if (m_data->access != RegionAccess::Owner)
        return {};
    return m_data->area<LaneHeader>(&ExtensionAreas::laneDirectoryOffset, &ExtensionAreas::laneCapacity);
}

std::span<CompactState> Region::writableCompactStations()
{
    if (m_data->access != RegionAccess::Owner)
        return {};
    return m_data->area<CompactState>(&ExtensionAreas::statesOffset, &ExtensionAreas::compactCapacity);
}

std::span<CompactBirth> Region::writableBirths()
{
    if (m_data->access != RegionAccess::Owner)
        return {};
    return m_data->area<CompactBirth>(&ExtensionAreas::birthsOffset, &ExtensionAreas::compactCapacity);
}

std::optional<LaneView> Region::lane(std::uint32_t index) const
{
    const std::span<const LaneHeader> directory = laneDirectory();
    if (index >= directory.size())
        return std::nullopt;
    const LaneHeader &header = directory[index];
    // In overwrite mode and post-mortem, a lane that is being claimed still has the records of the thread before.
    if (header.state.load(std::memory_order_relaxed) == corotracer::kLaneMaking &&
        laneMode() != corotracer::kLanesOverwrite && access() != RegionAccess::PostMortem)
        return std::nullopt;
    // Acquire; partner: the release store of the thread that made the lane. Afterwards the lane can only get shorter.
    const std::uint32_t records = header.records.load(std::memory_order_acquire);
    const std::uint64_t offset = header.offset.load(std::memory_order_relaxed);
    const std::uint64_t numbers = header.block_numbers_offset.load(std::memory_order_relaxed);
    if (records % corotracer::kLaneBlock != 0 || records < corotracer::kLaneRecordsMin ||
        records > corotracer::kLaneRecordsMax || offset % 4096 != 0 || numbers % sizeof(std::uint64_t) != 0)
        return std::nullopt;
    const ExtensionAreas &areas = *m_data->layout.extension;
    const auto inPool = [&areas](std::uint64_t begin, std::uint64_t bytes) {
        return begin >= areas.lanePoolOffset && begin - areas.lanePoolOffset <= areas.lanePoolSize &&
               bytes <= areas.lanePoolSize - (begin - areas.lanePoolOffset);
    };
    if (!inPool(offset, std::uint64_t{records} * sizeof(corotracer::LaneRecord)) ||
        !inPool(numbers, records / corotracer::kLaneBlock * sizeof(std::uint64_t)))
        return std::nullopt;
    LaneView view;
    view.records = reinterpret_cast<const corotracer::LaneRecord *>(m_data->base + offset);
    view.blockNumbers = reinterpret_cast<const std::atomic<std::uint64_t> *>(m_data->base + numbers);
    view.committed = &header.committed;
    view.capacityNow = &header.records;
    view.capacity = records;
    view.overwrite = areas.laneMode == corotracer::kLanesOverwrite;
    return view;
}

bool Region::isWhole() const
{
    return m_data->isWhole();
}

Result<void> Region::remove()
{
    const std::optional<FileKey> there = FileKey::ofEntry(m_data->path);
    if (!there)
        return errnoError(errno, "cannot remove " + m_data->path,
                          errno == ENOENT ? "another program removed it already, so nothing is left to do"
                                          : "check who may enter its folder");
    if (there != FileKey::of(m_data->file.get()))
        return Error{ErrorCode::Busy,
                     m_data->path +
                         " was replaced by another file, which was not removed; remove that file if it is not needed"};
    if (::unlink(m_data->path.c_str()) != 0)
        return errnoError(errno, "cannot remove " + m_data->path, "check who may write to its folder");
    // Removes only the socket of an engine that is gone. A socket in use, or another kind of file, stays.
    static_cast<void>(removeStaleSocket(m_data->path + ".sock"));
    return {};
}

}  // namespace ct
