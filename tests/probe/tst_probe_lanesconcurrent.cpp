// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several threads, coroutines that move between them, births and deaths everywhere, and a concurrent reader. Every
// event is in a lane exactly once, or counted. Meant for thread sanitizer.
#include "tests/probe/lanetest.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace {

using namespace lanetest;
using probetest::inChild;

/// Coroutines in slots. Each thread picks one, resumes and suspends it a few times, and puts it back or ends it. None
/// is born while another one runs, so there are no records of parents.
class Pool {
public:
    explicit Pool(std::size_t count) : m_slots(count) {}

    void run(std::uint32_t seed, std::uint32_t steps)
    {
        for (std::uint32_t i = 0; i < steps; ++i) {
            seed = seed * 1664525 + 1013904223;
            const std::size_t index = (seed >> 8) % m_slots.size();
            const std::unique_lock lock(m_slots[index].mutex, std::try_to_lock);
            if (!lock)
                continue;
            std::unique_ptr<Traced> &promise = m_slots[index].promise;
            if (!promise) {
                promise = std::make_unique<Traced>();
                born.fetch_add(promise->is_traced() ? 1 : 0, std::memory_order_relaxed);
            }
            for (std::uint32_t event = 0; event < (seed >> 28 & ~1U); ++event) {
                promise->write_trace(seed, event % 2 == 0, 5);
                written.fetch_add(promise->is_traced() ? 1 : 0, std::memory_order_relaxed);
            }
            if ((seed >> 24) % 4 == 0) {
                died.fetch_add(promise->is_traced() ? 1 : 0, std::memory_order_relaxed);
                promise.reset();
            }
        }
    }
    std::atomic<std::uint64_t> written{0}, born{0}, died{0};  ///< count traced coroutines only

private:
    struct Slot {
        std::mutex mutex;
        std::unique_ptr<Traced> promise;
    };
    std::vector<Slot> m_slots;
};

void runThreads(Pool &pool, int rounds, const std::function<void()> &action)
{
    std::atomic<int> running{0};
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::thread> threads;
        for (std::uint32_t seed = 1; seed <= 3; ++seed) {
            running.fetch_add(1);
            threads.emplace_back([&pool, &running, seed, round] {
                pool.run(seed + 10 * static_cast<std::uint32_t>(round), 4000);
                running.fetch_sub(1);
            });
        }
        while (running.load() != 0)
            action();
        for (std::thread &thread : threads)
            thread.join();
    }
}

CT_CASE(noRecordIsDroppedWhileLanesHaveSpace)
{
    const Region region(Options{.compactStations = 256, .laneRecords = 1 << 17, .poolBytes = 1 << 30});
    inChild([&] {
        corotracer::InitTracer();
        Ledger ledger;
        std::uint64_t written = 0;
        {
            Pool pool(100);
            runThreads(pool, 3, [&] { ledger.add(drainAll(region)); });
            written = pool.written.load();
        }
        ledger.add(drainAll(region));
        CHECK_EQUAL(ledger.transitions, written);
        CHECK_EQUAL(ledger.dropped, 0U);
        CHECK_EQUAL(ledger.born(), ledger.dead());
        ledger.checkComplete();
        CHECK(region.compactStations() <= 100 + 4 * corotracer::detail::kept_stations);
        CHECK_EQUAL(region.extension().births_without_station.load(), 0U);
        CHECK(region.lanes() <= 10);  // three at a time, not always free for the next three, plus the main thread's
    });
}

