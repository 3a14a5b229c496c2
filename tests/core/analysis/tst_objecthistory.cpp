// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/objecthistory.h"
#include "tests/support/check.h"

#include <algorithm>

using namespace ct;

namespace {

constexpr std::uint32_t kPid = 7;

/// Notes that a test adds one by one.
struct Causes {
    ObjectHistory history;

    void wait(CoroutineId id, std::uint64_t n, std::uint64_t object, WaitKind kind = WaitKind::Channel)
    {
        Batch batch;
        batch.notes.waits.push_back({id, n, kind, object});
        (void)history.consume(batch);
    }
    void wake(CoroutineId id, std::uint64_t n, std::uint64_t ts, CoroutineId by = kNoCoroutine)
    {
        Batch batch;
        batch.notes.wakes.push_back({id, by, n, ts, kPid, 1});
        (void)history.consume(batch);
    }
    void use(UseKind kind, CoroutineId by, std::uint64_t object, std::uint64_t ts)
    {
        Batch batch;
        batch.notes.uses.push_back({by, 0, kind, object, kUnknownSite, ts, kPid, 1});
        (void)history.consume(batch);
    }
    void signal(CoroutineId by, std::uint64_t object, std::uint64_t ts) { use(UseKind::Signalled, by, object, ts); }
    void die(CoroutineId id)
    {
        Batch batch;
        batch.deaths.push_back({id, 1});
        (void)history.consume(batch);
    }
    std::vector<CoroutineId> waitersFor(std::uint64_t object) const
    {
        std::vector<CoroutineId> waiters = history.unwokenWaiters()[object];
        std::sort(waiters.begin(), waiters.end());
        return waiters;
    }
};

}  // namespace

/// The probe does not know a coroutine that starts at once before its first suspension.
CT_CASE(anAcquisitionByNobodyMayBeByTheReleaser)
{
    Causes causes;
    causes.use(UseKind::Acquired, kNoCoroutine, 1, 10);
    causes.use(UseKind::Released, 3, 1, 20);
    CHECK(!causes.history.stateOf(kPid, 1)->releasedByOthers);
    CHECK(causes.history.stateOf(kPid, 1)->holders.empty());
    causes.use(UseKind::Acquired, 4, 1, 30);
    causes.use(UseKind::Released, 3, 1, 40);
    CHECK(causes.history.stateOf(kPid, 1)->releasedByOthers);
    CHECK(causes.history.stateOf(kPid, 1)->holders == std::vector<CoroutineId>{4});
}

/// They come from the lanes of several threads.
CT_CASE(waitsOfACoroutineAreInTheOrderOfItsEvents)
{
    Causes causes;
    for (const std::uint64_t n : {1, 5, 3, 7})
        causes.wait(3, n, 10 * n);
    const RecentCauses recent = *causes.history.recentOf(3);
    for (std::size_t i = 0; i < recent.waits.size(); ++i)
        CHECK_EQUAL(recent.waits.at(i).nextN, 2 + 2 * i);
}

CT_CASE(aWakeEndsAllWaitsOfItsSuspension)
{
    Causes causes;
    for (std::uint64_t object = 1; object <= 6; ++object)
        causes.wait(3, 9, object);
    for (std::uint64_t object = 1; object <= 6; ++object)
        CHECK(causes.waitersFor(object) == std::vector<CoroutineId>{3});
    causes.wake(3, 10, 50);
    for (std::uint64_t object = 1; object <= 6; ++object) {
        CHECK(causes.waitersFor(object).empty());
        const std::optional<ObjectState> state = causes.history.stateOf(kPid, object);
        CHECK(state && state->woke.ts == 50 && state->wokenSince == 1);
    }
}

CT_CASE(waitsWithoutAWakeAreRememberedUntilTheNextWake)
{
    Causes causes;
    for (std::uint64_t i = 1; i <= ObjectHistory::kMostWaits + 2; ++i)
        causes.wait(3, 2 * i, i);
    CHECK(causes.waitersFor(2).empty());
    CHECK(causes.waitersFor(3) == std::vector<CoroutineId>{3});
    // A wake of an earlier suspension leaves the later ones.
    causes.wake(3, 2 * 10 + 1, 50);
    CHECK(causes.waitersFor(10).empty());
    CHECK(causes.waitersFor(11) == std::vector<CoroutineId>{3});
    CHECK(!causes.history.stateOf(kPid, 9) && causes.history.stateOf(kPid, 10));
}

