// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// More coroutines than a trace has room for: the remaining ones and their events are counted.
#include "core/trace/history.h"
#include "core/trace/population.h"
#include "tests/core/trace/historytest.h"

#include <atomic>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ct;
using test::birth;
using test::transition;

namespace {

/// `count` coroutines from `first` on. Each suspends, resumes and suspends.
Batch coroutinesFrom(CoroutineId first, CoroutineId count)
{
    Batch batch;
    for (CoroutineId id = first; id < first + count; ++id)
        batch.births.push_back(birth(id));
    for (std::uint64_t n = 0; n < 3; ++n) {
        for (CoroutineId id = first; id < first + count; ++id)
            batch.transitions.push_back(transition(id, n, 1000 + n * 100 + id));
    }
    batch.now = 5000;
    return batch;
}

void feed(Sink &sink, const Batch &batch)
{
    CHECK(static_cast<bool>(sink.consume(batch)));
}

std::uint64_t eventsKept(const Population &population)
{
    std::uint64_t events = 0;
    for (CoroutineId id = 0; id < population.size(); ++id)
        events += population.at(id).events;
    return events;
}

}  // namespace

CT_CASE(countsOverflowOfCoroutinesAndEvents)
{
    Population population(3);
    feed(population, coroutinesFrom(0, 2));
    CHECK_EQUAL(population.overflow().coroutines, 0U);
    CHECK_EQUAL(population.overflow().events, 0U);
    feed(population, coroutinesFrom(2, 4));
    CHECK_EQUAL(population.size(), 3U);
    CHECK_EQUAL(population.overflow().coroutines, 3U);
    CHECK_EQUAL(population.overflow().events, 9U);
    // Later events of coroutines with and without a record.
    Batch more;
    more.transitions = {transition(1, 3, 2000), transition(5, 3, 2001), transition(3, 3, 2002)};
    feed(population, more);
    CHECK_EQUAL(population.overflow().coroutines, 3U);
    CHECK_EQUAL(population.overflow().events, 11U);
    CHECK_EQUAL(population.captured(), 21U);
    CHECK_EQUAL(eventsKept(population) + population.overflow().events, population.captured());
}

CT_CASE(rowsOfOverflowCoroutinesAreOnlyCounted)
{
    Population population(2);
    feed(population, coroutinesFrom(0, 4));
    Batch batch;
    batch.losses = {{1, 3, 5, false}, {3, 3, 7, false}, {2, 3, 9, true}};
    batch.deaths = {{0, 3000}, {3, 3001}};
    batch.flags = {{2, Flag::Reason::TwoWriters}};
    batch.notes.names = {{3, "nobody"}};
    batch.notes.parents = {{1, 3}, {3, 1}};
    batch.notes.wakes = {{3, 1, 3, 2500, 7, 8}};
    batch.notes.waits = {{2, 2, WaitKind::Lock, 5, kNoCoroutine}};
    batch.now = 6000;
    feed(population, batch);
    CHECK_EQUAL(population.size(), 2U);
    CHECK_EQUAL(population.lost(), 12U);  // captured and lost include all coroutines
    CHECK_EQUAL(population.at(1).lost, 5U);
    CHECK_EQUAL(population.alive(), 1U);
    CHECK_EQUAL(population.parentOf(1), kNoCoroutine);
    CHECK_EQUAL(population.overflow().coroutines, 2U);
    CHECK_EQUAL(population.overflow().events, 6U);
}

CT_CASE(historyCountsOverflow)
{
    History history(test::kSmallest, 0, 3);
    feed(history, coroutinesFrom(0, 2));
    CHECK_EQUAL(history.overflow().events, 0U);
    feed(history, coroutinesFrom(2, 4));
    CHECK_EQUAL(history.overflow().coroutines, 3U);
    CHECK_EQUAL(history.overflow().events, 9U);
    CHECK_EQUAL(history.eventCount(), 9U);
    CHECK_EQUAL(test::all(history, 2).size(), 3U);
    CHECK_EQUAL(test::all(history, 3).size(), 0U);
    CHECK_EQUAL(history.evictedEvents(), 0U);
}

