// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/addresses/runningframes.h"

#include "tests/support/check.h"

using namespace ct;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
using State = CoroutineFrame::State;

/// A coroutine that runs since 10 s.
CoroutineSnapshot runs()
{
    CoroutineSnapshot coroutine;
    coroutine.id = 3;
    coroutine.state = CoroutineState::Running;
    coroutine.since = 10 * kSecond;
    coroutine.addr = 0x1000;
    coroutine.events = 2;
    return coroutine;
}

}  // namespace

CT_CASE(onlyLongRunsAreRead)
{
    RunningFrames frames;
    CHECK(!frames.request(runs(), 10 * kSecond + 999'999'999));
    CHECK(frames.request(runs(), 11 * kSecond));
    CHECK(!frames.request(runs(), 11 * kSecond + 1));
    CHECK(frames.request(runs(), 12 * kSecond));
    CoroutineSnapshot suspended = runs();
    suspended.state = CoroutineState::Suspended;
    CHECK(!frames.request(suspended, 20 * kSecond));
}

/// Its thread has ended, or events are lost.
CT_CASE(aCoroutineInAnUnknownStateMayHaveFinished)
{
    RunningFrames frames;
    CoroutineSnapshot unknown = runs();
    unknown.state = CoroutineState::Unknown;
    CHECK(frames.request(unknown, 11 * kSecond));
    frames.compare(unknown, unknown, State::Finished, 12 * kSecond);
    CHECK_EQUAL(frames.takeFinishes().size(), 1U);
    unknown.flagged = true;
    CHECK(!frames.request(unknown, 20 * kSecond));
}

CT_CASE(aFinishedFrameProvesTheFinish)
{
    RunningFrames frames;
    CHECK(frames.request(runs(), 11 * kSecond));
    frames.compare(runs(), runs(), State::Suspended, 11 * kSecond);
    CHECK(frames.takeFinishes().empty());
    frames.compare(runs(), runs(), State::Finished, 12 * kSecond);
    const std::vector<Finish> finishes = frames.takeFinishes();
    REQUIRE(finishes.size() == 1);
    CHECK(finishes[0].coroutine == 3 && finishes[0].ts == 12 * kSecond);
    CHECK(frames.takeFinishes().empty());
}

/// The frame may have been that of another coroutine, or the reading may be from between two events.
CT_CASE(aCoroutineThatChangedIsNotJudged)
{
    for (int change = 0; change < 6; ++change) {
        RunningFrames frames;
        CHECK(frames.request(runs(), 11 * kSecond));
        CoroutineSnapshot after = runs();
        after.events += change == 0;
        after.lost += change == 1;
        after.since += change == 2;
        after.state = change == 3 ? CoroutineState::Destroyed : after.state;
        after.kept = change != 4;
        after.addr += change == 5;
        frames.compare(runs(), after, State::Finished, 12 * kSecond);
        CHECK(frames.takeFinishes().empty());
    }
}

CT_CASE(whatIsNoFrameIsNotReadAgain)
{
    RunningFrames frames;
    CHECK(frames.request(runs(), 11 * kSecond));
    frames.compare(runs(), runs(), State::Unknown, 11 * kSecond);
    CHECK(!frames.request(runs(), 60 * kSecond));
    CoroutineSnapshot later = runs();
    later.since = 30 * kSecond;
    CHECK(frames.request(later, 60 * kSecond));
}
