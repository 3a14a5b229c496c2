// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/populationnotes.h"
#include "tests/core/trace/populationscene.h"
#include "tests/support/concurrently.h"

#include <random>

using namespace ct;
using namespace ct::test;

CT_CASE(namesThatFindNoMemoryAreCounted)
{
    NameTable names(300);  // room for two
    const std::uint32_t first = names.addName("first");
    const std::uint32_t second = names.addName("second");
    CHECK_EQUAL(names.overflow(), 0U);
    CHECK_EQUAL(names.addName("third"), 0U);
    CHECK_EQUAL(names.addName("third"), 0U);
    CHECK_EQUAL(names.overflow(), 2U);
    // Neither a known name nor an empty one needs memory.
    CHECK_EQUAL(names.addName("first"), first);
    CHECK_EQUAL(names.addName(""), 0U);
    CHECK_EQUAL(names.overflow(), 2U);
    CHECK_EQUAL(names.at(second), "second");
    CHECK_EQUAL(Population(10).overflowNames(), 0U);
}

CT_CASE(notesAreUnknownByDefault)
{
    Population population;
    createCoroutines(population, 1);
    for (const CoroutineId id : {CoroutineId{0}, CoroutineId{1}, kNoCoroutine}) {
        const CoroutineNotes notes = population.notes(id);
        CHECK(notes.name.empty());
        CHECK_EQUAL(notes.parent, kNoCoroutine);
        CHECK_EQUAL(notes.children, 0U);
        CHECK(!notes.waitsOn && !notes.lastWake && !notes.woken);
        CHECK_EQUAL(notes.wakes, 0U);
        CHECK(!population.hasName(id));
        CHECK_EQUAL(population.parentOf(id), kNoCoroutine);
    }
    CHECK(population.threadName(kPid, 1).empty());
    CHECK(population.drops().empty());
    CHECK(population.switches().empty());
    CHECK(Population().processes().empty());
}

CT_CASE(storesNamesOfCoroutinesAndThreads)
{
    Population population;
    createCoroutines(population, 3);
    Batch batch;
    batch.notes.names = {{0, "worker"}, {1, "worker"}, {2, "accept"}, {9, "nobody"}};
    batch.notes.threadNames = {{kPid, 5, "io"}, {kPid, 6, "cpu"}, {11, 5, "other"}};
    feed(population, batch);
    batch.clear();
    batch.notes.names = {{2, "accept again"}};
    batch.notes.threadNames = {{kPid, 6, "gpu"}};
    feed(population, batch);
    CHECK_EQUAL(population.notes(0).name, "worker");
    CHECK_EQUAL(population.notes(1).name, "worker");
    CHECK_EQUAL(population.notes(2).name, "accept again");
    CHECK(population.hasName(2));
    CHECK_EQUAL(population.threadName(kPid, 5), "io");
    CHECK_EQUAL(population.threadName(kPid, 6), "gpu");
    CHECK_EQUAL(population.threadName(11, 5), "other");
    CHECK(population.threadName(11, 6).empty());
    for (std::uint32_t tid = 0; tid < 5000; ++tid)
        batch.notes.threadNames.push_back({12, tid, std::to_string(tid)});
    feed(population, batch);
    for (std::uint32_t tid = 0; tid < 5000; ++tid)
        CHECK_EQUAL(population.threadName(12, tid), std::to_string(tid));
}

CT_CASE(parentsFormATree)
{
    Population population;
    createCoroutines(population, 5);
    feedParents(population, {{1, 0}, {2, 0}, {3, 2}, {4, 99}, {99, 4}, {4, 4}});
    CHECK_EQUAL(population.parentOf(3), 2U);
    CHECK_EQUAL(population.notes(3).parent, 2U);
    CHECK_EQUAL(population.notes(0).children, 2U);
    CHECK_EQUAL(population.parentOf(0), kNoCoroutine);
    CHECK_EQUAL(population.parentOf(4), kNoCoroutine);
    // A parent that would close a circle is ignored, whichever of the two is older.
    feedParents(population, {{0, 3}, {0, 2}, {0, 4}, {4, 3}});
    CHECK_EQUAL(population.parentOf(0), 4U);
    CHECK_EQUAL(population.parentOf(4), kNoCoroutine);
    // A new parent replaces the old one.
    feedParents(population, {{3, 1}});
    CHECK_EQUAL(population.notes(2).children, 0U);
    CHECK_EQUAL(population.notes(1).children, 1U);
}

