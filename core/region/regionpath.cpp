// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Chooses the directory of a region, and the path of its socket.
#include "core/region/region.h"

#include "core/base/fileremedy.h"
#include "core/region/stalesocket.h"

#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace ct {

namespace {

/// Bytes for the header, sites and a few thousand stations. With less free space, a directory is not used.
constexpr std::uint64_t kMinimumFreeBytes = 32ULL << 20;

/// Creates the directory if it does not exist. It must belong to this user, and other users must have no access.
Result<void> prepareDirectory(const std::string &directory)
{
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return writeError(errno, "cannot create " + directory);
    struct stat info;
    if (::lstat(directory.c_str(), &info) != 0)
        return writeError(errno, "cannot examine " + directory);
    if (!S_ISDIR(info.st_mode))
        return Error{ErrorCode::PermissionDenied, directory + " is not a directory; remove it"};
    if (info.st_uid != ::geteuid())
        return Error{ErrorCode::PermissionDenied,
                     directory + " belongs to user " + std::to_string(info.st_uid) + "; ask its owner to remove it"};
    if ((info.st_mode & 077) != 0)
        return Error{ErrorCode::PermissionDenied,
                     directory + " can be entered by other users; run: chmod 700 " + directory};
    if (::access(directory.c_str(), W_OK | X_OK) != 0)
        return writeError(errno, "cannot write to " + directory);
    struct statvfs space;
    if (::statvfs(directory.c_str(), &space) != 0)
        return writeError(errno, "cannot examine " + directory);
    // A tmpfs without a limit reports 0 blocks.
    if (space.f_blocks != 0 && static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize < kMinimumFreeBytes)
        return Error{ErrorCode::NoSpace, "less than 32 MiB are free in " + directory + "; delete old regions there"};
    return {};
}

}  // namespace

std::vector<RegionDirectory> regionDirectories()
{
    const std::string uid = std::to_string(::geteuid());
    std::vector<RegionDirectory> candidates{{"/dev/shm/corotracer-" + uid, {}}};
    const char *const runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime && runtime[0] == '/')
        candidates.push_back(
            {std::string(runtime) + "/corotracer",
             "the region is in XDG_RUNTIME_DIR, which is small (about 10 % of RAM) and removed at logout"});
    const char *const temporary = std::getenv("TMPDIR");
    const std::string disk = temporary && temporary[0] == '/' ? temporary : "/tmp";
    candidates.push_back({disk + "/corotracer-" + uid,
                          "the region is on a disk (" + disk +
                              "): tracing costs the target more, and the system writes the region to that disk"});
    return candidates;
}

Result<RegionDirectory> chooseRegionDirectory(const std::vector<RegionDirectory> &candidates)
{
    Error first{ErrorCode::NotFound, "no directory for shared memory; choose a path with --shm"};
    std::string failures;
    for (const RegionDirectory &candidate : candidates) {
        const Result<void> prepared = prepareDirectory(candidate.directory);
        if (prepared) {
            RegionDirectory chosen = candidate;
            if (!chosen.warning.empty() && !failures.empty())
                chosen.warning += " (" + failures + ")";
            return chosen;
        }
        if (failures.empty())
            first = prepared.error();
        failures += (failures.empty() ? "" : ". Also: ") + prepared.error().message;
    }
    if (!failures.empty())
        first.message = failures;
    return first;
}

Result<RegionDirectory> chooseRegionDirectory()
{
    return chooseRegionDirectory(regionDirectories());
}

Result<std::string> socketPathFor(const std::string &regionPath)
{
    std::string path = regionPath + ".sock";
    if (const Result<sockaddr_un> address = socketAddressOf(path); !address)
        return address.error();
    return path;
}

}  // namespace ct
