// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A small file system that only this process and its children see.
#pragma once

#include "tests/support/tempdir.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

namespace smalltmpfs {

/// Maps the user and group to themselves. In a new user namespace, an unmapped user cannot create files.
inline bool keepOwnNumbers(uid_t user, gid_t group)
{
    const auto write = [](const char *path, const std::string &text) {
        std::ofstream file(path);
        file << text << std::flush;
        return file.good();
    };
    return write("/proc/self/setgroups", "deny") &&
           write("/proc/self/uid_map", std::to_string(user) + ' ' + std::to_string(user) + " 1") &&
           write("/proc/self/gid_map", std::to_string(group) + ' ' + std::to_string(group) + " 1");
}

/// Mounts a tmpfs of `bytes` over the directory, in a new mount namespace. Call it before a second thread starts.
/// Returns false if this machine does not allow it.
inline bool mountPrivately(const std::string &directory, std::uint64_t bytes)
{
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::unshare(CLONE_NEWNS) != 0 && (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !keepOwnNumbers(user, group)))
        return false;
    const std::string options = "mode=0700,size=" + std::to_string(bytes);
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("ct", directory.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

/// A private tmpfs of `bytes` in a temporary directory, for the lifetime of the object.
class Tmpfs {
public:
    /// Call it before a second thread starts.
    explicit Tmpfs(std::uint64_t bytes) : m_mounted(mountPrivately(m_directory.path(), bytes)) {}
    Tmpfs(const Tmpfs &) = delete;
    Tmpfs &operator=(const Tmpfs &) = delete;
    ~Tmpfs()
    {
        if (m_mounted)
            ::umount2(m_directory.path().c_str(), MNT_DETACH);
    }
    /// Returns nullopt if this machine does not allow mounting.
    std::optional<std::string> path() const { return m_mounted ? std::optional(m_directory.path()) : std::nullopt; }

private:
    const ct::test::TempDir m_directory;
    const bool m_mounted;
};

}  // namespace smalltmpfs
