// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one transition costs the target: this probe, beside the floor (reading the counter and storing one 64-byte line)
// and beside a plain version-1 write that asks the kernel for the thread id and clock_gettime for the time.
// bench_probe --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
#include "coroTracer.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/syscall.h>

namespace {

using namespace corotracer;

constexpr std::uint32_t kStations = 64;
constexpr std::uint32_t kSites = 256;
constexpr std::uint64_t kStringBytes = 1 << 16;

/// A region in shared memory, as an engine would have made it; nobody reads it. With BENCH_PROBE_FENCES in the
/// environment the engine does not fence for both sides: the probe does, as under a version-1 engine.
class Region {
public:
    Region()
    {
        m_path = "/dev/shm/bench_probe." + std::to_string(::getpid());
        const std::uint64_t table = kHeaderSize + kStations * kStationSize;
        const std::uint64_t strings = table + kSites * sizeof(SiteRecord);
        const std::uint64_t size = strings + kStringBytes;
        const int fd = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(size)) != 0)
            std::abort();
        void *base = ::mmap(nullptr, kHeaderSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (base == MAP_FAILED)
            std::abort();
        auto *header = static_cast<GlobalHeader *>(base);
        header->magic_number = kMagic;
        header->version = kVersion;
        header->max_stations.store(kStations, std::memory_order_relaxed);
        ExtensionHeader &extension = header->extension;
        extension.magic = kExtensionMagic;
        extension.version = kExtensionVersion;
        extension.size = sizeof(ExtensionHeader);
        extension.file_size = size;
        extension.stations_reserved = kStations;
        extension.site_table_offset = table;
        extension.site_capacity = kSites;
        extension.site_record_size = sizeof(SiteRecord);
        extension.strings_offset = strings;
        extension.strings_capacity = kStringBytes;
        extension.engine_fences = std::getenv("BENCH_PROBE_FENCES") == nullptr ? 1 : 0;
        ::munmap(base, kHeaderSize);
        ::close(fd);
        ::setenv("CTP_SHM_PATH", m_path.c_str(), 1);
        ::setenv("CTP_SOCK_PATH", (m_path + ".sock").c_str(), 1);
        ::setenv("CTP_MAX_STATIONS", std::to_string(kStations).c_str(), 1);
    }
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;
    ~Region()
    {
        std::error_code ignored;
        std::filesystem::remove(m_path, ignored);
    }

private:
    std::string m_path;
};

/// A coroutine that never ends, awaiting at one place. Plain: without the probe.
template <class Base>
struct Loop {
    struct promise_type : Base {
        Loop get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};
struct Plain {};

template <class Base>
Loop<Base> forever()
{
    for (;;)
        co_await std::suspend_always{};
}

/// Resume and suspend of a coroutine: two transitions when traced.
template <class Base>
void roundTrip(benchmark::State &state)
{
    const Loop<Base> loop = forever<Base>();
    for (auto _ : state)
        loop.handle.resume();
    loop.handle.destroy();
    state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK_TEMPLATE(roundTrip, Plain)->Name("coroutine_untraced_pair");
BENCHMARK_TEMPLATE(roundTrip, PromiseMixin)->Name("coroutine_traced_pair");

/// The probe's own part: write_trace, alternating.
void probeWrite(benchmark::State &state)
{
    PromiseMixin promise;
    bool active = false;
    for (auto _ : state) {
        promise.write_trace(0x1234, active, 7);
        active = !active;
    }
}
BENCHMARK(probeWrite)->Name("probe_transition");

/// Reading the counter and storing one line of 64 bytes, of eight that take turns.
void floorWrite(benchmark::State &state)
{
    struct alignas(64) Line {
        std::uint64_t words[8];
    };
    static Line lines[8];
    std::uint64_t number = 0;
    for (auto _ : state) {
        Line &line = lines[number % 8];
        const std::uint64_t now = detail::read_counter();
        for (std::uint64_t &word : line.words)
            word = now;
        benchmark::DoNotOptimize(line);
        ++number;
    }
}
BENCHMARK(floorWrite)->Name("floor_counter_and_line");

/// Version 1 as plainly as it goes: gettid from the kernel, clock_gettime, a full fence before tracer_sleeping.
void plainWrite(benchmark::State &state)
{
    static StationData station;
    static std::atomic<std::uint32_t> sleeping{0};
    std::uint64_t number = 0;
    for (auto _ : state) {
        Epoch &epoch = station.slots[number % kSlotsPerStation];
        const std::uint64_t old = epoch.seq.load(std::memory_order_relaxed);
        epoch.seq.store(old + 1, std::memory_order_release);
        epoch.addr.store(0x1234, std::memory_order_relaxed);
        epoch.tid.store(static_cast<std::uint64_t>(::syscall(SYS_gettid)), std::memory_order_relaxed);
        epoch.timestamp.store(detail::monotonic_ns(), std::memory_order_relaxed);
        epoch.is_active.store(number % 2, std::memory_order_relaxed);
        epoch.seq.store(old + 2, std::memory_order_release);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        benchmark::DoNotOptimize(sleeping.load(std::memory_order_acquire));
        ++number;
    }
}
BENCHMARK(plainWrite)->Name("plain_version_1_write");

void counterOnly(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(detail::read_counter());
}
BENCHMARK(counterOnly)->Name("counter_alone");

}  // namespace

int main(int argc, char **argv)
{
    const Region region;
    InitTracer();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
