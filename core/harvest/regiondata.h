// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a Region holds; for the files that implement it.
#pragma once

#include "core/harvest/mappingguard.h"
#include "core/harvest/region.h"
#include "core/protocol/layoutcheck.h"

#include <atomic>
#include <cstddef>
#include <ctime>
#include <unistd.h>
#include <utility>

namespace ct {

class FileDescriptor {
public:
    explicit FileDescriptor(int fd = -1) : m_fd(fd) {}
    FileDescriptor(FileDescriptor &&other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileDescriptor &operator=(FileDescriptor &&other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~FileDescriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    int get() const { return m_fd; }

private:
    int m_fd;
};

inline std::uint64_t clockNs(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

struct Region::Data {
    std::string path;
    FileDescriptor file;
    RegionAccess access = RegionAccess::Observer;
    std::string observerReason;
    std::string warning;
    bool adopted = false;
    ValidatedLayout layout;
    std::byte *base = nullptr;
    mutable std::atomic<bool> cut{false};  ///< seen once, for good: growing again brings nothing back
    std::unique_ptr<MappingGuard> guard;   ///< of [base, base + fileSize)
    std::uint64_t growAgainNs = 0;         ///< after the file system was full: CLOCK_MONOTONIC of the next try
    Result<void> growthFailure;            ///< of the latest try; what calls before the next one return
    std::uint64_t seenBirths = 0;          ///< allocated_count at the latest look at it
    std::uint64_t overtakenBirths = 0;     ///< see Region::overtakenBirths(); some may be traced after all

    Data() = default;
    Data(const Data &) = delete;
    Data &operator=(const Data &) = delete;
    ~Data();

    bool isWhole() const;
    Result<void> map();
    corotracer::GlobalHeader &header() const { return *reinterpret_cast<corotracer::GlobalHeader *>(base); }
    /// Gives [offset, offset + bytes) memory of its own, so that no access to it can fault. NoSpace: nothing changed.
    Result<void> commit(std::uint64_t offset, std::uint64_t bytes);
    /// Births so far were another engine's to provide for.
    void ignoreEarlierBirths();

    /// `count` objects of an area; its place was checked. Nothing behind it without the extension.
    template <class T>
    std::span<T> area(std::uint64_t ExtensionAreas::*offset, std::uint32_t ExtensionAreas::*count) const
    {
        if (!layout.extension || (*layout.extension).*count == 0)
            return {};
        return {reinterpret_cast<T *>(base + (*layout.extension).*offset), (*layout.extension).*count};
    }
};

}  // namespace ct
