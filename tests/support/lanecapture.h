// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A region with lanes, a harvest loop over it, and the sums of its stream. Payloads are checked against lanewriter.h.
#pragma once

#include "tests/support/check.h"
#include "tests/support/harvestloop.h"
#include "tests/support/lanewriter.h"
#include "tests/support/regions.h"
#include "tests/support/sums.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>

namespace lanecapture {

using lanewriter::Coroutine;
using lanewriter::Lane;
using lanewriter::Process;

inline void steps(Coroutine &coroutine, Lane &lane, int count)
{
    for (int i = 0; i < count; ++i)
        coroutine.step(lane);
}

/// The stream per coroutine and in total, checked against the rules of streams.
struct StreamSums {
    struct One {
        std::uint64_t key = 0, birthTs = 0, captured = 0, lost = 0, missed = 0, next = 0, deaths = 0, deathTs = 0,
                      ts = 0;
        std::uint32_t station = 0, generation = 0, pid = 0, lastTid = 0;
        bool active = false;
        std::uint64_t sum() const { return captured + lost + missed; }
    };
    std::vector<One> coroutines;  ///< indexed by CoroutineId
    std::uint64_t captured = 0, lost = 0, missed = 0, deaths = 0;
    std::uint64_t inversions = 0, torn = 0, broken = 0;
    std::set<std::uint64_t> identities;
    ct::Notes notes;
    std::uint64_t largest = 0;  ///< transitions in the largest batch
    bool realTime = false;      ///< times come from the clock and are not functions of the number

    void add(const ct::Batch &batch)
    {
        largest = std::max<std::uint64_t>(largest, batch.transitions.size());
        for (const ct::Birth &birth : batch.births) {
            broken += birth.coroutine != coroutines.size() || birth.dialect != ct::Dialect::Lane;
            broken += birth.station < corotracer::kCompactBase || birth.generation == 0;
            broken += !identities.insert(std::uint64_t{birth.generation} << 32 | birth.station).second;
            One one;
            one.key = birth.probeId;
            one.birthTs = birth.birthTs;
            one.station = birth.station;
            one.generation = birth.generation;
            one.pid = birth.pid;
            coroutines.push_back(one);
        }
        for (const ct::Loss &loss : batch.losses) {
            One &one = coroutines.at(loss.coroutine);
            (loss.beforeAttach ? one.missed : one.lost) += loss.count;
            (loss.beforeAttach ? missed : lost) += loss.count;
            broken += loss.count == 0;
        }
        for (const ct::Transition &transition : batch.transitions)
            addTransition(transition);
        // Notes concern known coroutines that did not die in an earlier batch. Wakes may, if they are later.
        for (const ct::CoroutineName &name : batch.notes.names)
            addNote(name.coroutine);
        for (const ct::Parent &parent : batch.notes.parents)
            addNote(parent.coroutine);
        for (const ct::WaitsOn &waits : batch.notes.waits)
            addNote(waits.coroutine);
        for (const ct::Wake &wake : batch.notes.wakes)
            broken += wake.coroutine >= coroutines.size() ||
                      (coroutines[wake.coroutine].deaths != 0 && wake.ts <= coroutines[wake.coroutine].deathTs);
        for (const ct::WakersLeft &left : batch.notes.wakersLeft)
            addNote(left.coroutine);
        for (const ct::Finish &finish : batch.notes.finishes)
            addNote(finish.coroutine);
        for (const ct::Use &use : batch.notes.uses) {
            if (use.by != ct::kNoCoroutine)
                addNote(use.by);
        }
        for (const ct::Death &death : batch.deaths) {
            One &one = coroutines.at(death.coroutine);
            broken += ++one.deaths != 1;
            one.deathTs = death.ts;
            ++deaths;
        }
        const auto append = [](auto &to, const auto &from) { to.insert(to.end(), from.begin(), from.end()); };
        append(notes.processes, batch.notes.processes);
        append(notes.threadNames, batch.notes.threadNames);
        append(notes.names, batch.notes.names);
        append(notes.parents, batch.notes.parents);
        append(notes.waits, batch.notes.waits);
        append(notes.wakes, batch.notes.wakes);
        append(notes.uses, batch.notes.uses);
        append(notes.wakersLeft, batch.notes.wakersLeft);
        append(notes.finishes, batch.notes.finishes);
        append(notes.drops, batch.notes.drops);
        append(notes.switches, batch.notes.switches);
        append(notes.processEnds, batch.notes.processEnds);
    }
    void checkOrder() const
    {
        CHECK_EQUAL(inversions, 0u);
        CHECK_EQUAL(torn, 0u);
        CHECK_EQUAL(broken, 0u);
        for (const One &one : coroutines)
            CHECK(one.sum() >= one.next);
    }
    const One *byKey(std::uint64_t key) const
    {
        const One *found = nullptr;
        for (const One &one : coroutines)
            found = one.key == key ? &one : found;
        return found;
    }

private:
    void addNote(ct::CoroutineId of) { broken += of >= coroutines.size() || coroutines[of].deaths != 0; }
    void addTransition(const ct::Transition &transition)
    {
        One &one = coroutines.at(transition.coroutine);
        inversions += transition.n < one.next;
        broken += one.deaths != 0;
        const bool active = writers::activeOf(transition.n);
        const std::uint64_t addr = active ? 0 : writers::addrOf(one.key, transition.n);
        // Without a captured birth, the key is unknown.
        torn += (!realTime && transition.ts != writers::tsOf(transition.n)) || transition.active != active ||
                (one.key != 0 && transition.addr != addr) || (realTime && transition.ts < one.ts);
        one.ts = transition.ts;
        one.next = transition.n + 1;
        one.lastTid = transition.tid;
        one.active = transition.active;
        ++one.captured;
        ++captured;
    }
};

struct Capture {
    explicit Capture(std::uint32_t stations = 4096, std::uint32_t laneRecords = 2048,
                     std::uint64_t pool = std::uint64_t{4} << 20)
        : region(make(dir, stations, laneRecords, pool)), loop(std::in_place, *region, isAlive())
    {
    }
    static std::unique_ptr<ct::Region> make(const regions::TempDir &dir, std::uint32_t stations,
                                            std::uint32_t laneRecords, std::uint64_t pool)
    {
        ct::RegionSpec spec;
        spec.path = dir.file("r.shm");
        spec.stations = stations;
        spec.laneBytes = std::uint64_t{laneRecords} * sizeof(corotracer::LaneRecord);
        spec.lanePoolBytes = pool;
        auto created = ct::Region::create(spec);
        REQUIRE(created);
        return std::make_unique<ct::Region>(std::move(*created));
    }
    ct::IsAlive isAlive()
    {
        return [this](std::uint32_t pid, std::uint64_t) { return !dead.count(pid); };
    }
    corotracer::GlobalHeader &header() { return *region->writableHeader(); }
    /// Switches the region to overwrite mode. An engine notices the mode at restart().
    void setOverwriteMode() { header().extension.lane_mode = corotracer::kLanesOverwrite; }
    Process process(std::uint32_t pid = 100) { return Process(header(), pid, 1); }
    bool pass(bool safety = false)
    {
        batch.clear();
        if (safety)
            loop->safetyPass(batch);
        else
            loop->pass(batch);
        streamSums.add(batch);
        return loop->hasMore() || !batch.empty();
    }
    /// Runs a pass as if it had read its clock at `ns`, and the lanes now.
    void passBegunAt(std::uint64_t ns)
    {
        batch.clear();
        loop->passBegunAt(ns, batch);
        streamSums.add(batch);
    }
    /// Runs passes until one emits nothing and has nothing left to read.
    void scanAll(bool safety = false)
    {
        pass(safety);
        for (int i = 0; i < 10'000 && pass(); ++i) {
        }
    }
    /// Drains to the end and checks the sums. Calls `between` before each part of the drain.
    void end(const std::function<void()> &between = {})
    {
        for (bool done = false; !done;) {
            if (between)
                between();
            batch.clear();
            done = loop->finalDrain(batch);
            streamSums.add(batch);
        }
        checkSums();
    }
    void checkSums() { sums::check(streamSums, loop->accounting()); }
    void checkTotals(std::uint64_t emitted)
    {
        const ct::Accounting sums = loop->accounting();
        CHECK_EQUAL(sums.captured + sums.lost + sums.missedBeforeAttach, emitted);
        CHECK_EQUAL(streamSums.captured, sums.captured);
        CHECK_EQUAL(streamSums.lost, sums.lost);
        CHECK_EQUAL(streamSums.missed, sums.missedBeforeAttach);
        CHECK_EQUAL(streamSums.coroutines.size(), sums.coroutines);
        streamSums.checkOrder();
    }
    /// Replaces the engine by a new one. `between` gets the path of the region while no process has it open. Pointers
    /// into the old mapping become invalid.
    void restart(const std::function<void(const std::string &)> &between = {},
                 ct::RegionUse use = ct::RegionUse::Harvest)
    {
        loop.reset();
        const std::string path = region->path();
        region.reset();
        if (between)
            between(path);
        auto opened = ct::Region::open(path, use);
        REQUIRE(opened);
        region = std::make_unique<ct::Region>(std::move(*opened));
        loop.emplace(*region, isAlive());
        streamSums = {};
    }