/// Chains deeper than the limit of the search. If each birth searched upwards, this would take most of a minute.
CT_CASE(handlesDeepChains)
{
    constexpr CoroutineId kLength = 400'000;
    Population population;
    createCoroutines(population, kLength + 3);
    std::vector<Parent> parents = {{0, kLength + 2}};  // a parent younger than its child: circles are possible
    for (CoroutineId id = 1; id < kLength; ++id)
        parents.push_back({id, id - 1});
    feedParents(population, std::move(parents));
    for (CoroutineId id = 1; id < kLength; ++id)
        CHECK_EQUAL(population.parentOf(id), id - 1);
    feedParents(population, {{kLength, kLength - 1}, {0, kLength - 1}, {kLength + 2, kLength - 1}});
    CHECK_EQUAL(population.parentOf(kLength), kLength - 1);
    CHECK_EQUAL(population.parentOf(0), kLength + 2);
    CHECK_EQUAL(population.parentOf(kLength + 2), kNoCoroutine);
    // A coroutine with children at the end of such a chain: the search is too long to exclude a circle.
    feedParents(population, {{kLength, kLength + 1}, {kLength + 1, kLength - 1}});
    CHECK_EQUAL(population.parentOf(kLength), kLength + 1);
    CHECK_EQUAL(population.parentOf(kLength + 1), kNoCoroutine);
    feedParents(population, {{kLength + 1, 1000}});
    CHECK_EQUAL(population.parentOf(kLength + 1), 1000U);
}

CT_CASE(processesCountTheirCoroutines)
{
    Population population;
    Batch batch;
    batch.notes.processes = {{20, 5, "server"}};
    batch.births = {birth(0, 20), birth(1, 20), birth(2, 21), birth(3, 0)};
    feed(population, batch);
    batch.clear();
    batch.deaths = {{0, 50}, {0, 60}};
    batch.notes.processes = {{21, 6, "client"}};
    batch.notes.switches = {{21, 70, false}};
    batch.notes.processEnds = {{20, 80}, {77, 80}};
    feed(population, batch);
    std::vector<ProcessSnapshot> processes = population.processes();
    REQUIRE(processes.size() == 2);
    CHECK_EQUAL(processes[0].pid, 20U);
    CHECK_EQUAL(processes[0].name, "server");
    CHECK_EQUAL(processes[0].firstTs, 5U);
    CHECK_EQUAL(processes[0].endTs, 80U);
    CHECK_EQUAL(processes[0].coroutines, 2U);
    CHECK_EQUAL(processes[0].alive, 1U);
    CHECK(processes[0].tracing);
    CHECK_EQUAL(processes[1].name, "client");
    CHECK_EQUAL(processes[1].endTs, 0U);
    CHECK(!processes[1].tracing);
    CHECK_EQUAL(population.at(2).pid, 21U);
    CHECK_EQUAL(population.at(3).pid, 0U);

    // A pid is used again, and a process calls exec. The end of the older process comes after the start of the younger.
    batch.clear();
    batch.notes.processes = {{20, 90, "next"}, {21, 91, "exec"}};
    batch.births = {birth(4, 20), birth(5, 21)};
    batch.notes.processEnds = {{21, 92}};
    feed(population, batch);
    processes = population.processes();
    REQUIRE(processes.size() == 4);
    CHECK_EQUAL(processes[1].endTs, 92U);
    CHECK_EQUAL(processes[2].name, "next");
    CHECK_EQUAL(processes[2].endTs, 0U);
    CHECK_EQUAL(processes[2].coroutines, 1U);
    CHECK_EQUAL(processes[3].alive, 1U);
    CHECK(processes[3].tracing);

    // Each end belongs to the oldest process of its pid that has not ended.
    batch.clear();
    batch.notes.processEnds = {{21, 93}, {21, 94}, {20, 95}};
    feed(population, batch);
    batch.notes.processes = {{21, 96, "third"}};
    batch.notes.processEnds = {{21, 97}};
    feed(population, batch);
    processes = population.processes();
    REQUIRE(processes.size() == 5);
    CHECK_EQUAL(processes[1].endTs, 92U);
    CHECK_EQUAL(processes[3].endTs, 93U);
    CHECK_EQUAL(processes[2].endTs, 95U);
    CHECK_EQUAL(processes[4].endTs, 97U);
}

