// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Computes how much of a limited address space (RLIMIT_AS, ulimit -v) a region may use. A mapping counts with its whole
// size, touched or not. The program can no longer allocate that address space.
#pragma once

#include "system.h"

#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace corotracer {
inline namespace v2 {
namespace detail {

inline constexpr std::uint64_t unlimited = ~std::uint64_t{0};

/// Returns the address space in use in bytes, from /proc/self/statm; 0 when it cannot be read.
[[nodiscard]] inline std::uint64_t address_space_used() noexcept
{
    char text[64];
    const int fd = open_file("/proc/self/statm", O_RDONLY);
    if (fd < 0)
        return 0;
    const ssize_t length = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    text[length < 0 ? 0 : length] = '\0';
    return std::strtoull(text, nullptr, 10) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Returns the bytes that this process may still map; `unlimited` without a limit.
[[nodiscard]] inline std::uint64_t address_space_left() noexcept
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return unlimited;
    const std::uint64_t used = address_space_used();
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

/// Returns the bytes that a region may use: a quarter of the address space that is left. The rest is for the program.
[[nodiscard]] inline std::uint64_t mapping_budget() noexcept
{
    const std::uint64_t left = address_space_left();
    return left == unlimited ? unlimited : left / 4;
}

}  // namespace detail
}  // namespace v2
}  // namespace corotracer
