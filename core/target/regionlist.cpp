// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/regionlist.h"

#include "core/base/filekey.h"
#include "core/base/fileremedy.h"
#include "core/region/region.h"
#include "core/region/stalesocket.h"
#include "core/target/mappingprocesses.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <set>
#include <sys/file.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr const char *kForeignDefault = "/tmp/corotracer.shm";

class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor()
    {
        if (m_fd >= 0)
            close(m_fd);
    }
    int get() const { return m_fd; }

private:
    int m_fd;
};

struct Candidate {
    RegionInfo info;
    FileIdentity identity;
};

/// Reads the header with pread, because a mapping of a tmpfs hole would allocate memory.
std::optional<Candidate> examine(const std::string &path)
{
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
        return std::nullopt;
    alignas(corotracer::GlobalHeader) std::byte bytes[sizeof(corotracer::GlobalHeader)];
    if (pread(file.get(), bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
        return std::nullopt;

    const auto field = [&bytes]<class T>(std::size_t offset, T) {
        T value;
        std::memcpy(&value, bytes + offset, sizeof value);
        return value;
    };
    using Header = corotracer::GlobalHeader;
    if (field(offsetof(Header, magic_number), std::uint64_t{}) != corotracer::kMagic)
        return std::nullopt;
    Candidate candidate;
    candidate.identity = FileIdentity::of(status, path);
    RegionInfo &info = candidate.info;
    info.path = path;
    info.bytesUsed = static_cast<std::uint64_t>(status.st_blocks) * 512;
    info.stationsMax = field(offsetof(Header, max_stations), std::uint32_t{});
    info.stationsAllocated = std::min(field(offsetof(Header, allocated_count), std::uint32_t{}), info.stationsMax);
    info.hasExtension = field(offsetof(Header, extension), std::uint64_t{}) == corotracer::kExtensionMagic;
    using Extension = corotracer::ExtensionHeader;
    constexpr std::size_t kExtension = offsetof(Header, extension);
    if (info.hasExtension && field(kExtension + offsetof(Extension, version), std::uint32_t{}) >= 2) {
        info.flightRecorder =
            field(kExtension + offsetof(Extension, lane_mode), std::uint32_t{}) == corotracer::kLanesOverwrite;
        info.compactStations =
            std::min(field(kExtension + offsetof(Extension, compact_station_count), std::uint32_t{}),
                     field(kExtension + offsetof(Extension, compact_stations_reserved), std::uint32_t{}));
    }
    info.modifiedRealtimeNs = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                              static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
    return candidate;
}

std::vector<std::string> filesToExamine()
{
    std::vector<std::string> files;
    std::set<std::string> seen;
    for (const RegionDirectory &folder : regionDirectories()) {
        std::error_code error;
        for (auto it = std::filesystem::directory_iterator(folder.directory, error);
             !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
            if (seen.insert(it->path().string()).second)
                files.push_back(it->path().string());
        }
    }
    files.emplace_back(kForeignDefault);
    return files;
}

}  // namespace

bool isRegion(const std::string &path)
{
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    std::uint64_t magic = 0;
    return file.get() >= 0 && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
           pread(file.get(), &magic, sizeof magic, offsetof(corotracer::GlobalHeader, magic_number)) ==
               static_cast<ssize_t>(sizeof magic) &&
           magic == corotracer::kMagic;
}

std::vector<RegionInfo> listRegions()
{
    std::vector<Candidate> candidates;
    std::vector<FileIdentity> identities;
    for (const std::string &path : filesToExamine()) {
        if (std::optional<Candidate> candidate = examine(path)) {
            identities.push_back(candidate->identity);
            candidates.push_back(std::move(*candidate));
        }
    }
    const auto mappers = processesMapping(identities);
    std::vector<RegionInfo> regions;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        RegionInfo info = std::move(candidates[i].info);
        info.owner = lockHolder(candidates[i].identity);
        for (const MappingProcess &process : mappers[i]) {
            if (process.engine || process.pid == info.owner)
                continue;
            info.targets.push_back(process.pid);
            info.targetNames.push_back(process.name);
        }
        info.unknownUsers = unknownUsers(candidates[i].identity);
        regions.push_back(std::move(info));
    }
    std::sort(regions.begin(), regions.end(),
              [](const RegionInfo &a, const RegionInfo &b) { return a.modifiedRealtimeNs > b.modifiedRealtimeNs; });
    return regions;
}

Result<void> deleteRegion(const std::string &path)
{
    const std::optional<Candidate> candidate = examine(path);
    if (!candidate)
        return Error{ErrorCode::BadFormat,
                     path + " is not a readable cTP region; nothing was deleted; choose another file"};
    for (const MappingProcess &process : processesMapping(candidate->identity)) {
        if (process.pid == getpid())
            continue;  // a mapping of ours only views the region; a capture of ours holds the lock
        return Error{ErrorCode::Busy, path + " is in use by process " + std::to_string(process.pid) + " (" +
                                          process.name + "); end it first"};
    }
    if (const std::vector<RegionUser> unknown = unknownUsers(candidate->identity); !unknown.empty())
        return Error{ErrorCode::Busy, path + " " + mayBeInUse(unknown.front()) + "; nothing was deleted. " +
                                          onceItHasEnded(candidate->identity)};
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file.get() < 0)
        return errno == ENOENT || errno == ELOOP ? errnoError(errno, "cannot open " + path, "refresh the list")
                                                 : readError(errno, "cannot open " + path);
    // Hold the lock until the name is removed, so that no engine adopts the region in between.
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{ErrorCode::Busy, path + " is owned by a running engine; end its capture first"};
    const FileKey examined{candidate->identity.device, candidate->identity.inode};
    if (FileKey::of(file.get()) != examined || FileKey::ofEntry(path) != examined)
        return Error{ErrorCode::Busy, path + " was replaced by another file, so nothing was deleted; refresh the list"};
    if (unlink(path.c_str()) != 0)
        return errnoError(errno, "cannot delete " + path, "check who may write to its folder");
    static_cast<void>(removeStaleSocket(path + ".sock"));
    return {};
}

}  // namespace ct
