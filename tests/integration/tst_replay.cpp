// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pace of a replay, without time, and what it lets through.
#include "core/session/replaygate.h"
#include "core/session/replaypace.h"
#include "tests/unit/recordingtest.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace recordingtest;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

ReplayPace begun()
{
    ReplayPace pace;
    pace.begin(100 * kSecond, 5 * kSecond);
    return pace;
}

CT_CASE(playsAtItsSpeed)
{
    ReplayPace pace = begun();
    CHECK(*pace.dueAt(5 * kSecond) == 0);  // the beginning at once
    CHECK_EQUAL(*pace.dueAt(6 * kSecond), 101 * kSecond);
    CHECK_EQUAL(pace.position(103 * kSecond), 8 * kSecond);
    pace.setSpeed(102 * kSecond, 10);  // at 7
    CHECK_EQUAL(pace.position(102 * kSecond), 7 * kSecond);
    CHECK_EQUAL(*pace.dueAt(17 * kSecond), 103 * kSecond);
    CHECK_EQUAL(*pace.dueAt(6 * kSecond), 102 * kSecond);  // over, and due since
    pace.setSpeed(103 * kSecond, 0.1);                     // at 17
    CHECK_EQUAL(pace.position(113 * kSecond), 18 * kSecond);
    CHECK_EQUAL(pace.speed(), 0.1);
    pace.setSpeed(113 * kSecond, 0);
    CHECK_EQUAL(pace.speed(), ReplayPace::kSlowest);
    pace.setSpeed(113 * kSecond, 1e9);
    CHECK_EQUAL(pace.speed(), ReplayPace::kFastest);
    pace.begin(200 * kSecond, 50 * kSecond);  // only the first one counts
    CHECK_EQUAL(pace.position(113 * kSecond), 18 * kSecond);
}

CT_CASE(standsStill)
{
    ReplayPace pace = begun();
    pace.pause(102 * kSecond);  // at 7
    CHECK(!pace.isPlaying());
    CHECK_EQUAL(pace.position(150 * kSecond), 7 * kSecond);
    CHECK(!pace.dueAt(7 * kSecond + 1));
    pace.setSpeed(150 * kSecond, 2);
    pace.play(160 * kSecond);
    CHECK_EQUAL(*pace.dueAt(9 * kSecond), 161 * kSecond);
    // Before anything has begun, too.
    ReplayPace still;
    still.pause(1);
    still.begin(100 * kSecond, 5 * kSecond);
    CHECK(still.dueAt(5 * kSecond) && !still.dueAt(6 * kSecond));
}

CT_CASE(runsThrough)
{
    ReplayPace pace = begun();
    pace.runTo(101 * kSecond, 20 * kSecond);
    CHECK_EQUAL(*pace.dueAt(20 * kSecond), 0U);
    pace.comesTo(101 * kSecond, 21 * kSecond);
    CHECK_EQUAL(*pace.dueAt(21 * kSecond), 102 * kSecond);
    pace.runTo(102 * kSecond, 10 * kSecond);  // never back
    CHECK_EQUAL(pace.position(102 * kSecond), 21 * kSecond);
    pace.pause(102 * kSecond);
    pace.runTo(103 * kSecond, 30 * kSecond);
    CHECK(pace.dueAt(30 * kSecond) && !pace.dueAt(31 * kSecond));
    // A step shows what was not due, and nothing else is.
    pace.wentTo(104 * kSecond, 40 * kSecond);
    CHECK_EQUAL(pace.position(104 * kSecond), 40 * kSecond);
    CHECK(!pace.dueAt(35 * kSecond));
    // On the way to a later place: there no longer.
    ReplayPace other = begun();
    other.runTo(101 * kSecond, 50 * kSecond);
    other.runTo(102 * kSecond, 20 * kSecond);
    CHECK_EQUAL(*other.dueAt(20 * kSecond), 0U);
    CHECK_EQUAL(other.position(104 * kSecond), 20 * kSecond);
    other.comesTo(105 * kSecond, 21 * kSecond);
    CHECK_EQUAL(*other.dueAt(21 * kSecond), 106 * kSecond);
    // Asked for before the beginning is known.
    ReplayPace early;
    early.runTo(1, 20 * kSecond);
    early.begin(100 * kSecond, 5 * kSecond);
    CHECK(early.dueAt(20 * kSecond));
    early.comesTo(100 * kSecond, 21 * kSecond);
    CHECK_EQUAL(*early.dueAt(21 * kSecond), 101 * kSecond);
}

