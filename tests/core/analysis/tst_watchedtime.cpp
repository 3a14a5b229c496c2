// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/watchedtime.h"
#include "tests/support/check.h"

using namespace ct;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSecond = 1'000 * kMs;
constexpr std::uint32_t kPid = 10;
constexpr std::uint32_t kOther = 11;

struct Watched {
    Population population;

    void feed(const Batch &batch) { CHECK(static_cast<bool>(population.consume(batch))); }
    void switched(std::vector<Switch> switches)
    {
        Batch batch;
        batch.notes.switches = std::move(switches);
        feed(batch);
    }
    void sampled(std::vector<ProcessSample> samples)
    {
        Batch batch;
        batch.notes.processSamples = std::move(samples);
        feed(batch);
    }
    void processBegins(std::uint64_t ts, const char *name)
    {
        Batch batch;
        batch.notes.processes = {{kPid, ts, name}};
        feed(batch);
    }
    void processEnds(std::uint64_t ts)
    {
        Batch batch;
        batch.notes.processEnds = {{kPid, ts}};
        feed(batch);
    }
    std::uint64_t since(std::uint64_t since, std::uint64_t now, std::uint32_t pid = kPid) const
    {
        return WatchedTime(population, now).since(pid, since);
    }
};

}  // namespace

CT_CASE(timesWithoutTracingDoNotCount)
{
    Watched watched;
    watched.switched({{kPid, 10 * kSecond + 300 * kMs, false}});
    CHECK_EQUAL(watched.since(10 * kSecond, 60 * kSecond), 300 * kMs);
    CHECK_EQUAL(watched.since(10 * kSecond, 60 * kSecond, kOther), 50 * kSecond);
    CHECK_EQUAL(WatchedTime(watched.population, 60 * kSecond).tracedSince(kPid), WatchedTime::kOff);
    watched.switched({{kPid, 60 * kSecond, true}});
    CHECK_EQUAL(watched.since(10 * kSecond, 61 * kSecond), 1300 * kMs);
    CHECK_EQUAL(WatchedTime(watched.population, 61 * kSecond).tracedSince(kPid), 60 * kSecond);
}

/// A limit of the observer effect makes many of them.
CT_CASE(manyTimesWithoutTracingDoNotCount)
{
    Watched watched;
    std::vector<Switch> switches;
    for (std::uint64_t i = 0; i < 20; ++i) {
        const std::uint64_t off = 8 * kSecond + i * 500 * kMs;
        switches.push_back({kPid, off, false});
        switches.push_back({kPid, off + 500 * kMs - (i < 10 ? 5 : 400 * kMs), true});
    }
    watched.switched(std::move(switches));
    // Off until 13 s, but for six times 5 ns; then 100 ms of each 500 ms until 18 s.
    const std::uint64_t from = 10 * kSecond + 250 * kMs;
    CHECK_EQUAL(watched.since(from, 20 * kSecond), 7 * kSecond + 30 - 10 * 100 * kMs);
    CHECK_EQUAL(watched.since(from, 13 * kSecond + 500 * kMs), 400 * kMs + 30);
}

CT_CASE(stoppedTimesDoNotCount)
{
    Watched watched;
    watched.sampled({{kPid, 10 * kSecond + 400 * kMs, 0, 1, 10 * kSecond + 300 * kMs}, {kOther, 10 * kSecond, 0, 1}});
    CHECK_EQUAL(watched.since(10 * kSecond, 60 * kSecond), 300 * kMs);
    CHECK_EQUAL(watched.since(10 * kSecond, 60 * kSecond, kOther), 50 * kSecond);
    // Tracing is off in a part of that time, and a little longer. Each ns counts once.
    watched.switched({{kPid, 59 * kSecond, false}, {kPid, 60 * kSecond + 100 * kMs, true}});
    watched.sampled({{kPid, 60 * kSecond, 0, 1}});
    CHECK_EQUAL(watched.since(10 * kSecond, 61 * kSecond), 1200 * kMs);
}

/// A probe of version 1 writes no pid.
CT_CASE(coroutinesWithoutAPidAreOfTheOnlyProcess)
{
    Watched watched;
    watched.sampled({{kPid, 11 * kSecond, 0, 1, 10 * kSecond}});
    CHECK_EQUAL(watched.since(10 * kSecond, 60 * kSecond, 0), 0U);
    watched.sampled({{kOther, 12 * kSecond, 0, 1}});
    CHECK_EQUAL(watched.since(10 * kSecond, 60 * kSecond, 0), 50 * kSecond);  // it may be of either
}

CT_CASE(timeStopsAtTheEndOfAProcess)
{
    Watched watched;
    watched.processBegins(kSecond, "first");
    watched.processEnds(10 * kSecond + 400 * kMs);
    CHECK_EQUAL(watched.since(5 * kSecond, 1000 * kSecond), 5 * kSecond + 400 * kMs);
    CHECK_EQUAL(watched.since(11 * kSecond, 1000 * kSecond), 0U);
    // The next process with that pid.
    watched.processBegins(20 * kSecond, "again");
    CHECK_EQUAL(watched.since(30 * kSecond, 1000 * kSecond), 970 * kSecond);
    CHECK_EQUAL(watched.since(5 * kSecond, 1000 * kSecond), 5 * kSecond + 400 * kMs);
}

CT_CASE(timeStopsWhenAProcessCallsExec)
{
    Watched watched;
    watched.processBegins(kSecond, "before");
    watched.processBegins(10 * kSecond + 200 * kMs, "after");
    CHECK_EQUAL(watched.since(10 * kSecond, 1000 * kSecond), 200 * kMs);
    CHECK_EQUAL(watched.since(11 * kSecond, 1000 * kSecond), 989 * kSecond);
}

CT_CASE(noTimePassesBeforeItsBegin)
{
    const Watched watched;
    CHECK_EQUAL(watched.since(10 * kSecond, 10 * kSecond), 0U);
    CHECK_EQUAL(watched.since(10 * kSecond, 0), 0U);
    CHECK_EQUAL(watched.since(0, ~0ULL), ~0ULL);
}
