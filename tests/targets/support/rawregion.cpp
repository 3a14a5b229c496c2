// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rawregion.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace targets {

namespace {

int connectTo(const char *path)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (std::strlen(path) >= sizeof(address.sun_path))
        return -1;
    std::strcpy(address.sun_path, path);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0) {
        ::close(fd);
        return -1;
    }
    return fd;
}

std::size_t mappingSize(const char *stations, SizeIn arithmetic)
{
    static_assert(corotracer::kHeaderSize == 1024 && corotracer::kStationSize == 1024);
    if (arithmetic == SizeIn::Usize)
        return 1024 + std::strtoull(stations, nullptr, 10) * 1024;
    // Computes in unsigned arithmetic, then converts to signed: the defined equivalent of the overflow.
    const std::uint32_t wrapped = 1024U + static_cast<std::uint32_t>(std::atoi(stations)) * 1024U;
    return static_cast<std::size_t>(static_cast<std::int32_t>(wrapped));
}

}  // namespace

std::optional<RawRegion> RawRegion::fromEnvironment(bool connectSocket, SizeIn arithmetic)
{
    const char *shm = std::getenv("CTP_SHM_PATH");
    const char *sock = std::getenv("CTP_SOCK_PATH");
    const char *count = std::getenv("CTP_MAX_STATIONS");
    if (shm == nullptr || sock == nullptr || count == nullptr)
        return std::nullopt;
    const std::size_t size = mappingSize(count, arithmetic);
    const int fd = ::open(shm, O_RDWR | O_CLOEXEC);
    struct stat status = {};
    const bool large = fd >= 0 && ::fstat(fd, &status) == 0 && static_cast<std::size_t>(status.st_size) >= size;
    void *mapped = large ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (mapped == MAP_FAILED)
        std::fprintf(stderr, "cannot map %s: %s\n", shm, fd >= 0 && !large ? "too short" : std::strerror(errno));
    if (fd >= 0)
        ::close(fd);
    if (mapped == MAP_FAILED)
        return std::nullopt;
    RawRegion region;
    region.m_bytes = static_cast<std::byte *>(mapped);
    region.m_size = size;
    region.m_path = shm;
    if (connectSocket)
        region.m_socket = connectTo(sock);
    return region;
}

RawRegion::RawRegion(RawRegion &&other) noexcept
    : m_bytes(std::exchange(other.m_bytes, nullptr)),
      m_size(other.m_size),
      m_socket(std::exchange(other.m_socket, -1)),
      m_path(std::move(other.m_path))
{
}

RawRegion::~RawRegion()
{
    if (m_bytes != nullptr)
        ::munmap(m_bytes, m_size);
    if (m_socket >= 0)
        ::close(m_socket);
}

corotracer::GlobalHeader &RawRegion::header() const
{
    return *reinterpret_cast<corotracer::GlobalHeader *>(m_bytes);
}

corotracer::StationData *RawRegion::stations() const
{
    return reinterpret_cast<corotracer::StationData *>(m_bytes + corotracer::kHeaderSize);
}

corotracer::StationData *RawRegion::allocate() const
{
    // The header may promise more stations than the environment did. The mapping ends where the environment said.
    const std::uint64_t mapped = (m_size - corotracer::kHeaderSize) / corotracer::kStationSize;
    const std::uint32_t limit = header().max_stations.load(std::memory_order_acquire);
    const std::uint32_t index = header().allocated_count.fetch_add(1, std::memory_order_relaxed);
    return index < limit && index < mapped ? stations() + index : nullptr;
}

void RawRegion::wakeEngine() const
{
    // seq_cst, like the caller's store before it. Partner: the engine's store of tracer_sleeping before its last pass.
    std::uint32_t sleeping = 1;
    if (header().tracer_sleeping.load(std::memory_order_seq_cst) != 1 ||
        !header().tracer_sleeping.compare_exchange_strong(sleeping, 0, std::memory_order_seq_cst) || m_socket < 0)
        return;
    [[maybe_unused]] const auto sent = ::send(m_socket, "1", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::uint64_t monotonicNs()
{
    timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t threadId()
{
    return static_cast<std::uint64_t>(::syscall(SYS_gettid));
}

}  // namespace targets