/// However long it takes, and whatever is done meanwhile.
CT_CASE(noTimePassesWhileItRunsThrough)
{
    ReplayPace pace = begun();
    pace.runTo(101 * kSecond, 20 * kSecond);
    pace.comesTo(150 * kSecond, 19 * kSecond);
    CHECK_EQUAL(pace.position(160 * kSecond), 20 * kSecond);
    pace.setSpeed(161 * kSecond, 10);
    pace.pause(170 * kSecond);
    pace.play(180 * kSecond);
    CHECK_EQUAL(pace.position(190 * kSecond), 20 * kSecond);
    pace.runTo(190 * kSecond, 30 * kSecond);
    CHECK_EQUAL(pace.position(195 * kSecond), 30 * kSecond);
    pace.comesTo(200 * kSecond, 40 * kSecond);
    CHECK_EQUAL(*pace.dueAt(40 * kSecond), 201 * kSecond);
    pace.comesTo(201 * kSecond, 50 * kSecond);
    CHECK_EQUAL(*pace.dueAt(50 * kSecond), 202 * kSecond);
    pace.runTo(201 * kSecond, 35 * kSecond);  // it is there
    CHECK_EQUAL(*pace.dueAt(50 * kSecond), 202 * kSecond);
    // While it stands still, it does so there.
    pace.pause(201 * kSecond);  // at 40
    pace.runTo(202 * kSecond, 60 * kSecond);
    pace.comesTo(210 * kSecond, 70 * kSecond);
    CHECK(!pace.dueAt(70 * kSecond));
    pace.play(220 * kSecond);
    CHECK_EQUAL(*pace.dueAt(70 * kSecond), 221 * kSecond);
}

CT_CASE(wildTimesAreFarAway)
{
    ReplayPace pace = begun();
    pace.setSpeed(100 * kSecond, 0.1);
    CHECK(*pace.dueAt(~std::uint64_t{0}) > 1000 * kSecond);
}

/// A thread that lets batches through a gate, and what came out.
class Passing {
public:
    Passing(ReplayGate &gate, const std::vector<Batch> &batches)
        : m_gate(gate), m_thread([this, &batches] {
              for (const Batch &batch : batches) {
                  const bool passed = m_gate.pass(batch, [this](const Batch &piece) {
                      const std::lock_guard lock(m_mutex);
                      m_foretold = m_foretold || (!piece.empty() && piece.now < m_latest);
                      m_latest = std::max(m_latest, piece.now);
                      if (!piece.empty())
                          m_out.push_back(piece);
                  });
                  if (!passed)
                      break;
              }
              m_ended.store(true);
          })
    {
    }
    ~Passing() { join(); }
    void join()
    {
        if (m_thread.joinable())
            m_thread.join();
    }
    std::vector<Batch> out()
    {
        const std::lock_guard lock(m_mutex);
        return m_out;
    }
    std::size_t transitions()
    {
        std::size_t count = 0;
        for (const Batch &batch : out())
            count += batch.transitions.size();
        return count;
    }
    void awaitTransitions(std::size_t count)
    {
        while (transitions() < count)
            std::this_thread::yield();
    }
    std::uint64_t latest()
    {
        const std::lock_guard lock(m_mutex);
        return m_latest;
    }
    /// A time was told before what happened up to it.
    bool wasForetold()
    {
        const std::lock_guard lock(m_mutex);
        return m_foretold;
    }
    bool hasEnded() const { return m_ended.load(); }

private:
    ReplayGate &m_gate;
    std::mutex m_mutex;
    std::vector<Batch> m_out;
    std::uint64_t m_latest = 0;
    bool m_foretold = false;
    std::atomic<bool> m_ended = false;
    std::thread m_thread;
};

std::vector<Batch> stream(std::size_t batches, std::size_t transitions, std::uint64_t apart)
{
    RandomStream random(5);
    std::vector<Batch> all;
    for (std::size_t i = 0; i < batches; ++i) {
        all.push_back(random.next(transitions));
        all.back().now = 10 * kSecond + i * apart;
    }
    return all;
}

/// One transition each, in their order, and what belongs to them; in the end everything, in the order of the stream.
CT_CASE(aStepIsATransition)
{
    const std::vector<Batch> batches = stream(3, 150, kSecond);
    ReplayGate gate;
    gate.pause();
    Passing passing(gate, batches);
    passing.awaitTransitions(150);  // the beginning is due
    CHECK_EQUAL(passing.transitions(), 150U);
    for (std::size_t i = 1; i <= 299; ++i) {
        gate.step();
        passing.awaitTransitions(150 + i);
        CHECK_EQUAL(passing.transitions(), 150 + i);
    }
    CHECK(!passing.hasEnded());
    gate.step();
    passing.join();
    Transitions all;
    std::size_t at = 0;
    std::size_t births = 0;
    std::size_t losses = 0;
    for (const Batch &piece : passing.out()) {
        CHECK(at < 150 || piece.transitions.size() <= 1);
        at += piece.transitions.size();
        births += piece.births.size();
        losses += piece.losses.size();
        all.insert(all.end(), piece.transitions.begin(), piece.transitions.end());
    }
    std::size_t expected = 0;
    for (const Batch &batch : batches) {
        births -= batch.births.size();
        losses -= batch.losses.size();
        for (const Transition &event : batch.transitions)
            CHECK(textOf(event) == textOf(all[expected++]));
    }
    CHECK(births == 0 && losses == 0 && expected == all.size());
}

