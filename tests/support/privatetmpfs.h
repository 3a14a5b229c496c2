// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A small file system that only this process and its children see.
#pragma once

#include <cstdint>
#include <sched.h>
#include <string>
#include <sys/mount.h>

namespace smalltmpfs {

/// From now on a tmpfs of `bytes` lies over the directory. Before there is a second thread. False: this machine does
/// not let us.
inline bool mountPrivately(const std::string &directory, std::uint64_t bytes)
{
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    const std::string options = "mode=0700,size=" + std::to_string(bytes);
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("ct", directory.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

}  // namespace smalltmpfs
