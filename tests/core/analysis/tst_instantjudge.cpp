// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The verdict of one instant: what follows in the stream does not change it.
#include "core/analysis/instantjudge.h"
#include "core/analysis/suspects.h"
#include "tests/support/check.h"
#include "tests/support/events.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace ct;
using test::eventOf;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLock = 0x1000;
constexpr std::uint32_t kPid = 7;

/// A run whose coroutine 0 waits for a lock that is free: a lost wake-up after one second.
struct JudgedStream {
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<JudgeData> data = std::make_shared<JudgeData>(population);
    std::shared_ptr<History> history = std::make_shared<History>(16 << 20);
    InstantJudge judge{population, data, history};

    JudgedStream()
    {
        Batch batch;
        Birth birth;
        birth.coroutine = 0;
        birth.dialect = Dialect::Lane;
        birth.pid = kPid;
        Birth another = birth;
        another.coroutine = 1;
        batch.births = {birth, another};
        batch.notes.wakes = {{1, kNoCoroutine, 0, kSecond, kPid, 100}};  // so the target reports wakes
        batch.sites = {{1, 88, 1, "/src/net.cpp", "async_read()"}};
        batch.transitions = {eventOf(Dialect::Lane, 0, 0, kSecond, false, 1)};
        batch.notes.waits = {{0, 0, WaitKind::Lock, kLock, kNoCoroutine, 0}};
        batch.notes.uses = {{kNoCoroutine, 0, UseKind::Released, kLock, kUnknownSite, kSecond + 1, kPid, 100}};
        batch.now = kSecond + 2;
        feed(batch);
    }
    void passTo(std::uint64_t ts)
    {
        Batch batch;
        batch.now = ts;
        feed(batch);
    }
    void resumeAt(std::uint64_t ts)
    {
        Batch batch;
        batch.transitions = {eventOf(Dialect::Lane, 0, 1, ts, true)};
        batch.now = ts;
        feed(batch);
    }
    void feed(const Batch &batch)
    {
        (void)judge.consume(batch);
        (void)population->consume(batch);
        (void)history->consume(batch);
        (void)data->consume(batch);
    }
};

std::size_t lostWakeups(const Verdict &verdict)
{
    return static_cast<std::size_t>(std::count_if(verdict.findings.begin(), verdict.findings.end(),
                                                  [](const auto &one) { return one.rule == Rule::LostWakeup; }));
}

}  // namespace

CT_CASE(theVerdictIsOfTheInstant)
{
    JudgedStream stream;
    stream.passTo(4 * kSecond);
    stream.judge.judgeAt(5 * kSecond);
    stream.judge.judgeAt(9 * kSecond);  // the first call counts
    stream.passTo(5 * kSecond);
    CHECK(!stream.judge.outcome());  // more batches of this time may follow
    stream.resumeAt(6 * kSecond);
    const auto outcome = stream.judge.outcome();
    REQUIRE(outcome);
    CHECK_EQUAL(outcome->verdict.judgedAt, 5 * kSecond);
    CHECK_EQUAL(lostWakeups(outcome->verdict), 1U);
    // What was known then is kept, although the coroutine has run since.
    REQUIRE(outcome->circumstances.count(0) == 1);
    const Circumstances &kept = outcome->circumstances.at(0);
    CHECK_EQUAL(kept.coroutine.since, kSecond);
    REQUIRE(kept.objects.size() == 1 && kept.objects[0]);
    CHECK_EQUAL(kept.objects[0]->released.ts, kSecond + 1);
    stream.passTo(20 * kSecond);
    CHECK(stream.judge.outcome() == outcome);
}

CT_CASE(anInstantThatHasPassedIsIgnored)
{
    JudgedStream stream;
    stream.passTo(8 * kSecond);
    stream.judge.judgeAt(5 * kSecond);
    CHECK_EQUAL(stream.judge.instant(), 0U);
    stream.passTo(9 * kSecond);
    CHECK(!stream.judge.outcome());
}

/// Otherwise a recording could have the batch before it has the instant.
CT_CASE(aBatchWaitsForTheEndOfADecision)
{
    JudgedStream stream;
    std::atomic<bool> isRecorded{false};
    bool wasRecorded = false;
    std::thread source;
    const std::uint64_t decided = stream.judge.judgeNow([&](std::uint64_t instant) {
        source = std::thread([&stream, &isRecorded, &wasRecorded, instant] {
            Batch later;
            later.now = instant + 1;
            stream.feed(later);
            wasRecorded = isRecorded;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most of the time, enough for the other thread
        isRecorded = true;
    });
    source.join();
    CHECK(wasRecorded);
    REQUIRE(stream.judge.outcome() != nullptr);
    CHECK_EQUAL(stream.judge.outcome()->verdict.judgedAt, decided);
    CHECK_EQUAL(stream.judge.judgeNow([](std::uint64_t) { CHECK(false); }), decided);  // the first decision counts
}

CT_CASE(suspectsAreThoseOfWarningsAndErrorsThatHaveNotChanged)
{
    Verdict verdict;
    verdict.judgedAt = 5 * kSecond;
    Finding error;
    error.severity = Severity::Error;
    error.rule = Rule::Deadlock;
    error.coroutines = {9, 3};
    Finding warning = error;
    warning.severity = Severity::Warning;
    warning.rule = Rule::LostWakeup;
    warning.coroutines = {3, 4};
    Finding info = error;
    info.severity = Severity::Info;
    info.coroutines = {5};
    verdict.findings = {error, warning, info};
    const Suspects suspects(verdict);
    CHECK_EQUAL(suspects.size(), 3U);
    const auto find = [&](CoroutineId id, std::uint64_t since) {
        CoroutineSnapshot coroutine;
        coroutine.id = id;
        coroutine.since = since;
        return suspects.find(coroutine);
    };
    REQUIRE(find(3, kSecond));
    CHECK(find(3, kSecond)->rule == Rule::Deadlock);  // its most severe finding
    CHECK(find(4, kSecond) && find(9, 5 * kSecond));
    CHECK(!find(5, kSecond) && !find(6, kSecond) && !find(10, kSecond));
    CHECK(!find(4, 5 * kSecond + 1));
}
