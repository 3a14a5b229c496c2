// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/stalesocket.h"

#include "core/base/filekey.h"
#include "core/base/fileremedy.h"
#include "corotracer/layout.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

Result<sockaddr_un> socketAddressOf(const std::string &path)
{
    if (path.empty() || path.size() > corotracer::kSocketPathMax)
        return Error{ErrorCode::InvalidArgument, "the socket path " + path + " has " + std::to_string(path.size()) +
                                                     " bytes; 1 to " + std::to_string(corotracer::kSocketPathMax) +
                                                     " are possible; choose a shorter path"};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

Result<void> removeStaleSocket(const std::string &path)
{
    const Result<sockaddr_un> address = socketAddressOf(path);
    if (!address)
        return address.error();
    struct stat info;
    if (::lstat(path.c_str(), &info) != 0)
        return {};
    if (!S_ISSOCK(info.st_mode))
        return Error{ErrorCode::AlreadyExists, path + " exists and is not a socket; choose another socket path"};
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errnoError(errno, "cannot make a socket", kMoreDescriptors);
    const bool refused = ::connect(fd, reinterpret_cast<const sockaddr *>(&*address), sizeof *address) != 0 &&
                         (errno == ECONNREFUSED || errno == ENOENT);
    ::close(fd);
    if (!refused)
        return Error{ErrorCode::Busy,
                     path + " is in use by another engine; end that engine, or choose another socket path"};
    if (!unlinkIfSame(path, FileKey{info.st_dev, info.st_ino}) && FileKey::ofEntry(path))
        return Error{ErrorCode::Busy,
                     "cannot remove the stale socket " + path + "; remove the file, or choose another path"};
    return {};
}

}  // namespace ct