CT_CASE(onlyWhatIsSignalledHasWaiters)
{
    Causes causes;
    causes.wait(3, 1, 100, WaitKind::Timer);
    causes.wait(3, 2, 100, WaitKind::Descriptor);
    causes.wait(3, 3, 100, WaitKind::Coroutine);
    CHECK(causes.waitersFor(100).empty());
    causes.wake(3, 4, 50);
    CHECK(!causes.history.stateOf(kPid, 100));
    CHECK(causes.history.recentOf(3)->wakes.back().waited == WaitKind::Coroutine);
}

CT_CASE(theLatestCausesAreOldestFirst)
{
    Causes causes;
    for (std::uint64_t i = 1; i <= 10; ++i) {
        causes.wait(3, 2 * i, 1000 + i);
        causes.signal(4, 1000 + i, 100 * i);
        causes.wake(3, 2 * i + 1, 100 * i + 1);
    }
    const std::optional<RecentCauses> waiter = causes.history.recentOf(3);
    const std::optional<RecentCauses> signaller = causes.history.recentOf(4);
    CHECK(waiter && signaller);
    CHECK(waiter->waits.front().object == 1007 && waiter->waits.back().object == 1010);
    CHECK(waiter->wakes.front().ts == 301 && waiter->wakes.back().ts == 1001);
    // The wake names no coroutine, so it came from the one that signalled.
    CHECK(waiter->wakes.back().by == 4 && waiter->wakes.back().waited == WaitKind::Channel);
    CHECK(signaller->signals.front().ts == 700 && signaller->signals.back().object == 1010);
}

CT_CASE(theDeadAreForgotten)
{
    Causes causes;
    for (std::uint64_t object = 1; object <= 6; ++object)
        causes.wait(3, 9, object);
    causes.die(3);
    CHECK(!causes.history.recentOf(3));
    CHECK(causes.history.unwokenWaiters().empty());
    CHECK_EQUAL(causes.history.forgottenWaits(), std::uint64_t{0});
}

CT_CASE(coroutinesWithoutWaitsAreForgottenFirst)
{
    Causes causes;
    constexpr auto kMost = static_cast<CoroutineId>(ObjectHistory::kMostCoroutines);
    Batch batch;
    for (CoroutineId id = 0; id <= kMost; ++id) {
        if (id % 4 == 0)
            batch.notes.waits.push_back({id, 1, WaitKind::Channel, 5});
        else
            batch.notes.wakes.push_back({id, kNoCoroutine, 1, 10, kPid, 1});
    }
    (void)causes.history.consume(batch);
    CHECK_EQUAL(causes.waitersFor(5).size(), std::size_t{kMost / 4 + 1});
    CHECK(!causes.history.recentOf(1));
    CHECK_EQUAL(causes.history.forgottenWaits(), std::uint64_t{0});
}

CT_CASE(tooManyWaitingCoroutinesAreCounted)
{
    Causes causes;
    constexpr auto kMost = static_cast<CoroutineId>(ObjectHistory::kMostCoroutines);
    Batch batch;
    for (CoroutineId id = 0; id <= kMost; ++id)
        batch.notes.waits.push_back({id, 1, WaitKind::Channel, 5});
    (void)causes.history.consume(batch);
    CHECK_EQUAL(causes.history.forgottenWaits(), std::uint64_t{kMost + 1 - kMost / 4});
    CHECK(!causes.history.recentOf(0));
    CHECK(causes.history.recentOf(kMost));
}

CT_CASE(anObjectThatWasForgottenIsKnownAsSuch)
{
    constexpr std::uint64_t kCount = ObjectHistory::kMost + 1;
    Causes causes;
    causes.signal(1, 1, 1);
    CHECK(!causes.history.wasForgotten(kPid, 1));
    Batch batch;
    for (std::uint64_t object = 2; object <= kCount; ++object)
        batch.notes.uses.push_back({1, 0, UseKind::Signalled, object, kUnknownSite, object, kPid, 1});
    (void)causes.history.consume(batch);
    CHECK_EQUAL(causes.history.forgottenObjects(), kCount / 2);
    CHECK(causes.history.wasForgotten(kPid, 1) && causes.history.wasForgotten(kPid, kCount / 2));
    CHECK(!causes.history.stateOf(kPid, kCount / 2) && causes.history.stateOf(kPid, kCount / 2 + 1));
    // Others share a bit with a forgotten one, but few.
    std::uint64_t shared = 0;
    for (std::uint64_t object = kCount / 2 + 1; object <= kCount; ++object)
        shared += causes.history.wasForgotten(kPid, object) ? 1 : 0;
    CHECK(shared < kCount / 16);
    causes.signal(1, 1, kCount + 1);  // it is used again, but its past is gone
    CHECK(causes.history.wasForgotten(kPid, 1));
    CHECK_EQUAL(causes.history.forgottenWaits(), std::uint64_t{0});
}
