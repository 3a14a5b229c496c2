// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/fileclaim.h"

#include "core/recording/read/filegrowth.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace ct::ctr {

namespace {

/// Offsets of the locked bytes, which no file has.
constexpr off_t kWrittenByte = FileGrowth::kWrittenByte;
constexpr off_t kReadByte = kWrittenByte + 1;

struct flock lockOf(short type, off_t byte)
{
    struct flock lock = {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

bool isClaimed(int fd, off_t byte)
{
    struct flock lock = lockOf(F_WRLCK, byte);
    return ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace

bool claimForWriting(int fd)
{
    struct flock lock = lockOf(F_WRLCK, kWrittenByte);
    return ::fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

Error writtenElsewhere(const std::string &path)
{
    return {ErrorCode::AlreadyExists, path + " is being written by another process; choose another name"};
}

Claims claimsOn(const std::string &path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return {};
    const Claims claims{isClaimed(fd, kWrittenByte), isClaimed(fd, kReadByte)};
    ::close(fd);
    return claims;
}

ReadClaim::ReadClaim(const std::vector<std::string> &paths)
{
    for (const std::string &path : paths) {
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (fd < 0)
            continue;
        struct flock lock = lockOf(F_RDLCK, kReadByte);
        static_cast<void>(::fcntl(fd, F_OFD_SETLK, &lock));
        m_fds.push_back(fd);
    }
}

ReadClaim::ReadClaim(ReadClaim &&other) noexcept : m_fds(std::exchange(other.m_fds, {})) {}

ReadClaim &ReadClaim::operator=(ReadClaim &&other) noexcept
{
    std::swap(m_fds, other.m_fds);
    return *this;
}

ReadClaim::~ReadClaim()
{
    for (const int fd : m_fds)
        ::close(fd);
}

}  // namespace ct::ctr
