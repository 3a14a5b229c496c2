// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The loop concurrently with running and killed writers of every style, against known numbers.
#include "tests/support/fullstationcapture.h"

#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using ct::Accounting;
using regions::Capture;
using regions::StreamSums;
using writers::Style;
using writers::Writer;

constexpr Style kAllStyles[] = {Style::OldSdk, Style::Ours, Style::Monotonic};

namespace {

/// Threads write while the loop makes passes. The capture ends when the writers are done.
void harvestDuringWrites(Style style, std::uint32_t stations, std::uint64_t events, std::uint32_t maxStations)
{
    Capture c(maxStations);
    constexpr std::size_t kThreads = 2;
    std::atomic<std::size_t> finished{0};
    std::atomic<std::uint64_t> emitted{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            std::vector<Writer> mine;
            for (std::uint32_t i = static_cast<std::uint32_t>(t); i < stations; i += kThreads) {
                if (corotracer::StationData *const station = writers::allocateFullStation(c.header())) {
                    mine.emplace_back(*station, style, i + 1);
                    mine.back().create();
                }
            }
            for (std::uint64_t n = 0; n < events; ++n) {
                for (Writer &writer : mine)
                    writer.write();
            }
            for (Writer &writer : mine)
                writer.destroy();
            emitted.fetch_add(mine.size() * events);
            finished.fetch_add(1, std::memory_order_release);  // partner: the acquire load below
        });
    }
    while (finished.load(std::memory_order_acquire) < kThreads)
        c.pass();
    for (std::thread &thread : threads)
        thread.join();
    c.end();
    c.checkTotals(emitted.load());
    CHECK_EQUAL(c.streamSums.flags, 0u);
    CHECK_EQUAL(c.streamSums.deaths, std::min(stations, maxStations));
    CHECK_EQUAL(c.loop.accounting().untraced, stations > maxStations ? stations - maxStations : 0u);
}

}  // namespace

CT_CASE(sumsAreExactForTenBusyStations)
{
    for (const Style style : kAllStyles)
        harvestDuringWrites(style, 10, 50'000, 100);
}

CT_CASE(sumsAreExactForAThousandBusyStations)
{
    for (const Style style : kAllStyles)
        harvestDuringWrites(style, 1000, 300, 900);
}

/// Orphans continue to write during the final drain. The sums are those of the moment when the end was decided.
CT_CASE(theEndIsExactWhileOrphansWrite)
{
    for (const Style style : kAllStyles) {
        Capture c(64);
        std::vector<Writer> all;
        for (std::uint64_t i = 0; i < 64; ++i)
            all.push_back(c.born(style, i + 1));
        std::atomic<bool> stop{false};
        std::thread orphan([&] {
            while (!stop.load(std::memory_order_relaxed)) {
                for (Writer &writer : all)
                    writer.write();
            }
        });
        for (int i = 0; i < 100; ++i)
            c.pass();
        c.end();
        const Accounting sums = c.loop.accounting();
        stop.store(true);
        orphan.join();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const StreamSums::One &one = c.streamSums.coroutines[i];
            const std::uint64_t sum = one.captured + one.lost + one.missed;
            CHECK(sum <= all[i].emitted());
            CHECK(one.captured == 0 || one.lastN <= all[i].emitted());
        }
        c.checkTotals(sums.captured + sums.lost);
        CHECK_EQUAL(c.streamSums.flags, 0u);
    }
}

/// A killed process leaves an odd seq for ever. Its published events are captured; the unfinished one does not count.
CT_CASE(aKilledWriterLeavesExactSums)
{
    Capture c(8);
    // The child is the only writer of station 0, and stores its number of published events in shared memory.
    auto *const counter = static_cast<std::atomic<std::uint64_t> *>(
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const pid_t child = ::fork();
    if (child == 0) {
        Writer writer(*writers::allocateFullStation(c.header()), Style::OldSdk, 3);
        writer.create();
        for (;;) {
            writer.write();
            counter->store(writer.emitted());
        }
    }
    REQUIRE(child > 0);
    while (counter->load() < 1000)
        c.pass();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    c.end();
    const Accounting sums = c.loop.accounting();
    const std::uint64_t emitted = sums.captured + sums.lost;
    CHECK(emitted == counter->load() || emitted == counter->load() + 1);
    CHECK_EQUAL(sums.coroutines, 1u);
    CHECK_EQUAL(c.streamSums.inversions + c.streamSums.torn + c.streamSums.flags, 0u);
    ::munmap(counter, 4096);
}