CT_CASE(intervalsWithTracingOffAreNotCounted)
{
    Population population;
    Batch batch;
    batch.sites = {{1, 1, 1, "a.cpp", "f()"}};
    batch.births = {birth(0, 20), birth(1, 21)};
    for (std::uint64_t n = 0; n < 3; ++n)
        for (const CoroutineId id : {0U, 1U})
            batch.transitions.push_back(transition(id, n, 100 + n * 10));
    feed(population, batch);
    CHECK_EQUAL(population.siteStatistics(1).completed, 2U);
    batch.clear();
    batch.notes.switches = {{20, 130, false}, {20, 5000, true}};
    batch.transitions = {transition(0, 3, 6000), transition(1, 3, 6000), transition(0, 4, 6010)};
    feed(population, batch);
    CHECK_EQUAL(population.at(0).suspendedNs, 10U);
    CHECK_EQUAL(population.at(0).runNs, 20U);
    CHECK_EQUAL(population.at(0).events, 5U);
    CHECK_EQUAL(population.at(1).suspendedNs, 10 + 6000 - 120U);
    CHECK_EQUAL(population.siteStatistics(1).completed, 3U);
    const std::vector<Switch> switches = population.switches();
    REQUIRE(switches.size() == 2);
    CHECK(!switches[0].on && switches[1].on);
    CHECK_EQUAL(switches[1].ts, 5000U);
    CHECK_EQUAL(switches[1].pid, 20U);
}

/// Two threads switch within one step of the harvest, which reads the later record first.
CT_CASE(switchesAreInTheOrderOfTheirTimes)
{
    Population population;
    Batch batch;
    batch.notes.switches = {{20, 140, true}, {20, 130, false}};
    feed(population, batch);
    const std::vector<Switch> switches = population.switches();
    REQUIRE(switches.size() == 2);
    CHECK(!switches[0].on && switches[1].on);
}