CT_CASE(overflowOfTwoPartsIsTheLargerOne)
{
    Accounting sums;
    Overflow{3, 40}.together({5, 60}).addTo(sums);
    CHECK_EQUAL(sums.overflowCoroutines, 5U);
    CHECK_EQUAL(sums.overflowEvents, 60U);
    Overflow{3, 40}.together({}).addTo(sums);
    CHECK_EQUAL(sums.overflowCoroutines, 3U);
    CHECK_EQUAL(sums.overflowEvents, 40U);
}

CT_CASE(anEvictionInProgressIsNoticed)
{
    OverflowCounter counter;
    counter.addCoroutine();
    const Overflow before = counter.load();
    CHECK(!counter.hasEvictedSince(before));
    counter.beginEviction();
    CHECK(counter.hasEvictedSince(before));
    CHECK(counter.hasEvictedSince(counter.load()));
    counter.addEnded(2, 3, 4);
    const Overflow inside = counter.load();
    CHECK(counter.hasEvictedSince(inside));
    counter.endEviction();
    CHECK(counter.hasEvictedSince(before));
    CHECK(counter.hasEvictedSince(inside));
    CHECK(!counter.hasEvictedSince(counter.load()));
}

/// Coroutines with two events each. The sums agree with each other, and also with the records, unless an overflow was
/// noticed.
CT_CASE(sumsOfOneMomentHaveWholeEvictionsOnly)
{
    constexpr CoroutineId kAtOnce = 512;
    constexpr std::uint64_t kEnough = 300;
    Population population(1U << 20, {4096, 4096});
    const Overflow first = population.overflow();
    CHECK(!population.hasEvictedSince(first));
    std::atomic<bool> isOver{false};
    std::thread writer([&] {
        CoroutineId born = 0;
        while (!isOver.load(std::memory_order_relaxed) && born + kAtOnce < (CoroutineId{1} << 20)) {
            Batch batch;
            for (CoroutineId id = born; id < born + kAtOnce; ++id) {
                batch.births.push_back(birth(id));
                batch.transitions.push_back(transition(id, 0, 1000));
                batch.transitions.push_back(transition(id, 1, 1001));
                batch.deaths.push_back({id, 1002});
            }
            batch.now = 2000;
            born += kAtOnce;
            feed(population, batch);
        }
        isOver.store(true, std::memory_order_relaxed);
    });
    std::uint64_t moments = 0;
    const auto compare = [&] {
        const Overflow sums = population.overflow();
        std::uint64_t gone = 0;
        for (CoroutineId id = 0; id < population.size() && !population.isKept(id); id += Population::kPageSize)
            gone += Population::kPageSize;
        CHECK(sums.coroutines <= sums.ended);
        if (population.hasEvictedSince(sums))
            return;
        moments += gone > 0 ? 1 : 0;
        CHECK_EQUAL(sums.coroutines, gone);
        CHECK_EQUAL(sums.ended, gone);
        CHECK_EQUAL(sums.events, 2 * gone);
    };
    while (!isOver.load(std::memory_order_relaxed) && moments < kEnough)
        compare();
    isOver.store(true, std::memory_order_relaxed);
    writer.join();
    compare();
    CHECK(moments > 0);
    CHECK(population.hasEvictedSince(first));
}

// Sanitizers map more address space than any limit.
#if !CT_ADDRESS_SANITIZER && !CT_THREAD_SANITIZER
/// Runs in a child with 100 MiB of address space left. One array of the records reserves more than half of it, and the
/// other one more than half of the rest. So there is room for 262,144 coroutines, and none for a thread.
CT_CASE(aShortAddressSpaceCausesOverflow)
{
    constexpr CoroutineId kBorn = 300'000;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const Batch batch = coroutinesFrom(0, kBorn);
        std::uint64_t pages = 0;
        std::FILE *const statm = std::fopen("/proc/self/statm", "r");
        const bool isRead = statm && std::fscanf(statm, "%lu", &pages) == 1;
        const rlim_t limit = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (100U << 20);
        const rlimit space{limit, limit};
        if (!isRead || ::setrlimit(RLIMIT_AS, &space) != 0)
            ::_exit(2);
        Population population;
        feed(population, batch);
        const bool exact = population.size() + population.overflow().coroutines == kBorn &&
                           eventsKept(population) + population.overflow().events == population.captured();
        ::_exit(exact && population.overflow().coroutines != 0 && check::failures == 0 ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WEXITSTATUS(status), 0);
}
#endif
