// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The real probe wakes the real harvest loop over a real socket: the engine sleeps without a time-out of its own, so
// that one lost wake-up would be noticed. Where the kernel has membarrier(2), this is the path on which the engine
// fences.
#include "core/harvest/harvestloop.h"
#include "core/harvest/processfence.h"
#include "tests/support/check.h"
#include "tests/support/regions.h"

#include "coroTracer.h"

#include <cstdlib>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using ct::Batch;
using ct::HarvestLoop;
using ct::Region;

namespace {

constexpr std::uint64_t kCycles = 100'000;

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

/// True: at least one byte came. False: nothing within ten seconds.
bool waitForByte(int connection)
{
    pollfd waiting{connection, POLLIN, 0};
    if (::poll(&waiting, 1, 10'000) <= 0)
        return false;
    char bytes[64];
    return ::recv(connection, bytes, sizeof bytes, MSG_DONTWAIT) > 0;
}

/// Sleeps whenever it may until `seen` has every event; false: a wake-up was lost.
bool harvest(HarvestLoop &loop, int connection, std::atomic<std::uint64_t> &seen, std::uint64_t &sleeps)
{
    Batch batch;
    while (seen.load(std::memory_order_relaxed) < kCycles) {
        batch.clear();
        const bool quiet = loop.prepareSleep(batch);
        // Release: partner is the writer's acquire wait for its event to be seen.
        seen.fetch_add(batch.transitions.size(), std::memory_order_release);
        if (!quiet)
            continue;
        ++sleeps;
        if (!waitForByte(connection))
            return false;
        loop.cancelSleep();
    }
    return true;
}

}  // namespace

CT_CASE(theProbeNeverLosesAWakeUp)
{
    const regions::TempDir dir;
    auto region = Region::create({dir.file("r.shm"), 4});
    REQUIRE(region);
    CHECK_EQUAL(region->header().extension.engine_fences, ct::canFenceProcesses() ? 1u : 0u);
    const int server = listenAt(dir.file("r.sock"));
    REQUIRE(server >= 0);
    ::setenv("CTP_SHM_PATH", dir.file("r.shm").c_str(), 1);
    ::setenv("CTP_SOCK_PATH", dir.file("r.sock").c_str(), 1);
    ::setenv("CTP_MAX_STATIONS", "4", 1);
    corotracer::InitTracer();
    const int connection = ::accept(server, nullptr, nullptr);
    REQUIRE(connection >= 0);

    HarvestLoop loop(*region);
    std::atomic<std::uint64_t> seen{0};
    std::atomic<bool> stop{false};
    std::thread target([&] {
        corotracer::PromiseMixin promise;
        for (std::uint64_t i = 0; i < kCycles; ++i) {
            promise.write_trace(i, i % 2 == 1);
            // One event at a time: the next one comes when the engine is about to sleep again.
            while (seen.load(std::memory_order_acquire) <= i && !stop.load(std::memory_order_relaxed))
                std::this_thread::yield();
        }
    });
    std::uint64_t sleeps = 0;
    const bool complete = harvest(loop, connection, seen, sleeps);
    stop.store(true);
    target.join();
    CHECK(complete);
    CHECK(sleeps > 0);
    CHECK_EQUAL(seen.load(), kCycles);
    CHECK_EQUAL(loop.accounting().lost, 0u);
    ::close(connection);
    ::close(server);
}