CT_CASE(keepsTheLatestDrops)
{
    Population population;
    Batch batch;
    for (std::uint64_t i = 0; i < 40'001; ++i) {
        batch.notes.drops.push_back({kPid, 3, i, i * 10, i * 10 + 5});
        if (i % 1000 == 0) {
            feed(population, batch);
            batch.clear();
        }
    }
    CHECK_EQUAL(population.dropCount(), 40'001U);
    const std::vector<Drop> drops = population.drops();
    REQUIRE(drops.size() == 10'000);
    CHECK_EQUAL(drops.front().records, 30'001U);
    CHECK_EQUAL(drops.back().records, 40'000U);
    CHECK_EQUAL(drops.back().firstTs, 400'000U);
    CHECK_EQUAL(drops.back().lastTs, 400'005U);
    CHECK_EQUAL(drops.back().pid, kPid);
    CHECK_EQUAL(drops.back().tid, 3U);
}

CT_CASE(notesChangeThePageOfTheirCoroutine)
{
    Population population;
    createCoroutines(population, 200);
    const auto versions = [&population] {
        std::vector<std::uint64_t> all;
        for (std::uint32_t page = 0; page < population.pageCount(); ++page)
            all.push_back(population.pageVersion(page));
        return all;
    };
    const auto changed = [&](const Notes &notes) {
        const std::vector<std::uint64_t> before = versions();
        Batch batch;
        batch.notes = notes;
        feed(population, batch);
        const std::vector<std::uint64_t> after = versions();
        std::string pages;
        for (std::size_t page = 0; page < after.size(); ++page)
            pages += after[page] != before[page] ? std::to_string(page) : "";
        return pages;
    };
    Notes notes;
    notes.names = {{70, "x"}};
    CHECK_EQUAL(changed(notes), "1");
    notes.clear();
    notes.parents = {{190, 0}};
    CHECK_EQUAL(changed(notes), "02");
    notes.clear();
    notes.wakes = {{130, 0, 1, 1, 1, 1}};
    CHECK_EQUAL(changed(notes), "2");
    notes.clear();
    notes.waits = {{64, 0, WaitKind::Lock, 1, 0}};
    CHECK_EQUAL(changed(notes), "1");
    notes.clear();
    notes.threadNames = {{1, 1, "x"}};
    CHECK_EQUAL(changed(notes), "");
}

namespace {

/// Every field of a note is a function of its number.
void checkConsistent(const Population &population, CoroutineId id)
{
    const CoroutineNotes notes = population.notes(id);
    CHECK(notes.name.empty() || notes.name == "name " + std::to_string(id) ||
          notes.name == "other name " + std::to_string(id));
    CHECK(notes.parent == kNoCoroutine || notes.parent == id / 2);
    if (notes.lastWake) {
        CHECK_EQUAL(notes.lastWake->ts, notes.lastWake->n * 10);
        CHECK_EQUAL(notes.lastWake->tid, static_cast<std::uint32_t>(notes.lastWake->n));
        CHECK(notes.lastWake->by == notes.lastWake->n % (id + 1));
        CHECK_EQUAL(notes.wakes, notes.lastWake->n);
    }
    if (notes.waitsOn) {
        CHECK_EQUAL(notes.waitsOn->object, notes.waitsOn->n * 3);
        CHECK(notes.waitsOn->kind == static_cast<WaitKind>(notes.waitsOn->n % 7));
    }
    for (const Drop &drop : population.drops())
        CHECK(drop.firstTs == drop.records && drop.lastTs == drop.records);
    for (const ProcessSnapshot &process : population.processes())
        CHECK(process.name == "p" && process.coroutines >= process.alive);
    const std::string thread = population.threadName(1, id);
    CHECK(thread.empty() || thread == std::to_string(id));
}

}  // namespace

CT_CASE(readersSeeConsistentNotesDuringWrites)
{
    constexpr CoroutineId kCoroutines = 5000;
    Population population;
    const auto read = [&population](std::mt19937 &random) {
        const std::uint32_t size = population.size();
        for (int i = 0; i < 50 && size != 0; ++i)
            checkConsistent(population, i % 2 ? random() % std::min(size, 3U) : random() % size);
    };
    std::vector<std::uint64_t> wakes(kCoroutines);
    test::readConcurrently(read, [&] {
        Batch batch;
        for (CoroutineId id = 0; id < kCoroutines; ++id) {
            batch.clear();
            if (id % 100 == 0)
                batch.notes.processes = {{id + 1, 1, "p"}};
            batch.births = {birth(id, id / 100 * 100 + 1)};
            batch.notes.names = {{id, "name " + std::to_string(id)}, {id / 2, "other name " + std::to_string(id / 2)}};
            batch.notes.parents = {{id, id / 2}};
            batch.notes.threadNames = {{1, id, std::to_string(id)}};
            batch.notes.drops = {{1, 1, id, id, id}, {1, 1, id, id, id}, {1, 1, id, id, id}, {1, 1, id, id, id}};
            for (CoroutineId i = 0; i < 20; ++i) {
                const CoroutineId to = i % 2 ? id : id % 3;
                const std::uint64_t n = ++wakes[to];
                batch.notes.wakes.push_back(
                    {to, static_cast<CoroutineId>(n % (to + 1)), n, n * 10, 1, static_cast<std::uint32_t>(n)});
                batch.notes.waits.push_back({to, n, static_cast<WaitKind>(n % 7), n * 3, kNoCoroutine});
            }
            feed(population, batch);
        }
    });
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        CHECK_EQUAL(population.notes(id).wakes, wakes[id]);
}
