// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/reservedrange.h"

#include <cstdint>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::size_t roundUp(std::size_t bytes)
{
    return (bytes + ReservedRange::kHugePage - 1) / ReservedRange::kHugePage * ReservedRange::kHugePage;
}

/// True if vm.overcommit_memory is 2: the kernel then charges accessible memory even before the first touch. An
/// unreadable setting counts as strict.
bool isAccountingStrict()
{
    std::ifstream file("/proc/sys/vm/overcommit_memory");
    int mode = 2;
    return !(file >> mode) || mode == 2;
}

/// A limit of the address space (ulimit -v) has to leave room for all ranges, and for the region.
bool fitsIntoLimit(std::size_t bytes)
{
    constexpr std::size_t kShare = 16;
    rlimit space{};
    return ::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY || bytes <= space.rlim_cur / kShare;
}

void *map(std::size_t bytes, int protection)
{
    return ::mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace

ReservedRange reserve(std::size_t bytes)
{
    if (!fitsIntoLimit(bytes))
        return {};
    ReservedRange space;
    space.bytes = roundUp(bytes);
    space.mappedBytes = space.bytes + ReservedRange::kHugePage;
    space.mapping = isAccountingStrict() ? MAP_FAILED : map(space.mappedBytes, PROT_READ | PROT_WRITE);
    space.accessible = space.mapping != MAP_FAILED;
    if (!space.accessible)
        space.mapping = map(space.mappedBytes, PROT_NONE);
    if (space.mapping == MAP_FAILED)
        return {};
    const auto address = reinterpret_cast<std::uintptr_t>(space.mapping);
    space.first = static_cast<std::byte *>(space.mapping) + (roundUp(address) - address);
    // Elements are accessed in random order. Huge pages avoid most TLB misses.
    (void)::madvise(space.first, space.bytes, MADV_HUGEPAGE);
    return space;
}

void releasePages(const void *begin, const void *end)
{
    static const auto kPage = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
    const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(end) / kPage * kPage;
    if (first < last)
        (void)::madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

void unreserve(const ReservedRange &space)
{
    if (space.mapping)
        ::munmap(space.mapping, space.mappedBytes);
}

}  // namespace ct
