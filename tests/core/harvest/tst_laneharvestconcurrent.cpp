// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Producers on several threads, coroutines that move between them, and a concurrent harvest, on one thread or on
// two: the sums are exact.
#include "tests/support/lanecapture.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

using lanecapture::Capture;
using lanewriter::Coroutine;
using lanewriter::Lane;
using lanewriter::Process;

namespace {

/// Coroutines on their way from one thread to another.
class Queue {
public:
    void push(Coroutine coroutine)
    {
        const std::lock_guard lock(m_mutex);
        m_all.push_back(coroutine);
    }
    std::optional<Coroutine> pop()
    {
        const std::lock_guard lock(m_mutex);
        if (m_all.empty())
            return std::nullopt;
        const Coroutine front = m_all.front();
        m_all.pop_front();
        return front;
    }

private:
    std::mutex m_mutex;
    std::deque<Coroutine> m_all;
};

std::uint64_t nowNs()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Uses the real time, because lanes are merged by time.
void stepNow(Coroutine &coroutine, Lane &lane)
{
    const std::uint64_t n = coroutine.events();
    const bool active = writers::activeOf(n);
    coroutine.transition(lane, {active ? corotracer::kRecordResume : corotracer::kRecordSuspend, nowNs(),
                                coroutine.identity(), active ? 0 : writers::addrOf(coroutine.key(), n), n, 0});
}

struct Run {
    std::size_t threads = 3;
    std::uint64_t births = 300;  ///< per thread
    std::uint64_t events = 60;   ///< per coroutine
    std::size_t alive = 40;
    std::uint32_t laneRecords = 2048;
    bool waits = true;        ///< producers wait for room, so nothing is dropped
    bool separately = false;  ///< the collector has a thread of its own
};

/// Each thread fetches a coroutine from the queue, runs it for a few steps, and puts it back for any thread.
void produce(const Process &process, Queue &queue, const Run &run, std::uint64_t thread,
             std::atomic<std::uint64_t> &emitted, std::atomic<std::size_t> &alive)
{
    Lane lane = *process.claimLane(thread + 1);
    const auto makeRoom = [&] {
        // Acquire; partner: the engine's release store of tail.
        while (run.waits &&
               lane.position() + 64 > lane.ring().header->tail.load(std::memory_order_acquire) + lane.ring().capacity)
            std::this_thread::yield();
    };
    std::uint64_t born = 0, total = 0;
    while (born < run.births || alive.load(std::memory_order_relaxed) != 0) {
        makeRoom();
        if (born < run.births && alive.load(std::memory_order_relaxed) < run.alive) {
            alive.fetch_add(1, std::memory_order_relaxed);
            ++born;
            if (auto made = Coroutine::create(process, lane, thread * 1'000'000 + born, 0, &nowNs))
                queue.push(*made);
            else
                alive.fetch_sub(1, std::memory_order_relaxed);
        }
        std::optional<Coroutine> coroutine = queue.pop();
        if (!coroutine) {
            std::this_thread::yield();
            continue;
        }
        for (int i = 0; i < 4 && coroutine->events() < run.events; ++i, ++total)
            stepNow(*coroutine, lane);
        if (coroutine->events() < run.events) {
            queue.push(*coroutine);
        } else {
            coroutine->destroy(lane, nowNs());
            alive.fetch_sub(1, std::memory_order_relaxed);
        }
    }
    lane.close(1);
    emitted.fetch_add(total, std::memory_order_relaxed);
}

std::uint64_t harvestDuringRun(Capture &c, const Run &run)
{
    c.streamSums.realTime = true;
    const Process process = c.process();
    Queue queue;
    std::atomic<std::uint64_t> emitted{0};
    std::atomic<std::size_t> alive{0}, finished{0};
    std::mutex making;  // lanewriter makes one lane at a time
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < run.threads; ++t) {
        const std::lock_guard lock(making);
        threads.emplace_back([&, t] {
            produce(process, queue, run, t, emitted, alive);
            finished.fetch_add(1, std::memory_order_release);  // partner: the acquire load below
        });
        // Start the next thread once this one has its lane.
        while (c.header().extension.lane_count.load(std::memory_order_acquire) <= t)
            std::this_thread::yield();
        while (process.laneHeader(static_cast<std::uint32_t>(t)).state.load(std::memory_order_acquire) ==
               corotracer::kLaneMaking)
            std::this_thread::yield();
    }
    if (run.separately)
        c.loop->separate();
    while (finished.load(std::memory_order_acquire) < run.threads) {
        if (!c.pass())
            std::this_thread::yield();
    }
    for (std::thread &thread : threads)
        thread.join();
    c.end();
    return emitted.load();
}

}  // namespace

CT_CASE(hoppingCoroutinesAreTotallyCaptured)
{
    for (const bool separately : {false, true}) {
        Capture c;
        Run run;
        run.separately = separately;
        const std::uint64_t emitted = harvestDuringRun(c, run);
        CHECK_EQUAL(emitted, run.threads * run.births * run.events);
        c.checkTotals(emitted);
        CHECK_EQUAL(c.streamSums.captured, emitted);
        CHECK_EQUAL(c.streamSums.coroutines.size(), run.threads * run.births);
        CHECK_EQUAL(c.streamSums.deaths, run.threads * run.births);
        CHECK_EQUAL(c.loop->accounting().recordsDropped, 0u);
    }
}

/// Lanes too small for the rate: records are dropped, including births and deaths. The sums are exact.
CT_CASE(droppingThreadsHaveExactSums)
{
    for (const bool separately : {false, true}) {
        Capture c(4096);
        Run run;
        run.separately = separately;
        run.waits = false;
        run.births = 1000;
        run.threads = 2;
        const std::uint64_t emitted = harvestDuringRun(c, run);
        c.checkTotals(emitted);
        CHECK_EQUAL(c.streamSums.coroutines.size(), run.threads * run.births);
        CHECK_EQUAL(c.streamSums.deaths, run.threads * run.births);
    }
}

/// The end is decided while threads continue to write.
CT_CASE(theEndIsExactWhileThreadsWrite)
{
    for (const bool separately : {false, true}) {
        Capture c;
        if (separately)
            c.loop->separate();
        c.streamSums.realTime = true;
        const Process process = c.process();
        std::atomic<bool> stop{false};
        std::vector<Lane> lanes{*process.claimLane(1), *process.claimLane(2)};
        std::vector<std::vector<Coroutine>> all(2);
        for (std::size_t t = 0; t < 2; ++t) {
            for (std::uint64_t i = 0; i < 20; ++i)
                all[t].push_back(*Coroutine::create(process, lanes[t], t * 100 + i + 1, 1));
        }
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 2; ++t) {
            threads.emplace_back([&, t] {
                while (!stop.load(std::memory_order_relaxed)) {
                    for (Coroutine &coroutine : all[t])
                        stepNow(coroutine, lanes[t]);
                }
            });
        }
        for (int i = 0; i < 200; ++i)
            c.pass();
        c.end();
        const ct::Accounting sums = c.loop->accounting();
        stop.store(true, std::memory_order_relaxed);
        for (std::thread &thread : threads)
            thread.join();
        c.checkTotals(sums.captured + sums.lost);
        for (const auto &one : c.streamSums.coroutines)
            CHECK(one.sum() <= all[one.key / 100][one.key % 100 - 1].events());
    }
}
