// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pace of a replay, without a clock, and the batches that the gate lets pass.
#include "core/playback/replaygate.h"
#include "core/playback/replaypace.h"
#include "tests/core/recording/recordingtest.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace recordingtest;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

ReplayPace begun()
{
    ReplayPace pace;
    pace.beginStream(100 * kSecond, 5 * kSecond);
    return pace;
}

CT_CASE(playsAtItsSpeed)
{
    ReplayPace pace = begun();
    CHECK(*pace.dueAt(5 * kSecond) == 0);  // the beginning is due at once
    CHECK_EQUAL(*pace.dueAt(6 * kSecond), 101 * kSecond);
    CHECK_EQUAL(pace.position(103 * kSecond), 8 * kSecond);
    pace.setSpeed(102 * kSecond, 10);  // position: 7 s
    CHECK_EQUAL(pace.position(102 * kSecond), 7 * kSecond);
    CHECK_EQUAL(*pace.dueAt(17 * kSecond), 103 * kSecond);
    CHECK_EQUAL(*pace.dueAt(6 * kSecond), 102 * kSecond);  // passed: due since the change of speed
    pace.setSpeed(103 * kSecond, 0.1);                     // position: 17 s
    CHECK_EQUAL(pace.position(113 * kSecond), 18 * kSecond);
    CHECK_EQUAL(pace.speed(), 0.1);
    pace.setSpeed(113 * kSecond, 0);
    CHECK_EQUAL(pace.speed(), ReplayPace::kSlowest);
    pace.setSpeed(113 * kSecond, 1e9);
    CHECK_EQUAL(pace.speed(), ReplayPace::kFastest);
    pace.beginStream(200 * kSecond, 50 * kSecond);  // only the first call counts
    CHECK_EQUAL(pace.position(113 * kSecond), 18 * kSecond);
}

CT_CASE(noTimePassesWhilePaused)
{
    ReplayPace pace = begun();
    pace.pause(102 * kSecond);  // position: 7 s
    CHECK(!pace.isPlaying());
    CHECK_EQUAL(pace.position(150 * kSecond), 7 * kSecond);
    CHECK(!pace.dueAt(7 * kSecond + 1));
    pace.setSpeed(150 * kSecond, 2);
    pace.play(160 * kSecond);
    CHECK_EQUAL(*pace.dueAt(9 * kSecond), 161 * kSecond);
    // Paused before the stream has begun.
    ReplayPace still;
    still.pause(1);
    still.beginStream(100 * kSecond, 5 * kSecond);
    CHECK(still.dueAt(5 * kSecond) && !still.dueAt(6 * kSecond));
}

CT_CASE(runsToAChosenTime)
{
    ReplayPace pace = begun();
    pace.runTo(101 * kSecond, 20 * kSecond);
    CHECK_EQUAL(*pace.dueAt(20 * kSecond), 0U);
    pace.comesTo(101 * kSecond, 21 * kSecond);
    CHECK_EQUAL(*pace.dueAt(21 * kSecond), 102 * kSecond);
    pace.runTo(102 * kSecond, 10 * kSecond);  // never goes back
    CHECK_EQUAL(pace.position(102 * kSecond), 21 * kSecond);
    pace.pause(102 * kSecond);
    pace.runTo(103 * kSecond, 30 * kSecond);
    CHECK(pace.dueAt(30 * kSecond) && !pace.dueAt(31 * kSecond));
    // A step shows an event that is not due. Nothing else becomes due.
    pace.wentTo(104 * kSecond, 40 * kSecond);
    CHECK_EQUAL(pace.position(104 * kSecond), 40 * kSecond);
    CHECK(!pace.dueAt(35 * kSecond));
    // A run to 50 s is replaced by a run to 20 s, and ends there.
    ReplayPace other = begun();
    other.runTo(101 * kSecond, 50 * kSecond);
    other.runTo(102 * kSecond, 20 * kSecond);
    CHECK_EQUAL(*other.dueAt(20 * kSecond), 0U);
    CHECK_EQUAL(other.position(104 * kSecond), 20 * kSecond);
    other.comesTo(105 * kSecond, 21 * kSecond);
    CHECK_EQUAL(*other.dueAt(21 * kSecond), 106 * kSecond);
    // A run requested before the beginning is known.
    ReplayPace early;
    early.runTo(1, 20 * kSecond);
    early.beginStream(100 * kSecond, 5 * kSecond);
    CHECK(early.dueAt(20 * kSecond));
    early.comesTo(100 * kSecond, 21 * kSecond);
    CHECK_EQUAL(*early.dueAt(21 * kSecond), 101 * kSecond);
}

/// No time passes until a run reaches its end, whatever is called before.
CT_CASE(noTimePassesDuringARunToATime)
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
    pace.runTo(201 * kSecond, 35 * kSecond);  // already passed
    CHECK_EQUAL(*pace.dueAt(50 * kSecond), 202 * kSecond);
    // A replay that is paused stays paused at the end of a run.
    pace.pause(201 * kSecond);  // position: 40 s
    pace.runTo(202 * kSecond, 60 * kSecond);
    pace.comesTo(210 * kSecond, 70 * kSecond);
    CHECK(!pace.dueAt(70 * kSecond));
    pace.play(220 * kSecond);
    CHECK_EQUAL(*pace.dueAt(70 * kSecond), 221 * kSecond);
}

CT_CASE(extremeTimesAreNotDueSoon)
{
    ReplayPace pace = begun();
    pace.setSpeed(100 * kSecond, 0.1);
    CHECK(*pace.dueAt(~std::uint64_t{0}) > 1000 * kSecond);
}

/// A thread that lets batches pass a gate, and collects the output.
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
    /// Returns true if a time was emitted before data of an earlier time.
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

/// Each step emits one transition, in order, with the rows that belong to it. In the end, all of the stream was
/// emitted.
CT_CASE(eachStepEmitsOneTransition)
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

/// Steps that are left when the replay plays are void: no part of a later batch passes early.
CT_CASE(playingDiscardsSteps)
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
    // Steps pass over a batch without transitions. Then play() voids the rest.
    CHECK(gate.pass(batches[1], [&](const Batch &) { gate.play(); }));
    std::vector<Batch> then;
    gate.pass(batches[2], [&](const Batch &piece) {
        then.push_back(piece);
        gate.cancel();
    });
    CHECK(then.size() == 1 && then[0].empty());
}

/// After a step into a batch, its rest can pass without further steps.
CT_CASE(restOfABatchPassesAfterAStep)
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

/// While no data are due, time is passed on, but never up to the next data.
CT_CASE(timePassesBetweenBatches)
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

/// The target of the run lies in a gap, and the batches before it are slow to consume.
CT_CASE(continuesAtTheSoughtTime)
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
            std::this_thread::sleep_for(std::chrono::milliseconds(100));  // 10 s at this speed
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

CT_CASE(timeIsNeverAheadOfTheEvents)
{
    const std::vector<Batch> batches = stream(4, 5, 10 * kSecond);
    ReplayGate gate;
    gate.setSpeed(100);
    Passing passing(gate, batches);
    passing.join();
    CHECK_EQUAL(passing.transitions(), 20U);
    CHECK(!passing.wasForetold());
}

CT_CASE(cancelEndsTheWait)
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
