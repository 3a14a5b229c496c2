// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The totals of a flight recorder: coroutines without any record, unfinished writes of killed threads, and events that
// are written while engines attach and end.
#include "tests/support/lanecapture.h"
#include "tests/support/sanitizers.h"

#include <atomic>

using namespace lanecapture;

namespace {

constexpr std::uint64_t kKey = 100'000;
constexpr int kVisits = CT_THREAD_SANITIZER ? 6 : 20;  ///< of engines that come and go

std::uint64_t total(const Capture &c)
{
    const ct::Accounting sums = c.loop->accounting();
    return sums.captured + sums.lost + sums.missedBeforeAttach;
}

std::uint64_t generations(const Capture &c)
{
    const ct::Accounting sums = c.loop->accounting();
    return sums.coroutines + sums.coroutinesMissed;
}

}  // namespace

/// The thread was killed after an event's record, before its CompactState or in the middle of it.
CT_CASE(aRecordAheadOfItsStationCounts)
{
    for (const std::uint64_t seq : {6u, 7u}) {
        Capture c;
        c.setOverwriteMode();
        std::uint64_t emitted = 0;
        {
            const Process process = c.process(5);
            Lane lane = *process.claimLane(1), other = *process.claimLane(2);
            Coroutine killed = *Coroutine::create(process, other, kKey, 1);
            steps(killed, other, 3);
            emitted = 4 + runShortLivedCoroutines(process, lane, 3000);
            other.put(lanewriter::genuineRecord(killed.identity(), kKey, 3));
            process.state(killed.index()).seq.store(seq);
        }
        readLeftovers(c, 5, [&] {
            CHECK_EQUAL(c.streamSums.byKey(kKey)->captured, 4u);
            CHECK_EQUAL(total(c), emitted);
            CHECK_EQUAL(generations(c), 3001u);
            CHECK_EQUAL(c.loop->accounting().lost, 0u);
        });
    }
}