CT_CASE(droppedRecordsAreCounted)
{
    const Region region(Options{.compactStations = 20'000});
    inChild([&] {
        corotracer::InitTracer();
        Ledger ledger;
        Pool pool(100);
        const auto dropped = [&region] {
            std::uint64_t sum = 0;
            for (std::uint32_t i = 0; i < region.lanes(); ++i)
                sum += region.lane(i).dropped.load();
            return sum;
        };
        int turn = 0;
        runThreads(pool, 3, [&] {
            if (dropped() != 0 && ++turn % 64 == 0)
                ledger.add(drainAll(region));
            std::this_thread::yield();
        });
        ledger.add(drainAll(region));
        CHECK(dropped() > 0);
        CHECK(ledger.dropped <= dropped());  // drops at the end of a thread have no drop record
        CHECK_EQUAL(ledger.transitions + ledger.born() + ledger.dead() + dropped() +
                        region.extension().records_without_lane.load(),
                    pool.written.load() + pool.born.load() + pool.died.load());
    });
}

/// Without lanes, the engine offers some stations in advance. A burst of births does not wait for the engine.
CT_CASE(theProbeOffersFullStations)
{
    constexpr std::uint32_t kThreads = 4;
    constexpr std::uint32_t kEach = 1500;
    const Region region(Options{.mode = kLanesNone, .stations = kThreads * kEach});
    region.header().max_stations.store(8);
    inChild([&] {
        corotracer::InitTracer();
        std::atomic<std::uint32_t> traced{0};
        std::vector<std::deque<Traced>> all(kThreads);
        std::vector<std::thread> threads;
        for (std::uint32_t i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                for (std::uint32_t n = 0; n < kEach; ++n) {
                    events(all[i].emplace_back(), 2);
                    traced += all[i].back().is_traced() ? 1 : 0;
                }
            });
        }
        for (std::thread &thread : threads)
            thread.join();
        CHECK_EQUAL(traced.load(), kThreads * kEach);
        CHECK_EQUAL(region.header().max_stations.load(), kThreads * kEach);
        CHECK_EQUAL(region.header().allocated_count.load(), kThreads * kEach);
        for (std::uint32_t i = 0; i < kThreads * kEach; ++i)
            CHECK_EQUAL(region.station(i).slots[1].seq.load(), 2U);
        const Traced oneTooMany;
        CHECK(!oneTooMany.is_traced());
        CHECK_EQUAL(region.header().max_stations.load(), kThreads * kEach);
    });
}

/// A reader gets whole present states. All fields are functions of the number.
CT_CASE(compactStationsAreNeverTorn)
{
    const Region region(Options{.mode = kLanesOverwrite});
    inChild([&] {
        corotracer::InitTracer();
        Traced promise;
        std::atomic<bool> done{false};
        std::uint64_t written = 0;
        std::thread writer([&] {
            for (std::uint64_t n = 0; n < 60'000 || !done.load(); ++n, ++written)
                promise.write_trace(n * 3, n % 2 == 1, static_cast<std::uint32_t>(n & 0xFFFF));
        });
        for (std::uint64_t good = 0; good < 1000;) {
            const CompactState &state = region.compactStation(0);
            const std::uint64_t seq = state.seq.load(std::memory_order_acquire);
            const std::uint64_t addr = state.addr.load(std::memory_order_acquire);
            const std::uint64_t what = state.what.load(std::memory_order_acquire);
            if (seq == 0 || seq % 2 == 1 || state.seq.load(std::memory_order_relaxed) != seq)
                continue;
            const std::uint64_t n = seq / 2 - 1;
            CHECK_EQUAL(addr, n * 3);
            CHECK_EQUAL(what & 0xFFFF'FFFF, n & 0xFFFF);
            CHECK_EQUAL(what >> 32, n % 2 == 1 ? std::uint64_t{kRecordResume} : std::uint64_t{kRecordSuspend});
            ++good;
        }
        done.store(true);
        writer.join();
        CHECK_EQUAL(region.compactStation(0).seq.load(), 2 * written);
    });
}

CT_CASE(allThreadsMaySwitchTracingAtOnce)
{
    const Region region(Options{.compactStations = 4096, .laneRecords = 1 << 17, .poolBytes = 1 << 30});
    inChild([&] {
        corotracer::InitTracer();
        Ledger ledger;
        {
            Pool pool(50);
            std::uint32_t turn = 0;
            runThreads(pool, 2, [&] {
                ++turn;
                corotracer::enable(turn % 3 != 0);
                region.header().tracer_sleeping.store(turn % 5 == 0 ? kEnginePaused : kEngineAwake);
                ledger.add(drainAll(region));
                std::this_thread::yield();
            });
            region.header().tracer_sleeping.store(kEngineAwake);
            corotracer::enable(true);
        }
        ledger.add(drainAll(region));
        ledger.checkComplete();
        CHECK_EQUAL(ledger.dropped, 0U);
        std::uint64_t left = 0;
        for (std::uint32_t i = 0; i < region.compactStations(); ++i)
            left += region.life(i) == kCompactAlive ? 1 : 0;
        CHECK_EQUAL(left, 0U);
    });
}

}  // namespace
