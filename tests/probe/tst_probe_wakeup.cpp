// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The real probe wakes the real harvest loop over a real socket. The engine sleeps without its own time-out, so one
// lost wake-up would be noticed. Where the kernel has membarrier(2), the engine fences.
#include "core/region/processfence.h"
#include "tests/probe/probetest.h"
#include "tests/support/check.h"
#include "tests/support/harvestloop.h"
#include "tests/support/regions.h"

#include "coroTracer.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <random>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using ct::Batch;
using ct::Region;

namespace {

constexpr std::uint64_t kCycles = 100'000;
constexpr std::uint64_t kStressCycles = 60'000;

int listenAt(const std::string &path)
{
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const bool listens =
        ::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 && ::listen(fd, 4) == 0;
    return listens ? fd : -1;
}

/// Returns true if at least one byte came, and false after ten seconds without one.
bool waitForByte(int connection)
{
    pollfd waiting{connection, POLLIN, 0};
    if (::poll(&waiting, 1, 10'000) <= 0)
        return false;
    char bytes[64];
    return ::recv(connection, bytes, sizeof bytes, MSG_DONTWAIT) > 0;
}

void spin(int turns)
{
    for (; turns > 0; --turns)
        std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// State shared by the two threads.
struct Shared {
    std::atomic<std::uint64_t> seen{0};  ///< events; release, partner: the target's acquire wait for its event
    std::atomic<bool> slept{false};      ///< the latest event came after the engine's announcement; relaxed: see `seen`
    std::atomic<bool> stop{false};
};

/// Stores to distant cache lines. While they wait in the store buffer, the store that publishes the next event waits,
/// too, but the following load of the flag does not. This extends the window that only a fence closes to a microsecond.
class ColdStores {
public:
    void operator()()
    {
        for (int i = 0; i < 40; ++i)
            m_memory[m_random() % m_memory.size()] = 1;
    }

private:
    std::minstd_rand m_random{7};
    std::vector<char> m_memory = std::vector<char>(std::size_t{64} << 20U);
};

/// Sleeps whenever it may, `delay` turns after each event, until it has seen `total` events. Returns false if a wake-up
/// was lost.
bool harvest(HarvestLoop &loop, int connection, Shared &shared, std::uint64_t total, int delay)
{
    Batch batch;
    bool slept = false;
    while (shared.seen.load(std::memory_order_relaxed) < total) {
        batch.clear();
        const bool quiet = loop.prepareSleep(batch);
        if (!batch.transitions.empty()) {
            shared.slept.store(std::exchange(slept, false), std::memory_order_relaxed);
            shared.seen.fetch_add(batch.transitions.size(), std::memory_order_release);
            spin(delay);
        }
        if (!quiet)
            continue;
        slept = true;
        if (!waitForByte(connection))
            return false;
        loop.cancelSleep();
    }
    return true;
}

/// An engine with its own region, and this process's probe connected to it.
struct Connected {
    Connected(bool lanes, bool engineFences)
    {
        ct::RegionSpec spec;
        spec.lanes = lanes;
        spec.path = dir.file("r.shm");
        spec.stations = 4;
        region = Region::create(spec);
        server = listenAt(dir.file("r.sock"));
        if (!region || server < 0)
            return;
        if (!engineFences)
            region->writableHeader()->extension.engine_fences = 0;
        ::setenv("CTP_SHM_PATH", spec.path.c_str(), 1);
        ::setenv("CTP_SOCK_PATH", dir.file("r.sock").c_str(), 1);
        ::setenv("CTP_MAX_STATIONS", "4", 1);
        corotracer::InitTracer();
        connection = ::accept(server, nullptr, nullptr);
    }
    ~Connected()
    {
        ::close(connection);
        ::close(server);
    }

    const regions::TempDir dir;
    ct::Result<Region> region = ct::Error{ct::ErrorCode::NotFound, "not created"};
    int server = -1;
    int connection = -1;
};

/// Publishes one event at a time, when the engine is about to sleep. With `stress`, the target adjusts its delay to hit
/// that moment, based on the results of earlier events.
void run(std::uint64_t cycles, bool lanes, bool stress, bool engineFences = ct::canFenceProcesses())
{
    constexpr int kDelay = 3000;
    Connected both(lanes, engineFences);
    REQUIRE(both.region);
    REQUIRE(both.connection >= 0);
    CHECK_EQUAL(both.region->header().extension.engine_fences, engineFences ? 1u : 0u);
    HarvestLoop loop(*both.region);
    Shared shared;
    std::thread target([&] {
        corotracer::PromiseMixin promise;
        ColdStores stores;
        std::minstd_rand random(3);
        int delay = 0;
        for (std::uint64_t i = 0; i < cycles; ++i) {
            if (stress) {
                spin(delay + static_cast<int>(random() % 200));
                stores();
            }
            promise.write_trace(i, i % 2 == 1);
            for (int turns = 0; shared.seen.load(std::memory_order_acquire) <= i; ++turns) {
                if (shared.stop.load(std::memory_order_relaxed))
                    return;
                if (turns > 1000)
                    std::this_thread::yield();
            }
            delay = std::clamp(delay + (shared.slept.load(std::memory_order_relaxed) ? -10 : 10), 0, 2 * kDelay);
        }
    });
    const bool complete = harvest(loop, both.connection, shared, cycles, stress ? kDelay : 0);
    shared.stop.store(true);
    target.join();
    CHECK(complete);
    CHECK_EQUAL(shared.seen.load(), cycles);
    CHECK_EQUAL(loop.accounting().lost, 0u);
}

/// From now on, this thread's membarrier(2) fails with EPERM. Returns false if the system cannot filter system calls.
bool refuseMembarrier()
{
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{std::size(program), program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

CT_CASE(theProbeNeverLosesAWakeUp)
{
    probetest::inChild([] { run(kCycles, true, false); });
}

/// Fails within seconds if the engine does not fence, or fences elsewhere than between its store and its loads.
CT_CASE(storesThatLagLoseNoWakeUp)
{
    probetest::inChild([] { run(kStressCycles, true, true); });
}
CT_CASE(storesThatLagLoseNoWakeUpWithoutLanes)
{
    probetest::inChild([] { run(kStressCycles, false, true); });
}

/// Fails if the probe relies on a fence that the engine does not issue.
CT_CASE(storesThatLagLoseNoWakeUpWithoutTheBarrier)
{
    for (const bool lanes : {true, false})
        probetest::inChild([lanes] { run(kStressCycles, lanes, true, false); });
}

CT_CASE(anEngineThatCannotFenceStaysAwake)
{
    if (!ct::canFenceProcesses())
        CHECK_SKIP("this kernel has no membarrier(2)");
    const regions::TempDir dir;
    auto region = Region::create({dir.file("r.shm"), 4});
    REQUIRE(region);
    HarvestLoop loop(*region);
    Batch batch;
    CHECK(loop.prepareSleep(batch));
    loop.cancelSleep();
    bool isRefused = false;
    bool sleeps = false;
    // On a separate thread, because the filter lasts as long as the thread.
    std::thread([&] {
        isRefused = refuseMembarrier();
        sleeps = loop.prepareSleep(batch);
    }).join();
    if (!isRefused)
        CHECK_SKIP("this kernel has no filter of system calls");
    CHECK(!sleeps);
    CHECK_EQUAL(region->header().tracer_sleeping.load(), corotracer::kEngineAwake);
}

/// A process that the engine's barrier does not reach must fence itself.
CT_CASE(aProbeThatCannotRegisterFences)
{
    const probetest::Region offered;
    probetest::inChild([] {
        if (!refuseMembarrier())
            CHECK_SKIP("this kernel has no filter of system calls");
        corotracer::InitTracer();
        CHECK(corotracer::detail::page_v2.session.load() != 0);
        CHECK_EQUAL(corotracer::detail::page_v2.session.load() & corotracer::detail::engine_fences_bit, 0u);
    });
}
