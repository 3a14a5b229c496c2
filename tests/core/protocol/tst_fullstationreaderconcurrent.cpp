// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Readers concurrent with writers, for thread sanitizer and for the sums: every event is genuine and in order, and
// captured + lost = emitted.
#include "core/protocol/fullstationreader.h"
#include "tests/support/check.h"
#include "tests/support/writers.h"

#include <memory>
#include <thread>
#include <vector>

using corotracer::StationData;
using writers::Style;
using writers::Writer;

namespace {

struct Outcome {
    std::uint64_t captured = 0, lost = 0, inversions = 0, torn = 0, faults = 0;
};

/// Reads every station in turn until the writers are done, then once more.
Outcome readDuringWrites(std::vector<Writer> &all, std::vector<ct::StationCursor> &cursors,
                         const std::atomic<bool> &done)
{
    Outcome outcome;
    ct::StationReading reading;
    std::vector<std::uint64_t> lastN(all.size(), 0);
    for (bool last = false; !last;) {
        last = done.load(std::memory_order_acquire);  // partner: the release store after the join
        for (std::size_t i = 0; i < all.size(); ++i) {
            do {
                ct::readStation(all[i].station(), cursors[i], reading);
                for (std::uint32_t k = 0; k < reading.lossCount; ++k)
                    outcome.lost += reading.losses[k].count;
                for (std::uint32_t k = 0; k < reading.eventCount; ++k) {
                    outcome.inversions += lastN[i] != 0 && reading.events[k].n <= lastN[i];
                    outcome.torn += !writers::isGenuine(reading.events[k], all[i].key());
                    lastN[i] = reading.events[k].n;
                }
                outcome.captured += reading.eventCount;
            } while (last && !reading.empty());
            outcome.faults += cursors[i].fault != ct::StationFault::None;
        }
    }
    return outcome;
}

void run(Style style, std::size_t stations, std::uint64_t events)
{
    std::vector<std::unique_ptr<StationData>> memory;
    std::vector<Writer> all;
    std::vector<ct::StationCursor> cursors;
    for (std::size_t i = 0; i < stations; ++i) {
        memory.push_back(std::make_unique<StationData>());
        all.emplace_back(*memory.back(), style, i + 1);
        all.back().create();
        cursors.push_back(ct::openStation(*memory.back(), false));
    }
    std::atomic<bool> done{false};
    std::thread writing([&] {
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 2; ++t) {
            threads.emplace_back([&, t] {
                for (std::uint64_t n = 0; n < events; ++n) {
                    for (std::size_t i = t; i < all.size(); i += 2)
                        all[i].write();
                    if (n % 1024 == 0)
                        std::this_thread::yield();
                }
            });
        }
        for (std::thread &thread : threads)
            thread.join();
        done.store(true, std::memory_order_release);
    });
    const Outcome outcome = readDuringWrites(all, cursors, done);
    writing.join();
    std::uint64_t emitted = 0;
    for (const Writer &writer : all)
        emitted += writer.emitted();
    CHECK_EQUAL(emitted, stations * events);
    CHECK_EQUAL(outcome.captured + outcome.lost, emitted);
    CHECK_EQUAL(outcome.inversions, 0u);
    CHECK_EQUAL(outcome.torn, 0u);
    CHECK_EQUAL(outcome.faults, 0u);
    CHECK(outcome.captured > 0);
}

}  // namespace

CT_CASE(oldSdkSumsAreExactWithOneStation)
{
    run(Style::OldSdk, 1, 500'000);
}
CT_CASE(probeSumsAreExactWithOneStation)
{
    run(Style::Ours, 1, 500'000);
}
CT_CASE(monotonicSumsAreExactWithOneStation)
{
    run(Style::Monotonic, 1, 500'000);
}
CT_CASE(oldSdkSumsAreExactWithManyStations)
{
    run(Style::OldSdk, 64, 5'000);
}
CT_CASE(probeSumsAreExactWithManyStations)
{
    run(Style::Ours, 64, 5'000);
}
CT_CASE(monotonicSumsAreExactWithManyStations)
{
    run(Style::Monotonic, 64, 5'000);
}