    regions::TempDir dir;
    std::set<std::uint32_t> dead;
    std::unique_ptr<ct::Region> region;
    std::optional<HarvestLoop> loop;
    ct::Batch batch;
    StreamSums streamSums;
};

/// A thread of a process and a coroutine that was born on it. Use it as: auto [c, process, lane, one] = OneThread().
struct OneThread {
    Capture c;
    Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
};

/// Two threads of a process, and a coroutine that was born on the first one.
struct TwoThreads {
    Capture c;
    Process process = c.process();
    Lane lane = *process.claimLane(1), other = *process.claimLane(2);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
};

/// Runs `count` coroutines with four events each, one after the other, in one compact station. In overwrite mode, most
/// of them leave no record. Returns the number of events.
inline std::uint64_t runShortLivedCoroutines(const Process &process, Lane &lane, std::uint64_t count)
{
    for (std::uint64_t key = 1; key <= count; ++key) {
        Coroutine one = *Coroutine::create(process, lane, key, 1);
        steps(one, lane, 4);
        one.destroy(lane, 2);
    }
    return 4 * count;
}

/// Reads the leftovers of a dead process with three engines, one after the other, each to the end. The second engine
/// reads everything first. Calls `afterEach()` after each engine.
template <class Callback>
void readLeftovers(Capture &c, std::uint32_t pid, Callback afterEach)
{
    c.dead.insert(pid);
    for (const bool readsAll : {false, true, false}) {
        c.restart();
        if (readsAll)
            c.scanAll(true);
        c.end();
        afterEach();
    }
}

/// Makes safety passes until `done()`. The verdict on a process needs a second check, some time after the first.
template <class Condition>
void scanUntil(Capture &c, Condition done)
{
    while (!done()) {
        c.pass(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace lanecapture
