// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures what the diagnosis costs at a million events per second: its sinks and one judgement a second, next to the
// trace in memory. The target reports a wait for each suspension, and a signal and a wake for each resumption. A tenth
// of its coroutines is never resumed. At the end, all of them stand still. Costs are times on a processor, so other
// programs disturb them little.
// usage: bench_judge [COROUTINES [EVENTS [OBJECTS]]]
#include "core/analysis/judge.h"
#include "core/base/usedtime.h"
#include "tests/bench/schedulerevents.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace ct;

namespace {

constexpr std::uint32_t kPid = 1;
/// The events are as far apart as at a million per second.
constexpr std::uint64_t kEventNs = 1000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;

/// Processor time of `work`.
template <class Work>
double secondsOf(Work &&work)
{
    const std::uint64_t before = usedByThread();
    work();
    return static_cast<double>(usedByThread() - before) * 1e-9;
}

/// Adds coroutines that are suspended at the site of the others, and stay so.
void addStuck(Batch &batch, CoroutineId first, std::uint32_t count)
{
    for (CoroutineId id = first; id < first + count; ++id) {
        Birth birth;
        birth.coroutine = id;
        birth.dialect = Dialect::Lane;
        batch.births.push_back(birth);
        Transition event;
        event.coroutine = id;
        event.seq = slotSeq(Dialect::Lane, 0);
        event.site = 1;
        event.addr = 0x9600'0000'1000 + std::uint64_t{id} * 208;
        event.tid = 4000;
        batch.transitions.push_back(event);
    }
}

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
    double trace = 0;  ///< seconds, here and below
    double sinks = 0;
    double judgement = 0;   ///< the median of those while events come
    double standstill = 0;  ///< one when nothing has happened for five seconds
};

double median(std::vector<double> &seconds)
{
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle;
}

Cost measure(std::uint32_t coroutines, std::uint64_t events, std::uint64_t objects, bool withCauses)
{
    const std::uint32_t stuck = coroutines / 10;
    bench::StormStream stream({"judge", coroutines - stuck, 4, true, true});
    const auto population = std::make_shared<Population>();
    History history(std::uint64_t{1} << 30);
    JudgeData data(population);
    Cost cost;
    std::vector<double> judgements;
    std::uint64_t made = 0;
    std::uint64_t judged = 0;  // seconds
    while (made < events) {
        Batch batch = stream.next(bench::kBatch);
        if (made == 0)
            addStuck(batch, coroutines - stuck, stuck);
        for (Birth &birth : batch.births)
            birth.pid = kPid;
        for (Transition &event : batch.transitions)
            event.ts = ++made * kEventNs;
        batch.now = made * kEventNs;
        if (withCauses)
            addCauses(batch, objects);
        cost.trace += secondsOf([&] {
            (void)population->consume(batch);
            (void)history.consume(batch);
        });
        cost.sinks += secondsOf([&] { (void)data.consume(batch); });
        if (batch.now / kSecondNs > judged) {
            judged = batch.now / kSecondNs;
            judgements.push_back(secondsOf([&] { (void)judge({*population, data, history}, batch.now); }));
        }
    }
    std::vector<double> atTheEnd(5);
    for (double &seconds : atTheEnd)
        seconds = secondsOf([&] { (void)judge({*population, data, history}, made * kEventNs + 5 * kSecondNs); });
    cost.standstill = median(atTheEnd);
    cost.judgement = judgements.empty() ? cost.standstill : median(judgements);
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
        std::printf("%s: trace %.1f ns an event, sinks of the diagnosis %.1f ns an event; one judgement of %u "
                    "coroutines %.1f ms, at a standstill %.1f ms\n",
                    withCauses ? "with causes" : "without causes", cost.trace * perEvent, cost.sinks * perEvent,
                    coroutines, cost.judgement * 1e3, cost.standstill * 1e3);
        std::printf("    live, one judgement a second: %.1f %% of a core at 1 M events/s, %.1f %% at a standstill\n",
                    100 * (cost.sinks * perEvent * 1e-3 + cost.judgement), 100 * cost.standstill);
        std::printf("    recording: %.1f %% of the time to load it into the trace\n",
                    100 * (cost.sinks + cost.standstill) / cost.trace);
    }
}
