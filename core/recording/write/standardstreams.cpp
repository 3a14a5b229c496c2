// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/standardstreams.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace ct {

namespace {

/// `useless`: the access mode (O_RDONLY, O_WRONLY) for which copying the descriptor is an error.
Result<int> copyOf(int standard, int useless, const std::string &problem, const char *remedy)
{
    const int flags = ::fcntl(standard, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == useless)
        return errnoError(EBADF, problem, remedy);
    const int fd = flags < 0 ? -1 : ::fcntl(standard, F_DUPFD_CLOEXEC, 3);
    return fd < 0 ? Result<int>(errnoError(errno, problem, remedy)) : Result<int>(fd);
}

/// Parses a descriptor number. Returns nullopt unless it is spelled as the kernel spells it.
std::optional<int> descriptorIn(std::string_view digits)
{
    int number = 0;
    const char *const end = digits.data() + digits.size();
    const auto [parsed, failed] = std::from_chars(digits.data(), end, number);
    const bool isNumber = failed == std::errc() && parsed == end && number >= 0;
    return isNumber && std::to_string(number) == digits ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<int> outputStreamNamed(const std::string &path)
{
    if (path == "/dev/stdin")
        return STDIN_FILENO;
    if (path == "-" || path == "/dev/stdout")
        return STDOUT_FILENO;
    if (path == "/dev/stderr")
        return STDERR_FILENO;
    for (const std::string_view directory : {std::string_view("/dev/fd/"), std::string_view("/proc/self/fd/")}) {
        if (path.starts_with(directory))
            return descriptorIn(std::string_view(path).substr(directory.size()));
    }
    return std::nullopt;
}

Result<int> openStandardInput()
{
    return copyOf(STDIN_FILENO, O_WRONLY, "standard input cannot be read", "connect it to a pipe or a file");
}

Result<int> openStandardOutput()
{
    return copyOf(STDOUT_FILENO, O_RDONLY, "standard output cannot be written", "connect it to a pipe or a file");
}

Result<int> openStandardError()
{
    return copyOf(STDERR_FILENO, O_RDONLY, "standard error cannot be written", "connect it to a pipe or a file");
}

Result<int> openInherited(int fd, const std::string &name)
{
    // If standard input was closed, it is /dev/null by now, open for writing: all data would be gone.
    if (fd == STDIN_FILENO)
        return Error{ErrorCode::InvalidArgument,
                     name + " is standard input and cannot be written; choose a file or another descriptor"};
    const std::string problem = name + " cannot be written";
    const char *const remedy = "open this descriptor for writing";
    // Descriptors that the program opens itself are close-on-exec.
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0)
        return errnoError(EBADF, problem, remedy);
    return copyOf(fd, O_RDONLY, problem, remedy);
}

}  // namespace ct
