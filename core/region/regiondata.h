// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The private data of a Region, for the files that implement it.
#pragma once

#include "core/protocol/layoutcheck.h"
#include "core/region/mappingguard.h"
#include "core/region/region.h"

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
    mutable std::atomic<bool> cut{false};  ///< the file was shorter once; final, because growing restores no contents
    std::unique_ptr<MappingGuard> guard;   ///< guards [base, base + fileSize)
    std::uint64_t growAgainNs = 0;         ///< earliest time of the next attempt to grow, CLOCK_MONOTONIC
    Result<void> growthFailure;            ///< result of the last attempt; calls before growAgainNs return it
    std::uint64_t seenBirths = 0;          ///< births that growStations() has counted, up to stationCapacity
    std::uint64_t overtakenBirths = 0;     ///< see Region::overtakenBirths(); an upper bound

    Data() = default;
    Data(const Data &) = delete;
    Data &operator=(const Data &) = delete;
    ~Data();

    bool isWhole() const;
    Result<void> map();
    corotracer::GlobalHeader &header() const { return *reinterpret_cast<corotracer::GlobalHeader *>(base); }
    /// Allocates the memory of [offset, offset + bytes) in the file. Accesses to it then cannot fault for lack of
    /// memory. Returns NoSpace if the file system is full.
    Result<void> commit(std::uint64_t offset, std::uint64_t bytes);
    /// Excludes births before the adoption from overtakenBirths, because another engine was responsible for them.
    void ignoreEarlierBirths();

    /// Returns the objects of an area, which was checked to lie inside the file. Empty without the extension.
    template <class T>
    std::span<T> area(std::uint64_t ExtensionAreas::*offset, std::uint32_t ExtensionAreas::*count) const
    {
        if (!layout.extension || (*layout.extension).*count == 0)
            return {};
        return {reinterpret_cast<T *>(base + (*layout.extension).*offset), (*layout.extension).*count};
    }
};

}  // namespace ct
