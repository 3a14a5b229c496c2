// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Regions for the benchmarks of the probe, and what each benchmark sets up: with or without lanes, switched off, or
// without an engine.
#pragma once

#include "coroTracer.h"
#include "tests/support/lanelayout.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

namespace probebench {

using namespace corotracer;

inline constexpr std::uint32_t kStations = 64;
inline constexpr std::uint32_t kLines = 200'000;
inline constexpr std::uint32_t kLaneRecords = (16U << 20) / sizeof(LaneRecord);
inline constexpr std::uint32_t kLanes = 4;
inline constexpr std::uint64_t kPoolBytes = 1ULL << 30;  // sparse

/// A region in shared memory with the layout that an engine creates. With lanes, a thread does the minimum of an
/// engine: it checks the last record of each block and stores the tail. If BENCH_PROBE_FENCES is set in the
/// environment, engine_fences is 0 and the probe fences itself, as under a version-1 engine.
class Region {
public:
    explicit Region(bool lanes)
        : m_fd(::memfd_create("bench_probe", MFD_CLOEXEC)), m_path("/proc/self/fd/" + std::to_string(m_fd))
    {
        lanelayout::Sizes sizes;
        sizes.mode = lanes ? kLanesDiscard : kLanesNone;
        sizes.compactStations = kLines;
        sizes.laneRecords = kLaneRecords;
        sizes.poolBytes = kPoolBytes;
        sizes.lanes = kLanes;
        sizes.processes = 1;
        sizes.stations = kStations;
        sizes.engineFences = std::getenv("BENCH_PROBE_FENCES") == nullptr;
        m_size = lanelayout::layOut(sizes, *std::make_unique<GlobalHeader>());
        if (m_fd < 0 || ::ftruncate(m_fd, static_cast<off_t>(m_size)) != 0)
            std::abort();
        void *base = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_SHARED, m_fd, 0);
        if (base == MAP_FAILED)
            std::abort();
        m_base = static_cast<char *>(base);
        (void)lanelayout::layOut(sizes, *static_cast<GlobalHeader *>(base));
        if (lanes)
            m_drain = std::jthread([this](const std::stop_token &stop) { drain(stop); });
    }
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;
    /// Does not unmap: the lanes of other threads lie in the mapping until the process ends.
    ~Region() { ::close(m_fd); }

    /// Starts a new tracing session of this process, in this region.
    void use() const
    {
        leave();
        ::setenv("CTP_SHM_PATH", m_path.c_str(), 1);
        ::setenv("CTP_SOCK_PATH", "/nonexistent/engine.sock", 1);
        ::setenv("CTP_MAX_STATIONS", std::to_string(kStations).c_str(), 1);
        auto *header = reinterpret_cast<GlobalHeader *>(m_base);
        header->allocated_count.store(0, std::memory_order_relaxed);
        reinterpret_cast<ProcessEntry *>(m_base + header->extension.process_table_offset)->state.store(kProcessFree);
        InitTracer();
    }
    /// Resets the probe to the state of a process without a session.
    static void leave()
    {
        detail::leave_lane(nullptr);
        detail::page_v2.session.store(0);
        detail::page_v2.attached.store(0);
    }
    std::uint64_t dropped() const
    {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < kLanes; ++i)
            sum += lane(i).dropped.load(std::memory_order_acquire);
        return sum;
    }

private:
    LaneHeader &lane(std::uint32_t index) const
    {
        const auto &extension = reinterpret_cast<const GlobalHeader *>(m_base)->extension;
        return reinterpret_cast<LaneHeader *>(m_base + extension.lane_directory_offset)[index];
    }
    void drain(const std::stop_token &stop) const
    {
        while (!stop.stop_requested()) {
            for (std::uint32_t i = 0; i < kLanes; ++i)
                drainLane(lane(i));
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
    }
    void drainLane(LaneHeader &lane) const
    {
        const std::uint32_t state = lane.state.load(std::memory_order_acquire);
        const std::uint32_t capacity = lane.records.load(std::memory_order_acquire);
        if (capacity == 0)
            return;
        const auto *records = reinterpret_cast<const LaneRecord *>(m_base + lane.offset.load());
        std::uint64_t tail = lane.tail.load(std::memory_order_relaxed);
        const auto written = [&](std::uint64_t position) {
            return (records[position % capacity].commit.load(std::memory_order_acquire) & 0xF) ==
                   lane_lap(position, capacity);
        };
        while (written(tail | (kLaneBlock - 1)))
            tail = (tail | (kLaneBlock - 1)) + 1;
        if (state == kLaneClosed) {
            while (written(tail))
                ++tail;
        }
        lane.tail.store(tail, std::memory_order_release);
        if (state == kLaneClosed)
            lane.state.store(kLaneFree, std::memory_order_release);
    }

    int m_fd;
    std::string m_path;  ///< path of an unnamed file, so a killed benchmark leaves no file
    std::uint64_t m_size = 0;
    char *m_base = nullptr;
    std::jthread m_drain;
};

inline std::unique_ptr<Region> g_stations;
inline std::unique_ptr<Region> g_lanes;

inline void withStations(const benchmark::State &)
{
    g_stations->use();
}
inline void withLanes(const benchmark::State &)
{
    g_lanes->use();
}
inline void noEngine(const benchmark::State &)
{
    Region::leave();
}
inline void switchedOff(const benchmark::State &)
{
    g_lanes->use();
    enable(false);
}
inline void switchedOn(const benchmark::State &)
{
    enable(true);
}

}  // namespace probebench
