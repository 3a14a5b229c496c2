// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/standardstreams.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace ct {

namespace {

/// `useless`: the access mode (O_RDONLY, O_WRONLY) of a descriptor that cannot be used.
Result<int> copyOf(int standard, int useless, const std::string &problem)
{
    const int flags = ::fcntl(standard, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == useless)
        return errnoError(EBADF, problem);
    const int fd = flags < 0 ? -1 : ::fcntl(standard, F_DUPFD_CLOEXEC, 3);
    return fd < 0 ? Result<int>(errnoError(errno, problem)) : Result<int>(fd);
}

}  // namespace

std::optional<int> outputStreamNamed(const std::string &path)
{
    if (path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1")
        return STDOUT_FILENO;
    if (path == "/dev/stderr" || path == "/dev/fd/2" || path == "/proc/self/fd/2")
        return STDERR_FILENO;
    return std::nullopt;
}

Result<int> openStandardInput()
{
    return copyOf(STDIN_FILENO, O_WRONLY, "standard input cannot be read, connect it to a pipe or a file");
}

Result<int> openStandardOutput()
{
    return copyOf(STDOUT_FILENO, O_RDONLY, "standard output cannot be written, connect it to a pipe or a file");
}

Result<int> openStandardError()
{
    return copyOf(STDERR_FILENO, O_RDONLY, "standard error cannot be written, connect it to a pipe or a file");
}

}  // namespace ct
