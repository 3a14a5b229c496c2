// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/watchedtime.h"
#include "core/harvest/postmortemclock.h"
#include "tests/support/check.h"

using namespace ct;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kPresent = 5'000 * kSecond;

/// Three coroutines of a process that died long ago. One has been suspended since 10 s, one since 40 s.
Batch remains()
{
    Batch batch;
    batch.now = kPresent;
    batch.notes.processes = {{7, kSecond, "target"}};
    for (CoroutineId id = 0; id < 3; ++id) {
        Birth birth;
        birth.coroutine = id;
        birth.pid = 7;
        birth.dialect = Dialect::Lane;
        birth.birthTs = 2 * kSecond;
        batch.births.push_back(birth);
    }
    for (CoroutineId id = 0; id < 2; ++id) {
        Transition suspend;
        suspend.coroutine = id;
        suspend.ts = id == 0 ? 10 * kSecond : 40 * kSecond;
        suspend.site = 1;
        batch.transitions.push_back(suspend);
    }
    return batch;
}

}  // namespace

CT_CASE(timeStopsAtTheLatestEvent)
{
    PostMortemClock clock;
    Population population;
    Batch batch = remains();
    clock.apply(batch, batch.now);
    CHECK_EQUAL(batch.now, 40 * kSecond);
    CHECK(static_cast<bool>(population.consume(batch)));
    // Ends and drops without a recorded time have the time at which the engine noticed them.
    batch.clear();
    batch.now = kPresent + kSecond;
    batch.deaths = {{2, kPresent + kSecond}};
    batch.notes.processEnds = {{7, kPresent + kSecond}};
    batch.notes.drops = {{7, 8, 1, kPresent, kPresent + kSecond}};
    clock.apply(batch, batch.now);
    CHECK_EQUAL(batch.now, 40 * kSecond);
    CHECK_EQUAL(batch.deaths[0].ts, 40 * kSecond);
    CHECK_EQUAL(batch.notes.processEnds[0].ts, 40 * kSecond);
    CHECK_EQUAL(batch.notes.drops[0].lastTs, 40 * kSecond);
    CHECK(static_cast<bool>(population.consume(batch)));
    CHECK_EQUAL(population.now(), 40 * kSecond);
    CHECK_EQUAL(WatchedTime(population, population.now()).since(7, population.at(0).since), 30 * kSecond);
}

/// A process without events, and one whose clock is ahead.
CT_CASE(noProcessEndsBeforeItBegins)
{
    PostMortemClock clock;
    Batch batch = remains();
    batch.notes.processes.push_back({8, 50 * kSecond, "idle"});
    batch.notes.processes.push_back({9, kPresent, "ahead"});
    clock.apply(batch, batch.now);
    CHECK_EQUAL(batch.now, 50 * kSecond);
    CHECK_EQUAL(batch.notes.processes[1].ts, 50 * kSecond);
    CHECK_EQUAL(batch.notes.processes[2].ts, 50 * kSecond);
    batch.clear();
    batch.now = kPresent;
    batch.notes.processEnds = {{8, 51 * kSecond}, {9, kPresent}};
    clock.apply(batch, batch.now);
    CHECK_EQUAL(batch.notes.processEnds[0].ts, 50 * kSecond);
    CHECK_EQUAL(batch.notes.processEnds[1].ts, 50 * kSecond);
}

CT_CASE(recordedTimesStayUnchanged)
{
    PostMortemClock clock;
    Batch batch = remains();
    batch.deaths = {{2, 45 * kSecond}};
    batch.notes.drops = {{7, 8, 1, 20 * kSecond, 30 * kSecond}};
    clock.apply(batch, batch.now);
    CHECK_EQUAL(batch.now, 45 * kSecond);
    CHECK_EQUAL(batch.deaths[0].ts, 45 * kSecond);
    CHECK_EQUAL(batch.notes.drops[0].firstTs, 20 * kSecond);
    CHECK_EQUAL(batch.notes.drops[0].lastTs, 30 * kSecond);
}
