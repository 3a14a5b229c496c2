// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The peer for captures of version-1 targets: the simplest possible reader. It visits all eight slots of all stations
// without a pause, and captures each new event. Prints its counts as JSON.
//
//   peer_reader STATIONS PROGRAM [ARG...]
#include "corotracer/layout.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace corotracer;

struct Event {
    std::uint64_t ts, tid, addr, seq;
    bool active;
};

class Reader {
public:
    Reader(const GlobalHeader &header, std::uint32_t stations)
        : m_header(header), m_stations(reinterpret_cast<const StationData *>(&header + 1)), m_seen(stations)
    {
    }

    void pass()
    {
        const std::size_t count = std::min<std::size_t>(m_header.allocated_count.load(), m_seen.size());
        for (std::size_t station = 0; station < count; ++station) {
            for (std::size_t slot = 0; slot < kSlotsPerStation; ++slot)
                readSlot(m_stations[station].slots[slot], m_seen[station][slot]);
        }
    }

    std::uint64_t captured() const { return m_captured; }
    std::uint64_t emitted() const
    {
        std::uint64_t sum = 0;
        for (std::size_t station = 0; station < m_seen.size(); ++station) {
            for (const Epoch &slot : m_stations[station].slots)
                sum += slot.seq.load() / 2;
        }
        return sum;
    }

private:
    void readSlot(const Epoch &slot, std::uint64_t &seen)
    {
        const std::uint64_t seq = slot.seq.load(std::memory_order_acquire);
        if (seq == seen || seq % 2 != 0)
            return;
        const Event event{slot.timestamp.load(std::memory_order_acquire), slot.tid.load(std::memory_order_acquire),
                          slot.addr.load(std::memory_order_acquire), seq,
                          slot.is_active.load(std::memory_order_acquire) != 0};
        if (slot.seq.load(std::memory_order_relaxed) != seq)
            return;
        seen = seq;
        m_ring[m_captured++ % m_ring.size()] = event;
    }

    const GlobalHeader &m_header;
    const StationData *m_stations;
    std::vector<std::array<std::uint64_t, kSlotsPerStation>> m_seen;
    std::array<Event, 4096> m_ring{};
    std::uint64_t m_captured = 0;
};

}  // namespace

int main(int argc, char **argv)
{
    const auto stations = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[1]) : 0);
    if (stations == 0) {
        std::fprintf(stderr, "usage: peer_reader STATIONS PROGRAM [ARG...]\n");
        return 2;
    }
    std::string path = "/dev/shm/peer_reader-XXXXXX";
    const int file = ::mkstemp(path.data());
    const std::size_t size = kHeaderSize + stations * kStationSize;
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(size)) != 0)
        return 1;
    void *base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (base == MAP_FAILED)
        return 1;
    auto &header = *static_cast<GlobalHeader *>(base);
    header.magic_number = kMagic;
    header.version = kVersion;
    header.max_stations = stations;
    ::setenv("CTP_SHM_PATH", path.c_str(), 1);
    ::setenv("CTP_SOCK_PATH", (path + ".sock").c_str(), 1);
    ::setenv("CTP_MAX_STATIONS", argv[1], 1);
    const pid_t child = ::fork();
    if (child == 0) {
        ::execv(argv[2], argv + 2);
        ::_exit(127);
    }
    Reader reader(header, stations);
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0)
        reader.pass();
    reader.pass();
    rusage own{};
    ::getrusage(RUSAGE_SELF, &own);
    std::printf("{\"captured\": %llu, \"emitted\": %llu, \"cpu_s\": %.3f}\n",
                static_cast<unsigned long long>(reader.captured()), static_cast<unsigned long long>(reader.emitted()),
                static_cast<double>(own.ru_utime.tv_sec) + static_cast<double>(own.ru_utime.tv_usec) / 1e6);
    ::unlink(path.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