CT_CASE(aStepGoesOverBatchesWithoutTransitions)
{
    std::vector<Batch> batches = stream(4, 2, kSecond);
    batches[1] = Batch();
    batches[1].now = batches[0].now + 1;
    batches[2].transitions.clear();
    batches[2].losses.clear();
    ReplayGate gate;
    gate.pause();
    Passing passing(gate, batches);
    passing.awaitTransitions(2);
    gate.step();
    passing.awaitTransitions(3);
    CHECK(!passing.hasEnded());
    gate.step();
    passing.join();
    CHECK_EQUAL(passing.transitions(), 4U);
}

/// Who steps faster than it is shown and plays then sees no part of what comes later.
CT_CASE(stepsAreOverWhenItPlays)
{
    std::vector<Batch> batches = stream(3, 5, 1'000'000 * kSecond);
    batches[1].now = batches[0].now + 1;
    batches[1].transitions.clear();
    ReplayGate gate;
    gate.pause();
    CHECK(gate.pass(batches[0], [&](const Batch &) {
        gate.step();
        gate.step();
    }));
    // A step goes on to the next batch, and one is left.
    CHECK(gate.pass(batches[1], [&](const Batch &) { gate.play(); }));
    std::vector<Batch> then;
    gate.pass(batches[2], [&](const Batch &piece) {
        then.push_back(piece);
        gate.cancel();
    });
    CHECK(then.size() == 1 && then[0].empty());
}

/// What was stepped into goes on as a whole.
CT_CASE(goesOnAfterSteps)
{
    const std::vector<Batch> batches = stream(4, 100, 10 * kSecond);
    ReplayGate gate;
    gate.pause();
    Passing passing(gate, batches);
    passing.awaitTransitions(100);
    gate.step();
    passing.awaitTransitions(101);
    gate.runTo(batches.back().now);
    passing.join();
    CHECK_EQUAL(passing.transitions(), 400U);
}

/// While nothing happens, time goes by: what is told of it never reaches what is to come.
CT_CASE(timePassesInBetween)
{
    const std::vector<Batch> batches = stream(2, 5, 1'000'000 * kSecond);
    ReplayGate gate;
    gate.setSpeed(100);
    Passing passing(gate, batches);
    while (passing.latest() < batches[0].now + 3 * kSecond)
        std::this_thread::yield();
    CHECK_EQUAL(passing.transitions(), 5U);
    CHECK(passing.latest() < batches[1].now);
    gate.pause();
    gate.cancel();
    passing.join();
    CHECK_EQUAL(passing.transitions(), 5U);
}

/// A place in a gap is sought, and what comes before it takes long to show.
CT_CASE(goesOnWhereItWasSought)
{
    std::vector<Batch> batches = stream(3, 5, kSecond);
    batches[1].now = 990 * kSecond;
    batches[2].now = 1005 * kSecond;
    ReplayGate gate;
    gate.setSpeed(100);
    gate.runTo(1000 * kSecond);
    for (int i = 0; i < 2; ++i) {
        CHECK(gate.pass(batches[static_cast<std::size_t>(i)], [](const Batch &piece) {
            CHECK(!piece.empty());
            std::this_thread::sleep_for(std::chrono::milliseconds(100));  // at this speed 10 s
        }));
    }
    std::vector<Batch> then;
    gate.pass(batches[2], [&](const Batch &piece) {
        then.push_back(piece);
        gate.cancel();
    });
    REQUIRE(then.size() == 1);
    CHECK(then[0].empty());
    CHECK_EQUAL(then[0].now, 1000 * kSecond);
}

CT_CASE(timeIsNeverAheadOfWhatHappens)
{
    const std::vector<Batch> batches = stream(4, 5, 10 * kSecond);
    ReplayGate gate;
    gate.setSpeed(100);
    Passing passing(gate, batches);
    passing.join();
    CHECK_EQUAL(passing.transitions(), 20U);
    CHECK(!passing.wasForetold());
}

CT_CASE(whoWaitsIsSentAway)
{
    const std::vector<Batch> batches = stream(2, 5, 1000 * kSecond);
    ReplayGate gate;
    gate.pause();
    Passing passing(gate, batches);
    passing.awaitTransitions(5);
    gate.cancel();
    passing.join();
    CHECK_EQUAL(passing.transitions(), 5U);
}

}  // namespace
