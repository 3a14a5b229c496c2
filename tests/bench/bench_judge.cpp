// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures what the diagnosis costs: its sinks per event, next to the trace in memory, and one judgement. The target
// reports a wait for each suspension, and a signal and a wake for each resumption.
// usage: bench_judge [COROUTINES [EVENTS [OBJECTS]]]
#include "core/analysis/judge.h"
#include "tests/bench/schedulerevents.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace ct;

namespace {

constexpr std::uint32_t kPid = 1;
constexpr int kJudgements = 5;
/// The events are as far apart as at a million per second.
constexpr std::uint64_t kEventNs = 1000;

/// Adds to each suspension what it waits for, and to each resumption the signal and the wake before it.
void addCauses(Batch &batch, std::uint64_t objects)
{
    CoroutineId latest = kNoCoroutine;  // the one that ran before signals
    for (Transition &event : batch.transitions) {
        const std::uint64_t object = 0x10'0000 + event.coroutine % objects * 64;
        if (event.active) {
            batch.notes.uses.push_back(
                {latest, 0, UseKind::Signalled, object, kUnknownSite, event.ts - 100, kPid, event.tid});
            batch.notes.wakes.push_back({event.coroutine, latest, event.n, event.ts - 50, kPid, event.tid});
        } else {
            batch.notes.waits.push_back({event.coroutine, event.n, WaitKind::Channel, object});
        }
        latest = event.coroutine;
    }
}

struct Cost {
    double trace = 0;  ///< seconds
    double sinks = 0;  ///< seconds
    double judgement = 0;
};

Cost measure(std::uint32_t coroutines, std::uint64_t events, std::uint64_t objects, bool withCauses)
{
    bench::StormStream stream({"judge", coroutines, 4, true, true});
    const auto population = std::make_shared<Population>();
    History history(std::uint64_t{1} << 30);
    JudgeData data(population);
    Cost cost;
    std::uint64_t made = 0;
    std::uint64_t now = 0;
    while (made < events) {
        Batch batch = stream.next(bench::kBatch);
        for (Birth &birth : batch.births)
            birth.pid = kPid;
        for (Transition &event : batch.transitions)
            event.ts = ++made * kEventNs;
        now = batch.now = made * kEventNs;
        if (withCauses)
            addCauses(batch, objects);
        cost.trace += bench::secondsOf([&] {
            (void)population->consume(batch);
            (void)history.consume(batch);
        });
        cost.sinks += bench::secondsOf([&] { (void)data.consume(batch); });
    }
    std::vector<double> seconds;
    for (int i = 0; i < kJudgements; ++i) {
        // Each judgement is one second later, so most coroutines have waited long enough to be judged.
        const std::uint64_t at = now + (static_cast<std::uint64_t>(i) + 1) * 1'000'000'000;
        seconds.push_back(bench::secondsOf([&] { (void)judge({*population, data, history}, at); }));
    }
    std::nth_element(seconds.begin(), seconds.begin() + kJudgements / 2, seconds.end());
    cost.judgement = seconds[kJudgements / 2];
    return cost;
}

}  // namespace

int main(int argc, char **argv)
{
    const auto coroutines = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000);
    const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000'000;
    const std::uint64_t objects = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1000;
    for (const bool withCauses : {false, true}) {
        const Cost cost = measure(coroutines, events, objects, withCauses);
        const double perEvent = 1e9 / static_cast<double>(events);
        std::printf("%s: trace %.1f ns an event, sinks of the diagnosis %.1f ns an event, one judgement of %u "
                    "coroutines %.1f ms\n",
                    withCauses ? "with causes" : "without causes", cost.trace * perEvent, cost.sinks * perEvent,
                    coroutines, cost.judgement * 1e3);
        std::printf("    live, 1 M events/s, one judgement a second: %.1f %% of a core\n",
                    100 * (cost.sinks * perEvent * 1e-3 + cost.judgement));
        std::printf("    recording: %.1f %% of the time to load it into the trace\n",
                    100 * (cost.sinks + cost.judgement) / cost.trace);
    }
}
