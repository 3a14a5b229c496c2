// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/eventcost.h"

#include "corotracer/clock.h"
#include "corotracer/layout.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ct {

namespace {

constexpr std::size_t kRecords = 2048;
constexpr std::size_t kStations = 256;
constexpr std::size_t kEvents = 8192;  ///< of one round
constexpr std::size_t kRounds = 15;

/// A lane and compact stations of this process alone.
struct Target {
    std::array<corotracer::LaneRecord, kRecords> lane;
    std::array<corotracer::CompactState, kStations> stations;
    std::atomic<std::uint32_t> engineSleeps{0};
    std::uint64_t woken = 0;
};

/// The same stores as PromiseMixin::publish(), in the same order.
void writeEvent(Target &target, std::uint64_t event)
{
    constexpr auto kRelaxed = std::memory_order_relaxed;
    constexpr auto kRelease = std::memory_order_release;
    corotracer::LaneRecord &record = target.lane[event % kRecords];
    corotracer::CompactState &station = target.stations[event / 2 % kStations];
    const std::uint64_t now = corotracer::detail::read_counter();
    record.ts.store(now, kRelaxed);
    record.identity.store(event, kRelaxed);
    record.arg.store(event, kRelaxed);
    record.commit.store(event, kRelease);
    station.seq.store(2 * event + 1, kRelaxed);
    station.ts.store(now, kRelease);
    station.addr.store(event, kRelease);
    station.what.store(event, kRelease);
    station.tid.store(event, kRelease);
    station.seq.store(2 * event + 2, kRelease);
    if (target.engineSleeps.load(kRelaxed) != 0)
        ++target.woken;
}

}  // namespace

double measureEventNs()
{
    using Clock = std::chrono::steady_clock;
    const auto target = std::make_unique<Target>();
    std::array<double, kRounds> rounds{};
    for (double &ns : rounds) {
        const Clock::time_point start = Clock::now();
        for (std::uint64_t event = 0; event < kEvents; ++event)
            writeEvent(*target, event);
        ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kEvents;
    }
    // The median: the first rounds touch new memory, and others may be interrupted.
    std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
    return rounds[kRounds / 2];
}

}  // namespace ct