/// The thread was killed between the claim of a compact station and the birth in it.
CT_CASE(aClaimWithoutABirthCountsNothing)
{
    for (const bool carried : {false, true}) {
        Capture c;
        c.setOverwriteMode();
        {
            const Process process = c.process(5);
            Lane lane = *process.claimLane(1);
            runShortLivedCoroutines(process, lane, 3000);
            corotracer::CompactState &state = process.state(0);
            state.life.store(std::uint64_t{3001} << 32 | corotracer::kCompactFree);
            if (carried) {
                process.birth(0).events_before.fetch_add(state.seq.load() / 2);
                state.seq.store(0);
            }
        }
        c.dead.insert(5);
        c.restart();
        c.end();
        CHECK_EQUAL(total(c), 12'000u);
        CHECK_EQUAL(generations(c), 3000u);
    }
}

namespace {

/// An engine attaches to a region in overwrite mode. `before` counts the events until then: of one living coroutine,
/// and of 3,000 that left next to no records.
struct Visit {
    Visit()
    {
        steps(busy, other, 10);
        before = 10 + runShortLivedCoroutines(process, lane, 3000);
        c.loop.emplace(*c.region, c.isAlive());
    }
    Capture &inOverwriteMode()
    {
        c.setOverwriteMode();
        c.restart();
        return c;
    }

    Capture c;
    Process process = inOverwriteMode().process(5);
    Lane lane = *process.claimLane(1), other = *process.claimLane(2);
    Coroutine busy = *Coroutine::create(process, other, kKey, 1);
    std::uint64_t before = 0;
};

}  // namespace

/// Events written after the attach add to those that had left no record by then.
CT_CASE(eventsAfterAttachAreNotMissed)
{
    auto [c, process, lane, other, busy, before] = Visit();
    steps(busy, other, 100);
    Coroutine late = *Coroutine::create(process, other, kKey + 1, 1);
    steps(late, other, 7);
    c.scanAll(true);
    CHECK_EQUAL(total(c), before + 107);
    CHECK_EQUAL(generations(c), 3002u);
    CHECK_EQUAL(c.loop->accounting().missedBeforeAttach, before + 107 - c.streamSums.captured);
    // The station of the first dead coroutine is born again and overwritten: those events are lost.
    const std::uint64_t after = runShortLivedCoroutines(process, lane, 2000);
    c.end();
    CHECK_EQUAL(total(c), before + 107 + after);
    CHECK_EQUAL(generations(c), 5002u);
    CHECK_EQUAL(c.loop->accounting().missedBeforeAttach + c.loop->accounting().lost + c.streamSums.captured, total(c));
    CHECK(c.loop->accounting().lost > 4000);
    c.streamSums.checkOrder();
}

/// The engine ends before anything was settled.
CT_CASE(aShortCaptureCountsAllEvents)
{
    auto [c, process, lane, other, busy, before] = Visit();
    steps(busy, other, 50);
    const std::uint64_t after = 50 + runShortLivedCoroutines(process, lane, 1000);
    c.end();
    CHECK_EQUAL(total(c), before + after);
    CHECK_EQUAL(generations(c), 4001u);
    // The lane still has records of the last of the 4,000 coroutines, which were born after the attach. The overwritten
    // first events of such a coroutine count as missed if the engine had not caught up by then.
    const std::uint64_t missed = c.loop->accounting().missedBeforeAttach;
    CHECK(missed >= before - 10 && missed < before - 10 + 4);
    CHECK(c.loop->accounting().lost > 0);
}

namespace {

/// A thread that writes all the time: one coroutine's events, and short-lived coroutines after setMortal().
class Writer {
public:
    Writer(const Process &process, Lane &lane, Coroutine &busy)
        : m_thread([this, &process, &lane, &busy] {
              while (!m_stop.load()) {
                  steps(busy, lane, 50);
                  runShortLivedCoroutines(process, lane, m_mortal.load());
                  m_rounds.fetch_add(1);
              }
          })
    {
    }
    ~Writer()
    {
        m_stop.store(true);
        m_thread.join();
    }
    void setMortal() { m_mortal.store(3); }
    /// Waits until the thread has written something.
    void wait() const
    {
        for (const std::uint64_t rounds = m_rounds.load(); m_rounds.load() < rounds + 2;)
            std::this_thread::yield();
    }

private:
    std::atomic<bool> m_stop{false};
    std::atomic<std::uint64_t> m_mortal{0};
    std::atomic<std::uint64_t> m_rounds{0};
    std::thread m_thread;
};

}  // namespace

/// Engines attach and end while the target writes. Each compact station counts up to its last emitted event; what had
/// left no record before adds to this.
CT_CASE(sumsAreExactWhenEnginesComeAndGo)
{
    Capture c(8192, 2048, std::uint64_t{64} << 20);
    c.setOverwriteMode();
    c.restart();
    const Process process = c.process(5);
    Lane lane = *process.claimLane(1), other = *process.claimLane(2, 1U << 20);
    const std::uint64_t traceless = runShortLivedCoroutines(process, lane, 3000);
    Coroutine busy = *Coroutine::create(process, other, kKey, 1);
    std::vector<Coroutine> many;  // a pass over all compact stations takes time
    for (std::uint64_t key = 1; key <= 4000; ++key)
        many.push_back(*Coroutine::create(process, lane, kKey + key, 1));
    const Writer writer(process, other, busy);
    for (int visit = 0; visit < kVisits; ++visit) {
        c.loop.emplace(*c.region, c.isAlive());
        c.streamSums = {};
        if (visit % 2 == 1) {
            for (int pass = 0; pass < 20; ++pass)
                c.pass(pass == 10);
        }
        writer.wait();
        c.end();
        const StreamSums::One &found = *c.streamSums.byKey(kKey);
        CHECK_EQUAL(total(c), traceless + found.sum());
        CHECK_EQUAL(generations(c), 7001u);
        CHECK_EQUAL(found.sum(), found.next);
    }
}

/// Engines attach and end while coroutines are born and die. The sums lie between the numbers before and after.
CT_CASE(sumsAreBoundedWhileCoroutinesLiveAndDie)
{
    Capture c(8192, 2048, std::uint64_t{64} << 20);
    c.setOverwriteMode();
    c.restart();
    const Process process = c.process(5);
    Lane lane = *process.claimLane(1), other = *process.claimLane(2);
    runShortLivedCoroutines(process, lane, 3000);
    Coroutine busy = *Coroutine::create(process, other, kKey, 1);
    const auto ever = [&process](std::uint32_t index) {
        return process.birth(index).events_before.load() + process.state(index).seq.load() / 2;
    };
    Writer writer(process, other, busy);
    writer.setMortal();
    for (int visit = 0; visit < kVisits; ++visit) {
        c.loop.emplace(*c.region, c.isAlive());
        c.streamSums = {};
        for (int pass = 0; pass < visit % 2 * 20; ++pass)
            c.pass(pass == 10);
        writer.wait();
        const std::uint64_t least = ever(0) + process.birth(1).events_before.load();
        c.end();
        CHECK(total(c) >= least);
        CHECK(total(c) <= ever(0) + ever(1) + 4);
        CHECK_EQUAL(c.streamSums.coroutines.size(), c.loop->accounting().coroutines);
        c.streamSums.checkOrder();
    }
}
