// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Eviction by History when its memory or time is used up, and the memory that the rest needs.
#include "tests/core/trace/historytest.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>

using namespace ct;
using namespace ct::test;

namespace {

/// Returns a value of /proc/self/status, in bytes.
std::uint64_t statusOf(const std::string &name)
{
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.compare(0, name.size() + 1, name + ':') == 0)
            return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
    return 0;
}

/// Feeds `count` events of coroutine 0, from number `n` on, in batches.
void feedOne(History &history, std::uint64_t n, std::uint64_t count)
{
    Batch batch;
    for (const std::uint64_t end = n + count; n < end; ++n) {
        batch.transitions.push_back(transition(0, n, 100 + n));
        if (batch.transitions.size() == 8192 || n + 1 == end) {
            feed(history, batch);
            batch.clear();
        }
    }
}

}  // namespace

CT_CASE(evictsTheOldestEventsAndCountsThem)
{
    History history(kSmallest);
    constexpr CoroutineId kCoroutines = 50;
    Batch batch;
    for (CoroutineId id = 0; id <= kCoroutines; ++id)
        batch.births.push_back(birth(id));
    batch.transitions.push_back(transition(kCoroutines, 0, 1));  // an idle one
    std::uint64_t emitted = 1;
    for (std::uint64_t n = 0; n < 6'000; ++n) {
        for (CoroutineId id = 0; id < kCoroutines; ++id, ++emitted)
            batch.transitions.push_back(transition(id, n, 100 + emitted));
        if (n % 100 == 99) {
            feed(history, batch);
            batch.clear();
        }
    }
    CHECK(history.evictedEvents() > 0);
    CHECK_EQUAL(history.eventCount() + history.evictedEvents(), emitted);
    CHECK(history.bytesUsed() <= (5U << 20));
    CHECK(all(history, kCoroutines).empty());
    CHECK_EQUAL(history.firstKept(kCoroutines), 0U);
    std::uint64_t kept = 0;
    for (CoroutineId id = 0; id < kCoroutines; ++id) {
        const std::vector<HistoryEvent> events = all(history, id);
        kept += events.size();
        REQUIRE(!events.empty());
        CHECK_EQUAL(events.back().n, 5'999U);
        CHECK_EQUAL(events.front().ts, history.firstKept(id));
        for (std::size_t i = 1; i < events.size(); ++i)
            CHECK_EQUAL(events[i].n, events[i - 1].n + 1);
        // Behind the boundary nothing is missing: each coroutine has an event at or before it.
        CHECK(history.firstKept(id) <= history.evictedBefore() + kCoroutines);
    }
    CHECK_EQUAL(kept, history.eventCount());
    // The next event of the idle coroutine starts its history again, without a gap, because nothing was lost.
    batch.clear();
    batch.transitions = {transition(kCoroutines, 1, 9'000'000)};
    feed(history, batch);
    CHECK_EQUAL(all(history, kCoroutines).size(), 1U);
}

CT_CASE(manyShortCoroutinesUseLittleMemory)
{
    History history(std::uint64_t{1} << 30);
    constexpr CoroutineId kCoroutines = 100'000;
    Batch batch;
    for (CoroutineId id = 0; id < kCoroutines; ++id) {
        batch.births.push_back(birth(id));
        for (std::uint64_t n = 0; n < 4; ++n)
            batch.transitions.push_back(transition(id, n, id * 10 + n));
    }
    feed(history, batch);
    CHECK(history.bytesUsed() < std::uint64_t{kCoroutines} * 300);
    CHECK_EQUAL(all(history, 99'999).size(), 4U);
}

CT_CASE(evictsEventsOlderThanTheLimit)
{
    constexpr std::uint64_t kKeep = 1'000'000;
    History history(std::uint64_t{256} << 20, kKeep);
    Batch batch;
    batch.births = {birth(0), birth(1)};
    batch.transitions = {transition(1, 0, 1)};
    std::uint64_t n = 0;
    for (int pass = 0; pass < 500; ++pass) {
        for (int i = 0; i < 20; ++i, ++n)
            batch.transitions.push_back(transition(0, n, n * 1000));
        batch.now = n * 1000;
        feed(history, batch);
        batch.clear();
        // History keeps at least as much as requested, and not much more.
        const std::uint64_t kept = n * 1000 - history.firstKept(0);
        CHECK(kept >= std::min(kKeep, n * 1000 - 1000));
        CHECK(kept <= kKeep + kKeep / 4);
        CHECK(history.evictedBefore() == 0 || history.evictedBefore() + kKeep <= n * 1000 + 1);
    }
    CHECK_EQUAL(history.eventCount() + history.evictedEvents(), n + 1);
    CHECK_EQUAL(history.firstKept(1), 0U);
    CHECK(history.bytesUsed() <= 16U << 20);
    CHECK_EQUAL(all(history, 0).front().n + all(history, 0).size(), n);  // no gap in front
}

CT_CASE(anEventUsesFifteenBytesInTotal)
{
    History history(std::uint64_t{256} << 20);
    Batch batch;
    batch.births = {birth(0)};
    feed(history, batch);
    constexpr std::uint64_t kEvents = 1'000'000;
    feedOne(history, 0, kEvents);
    CHECK_EQUAL(history.eventCount(), kEvents);
    CHECK(history.bytesUsed() >= 14 * kEvents);
    CHECK(static_cast<double>(history.bytesUsed()) < 15.01 * kEvents);
    // The index is in the memory that was already counted.
    CHECK_EQUAL(all(history, 0).size(), kEvents);
    CHECK(static_cast<double>(history.bytesUsed()) < 15.01 * kEvents);
}

CT_CASE(manySitesUseLittleMemory)
{
    // 1,000 sites and 4 threads: thousands of cells in every slab.
    History history(std::uint64_t{64} << 20);
    Batch batch;
    batch.births = {birth(0)};
    constexpr std::uint64_t kEvents = 1'000'000;
    for (std::uint64_t n = 0; n < kEvents; ++n) {
        batch.transitions.push_back(transition(0, n, 100 + n));
        batch.transitions.back().site = static_cast<SiteId>(n % 1000);
        batch.transitions.back().tid = static_cast<std::uint32_t>(n / 1000 % 4);
    }
    feed(history, batch);
    CHECK_EQUAL(history.eventCount(), kEvents);
    CHECK(static_cast<double>(history.bytesUsed()) < 16.0 * kEvents);
}

CT_CASE(preparesMemoryBeforeTheFirstEvent)
{
    constexpr std::uint64_t kBudget = std::uint64_t{24} << 20;
    constexpr std::uint64_t kEvents = 2'000'000;
    const std::uint64_t before = statusOf("VmRSS");
    History history(kBudget);
    CHECK(statusOf("VmRSS") < before + kBudget / 2);
    history.prepareMemory();
    CHECK_EQUAL(history.bytesUsed(), 0U);
    CHECK_EQUAL(history.eventCount(), 0U);
    const std::uint64_t prepared = statusOf("VmRSS");
    // A system without MADV_POPULATE_WRITE guarantees nothing. An eighth of the budget is for wakes and waits-on.
    CHECK(prepared < before + kBudget / 8 || prepared >= before + kBudget - kBudget / 8 - kBudget / 16);
    Batch batch;
    batch.births = {birth(0)};
    feed(history, batch);
    feedOne(history, 0, kEvents);
    CHECK(history.evictedEvents() > 0);
    CHECK_EQUAL(history.eventCount() + history.evictedEvents(), kEvents);
    const std::vector<HistoryEvent> events = all(history, 0);
    CHECK_EQUAL(events.size(), history.eventCount());
    for (std::size_t i = 0; i < events.size(); ++i)
        REQUIRE(events[i].n == kEvents - events.size() + i);
}

// Sanitizers allocate memory of their own at any time.
#if !CT_ADDRESS_SANITIZER && !CT_THREAD_SANITIZER
CT_CASE(evictsTheOldestEventsIfMemoryRunsOut)
{
    constexpr std::uint64_t kBudget = std::uint64_t{1} << 30;
    constexpr std::uint64_t kEvents = 5'000'000;
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_DATA, &before) == 0);
    // Set the limit before History exists: it would not request memory again that is accessible already.
    rlimit small = before;
    small.rlim_cur = statusOf("VmData") + (std::uint64_t{48} << 20);
    REQUIRE(setrlimit(RLIMIT_DATA, &small) == 0);
    History history(kBudget);
    Batch batch;
    batch.births = {birth(0)};
    feed(history, batch);
    feedOne(history, 0, kEvents);
    CHECK_EQUAL(setrlimit(RLIMIT_DATA, &before), 0);
    CHECK(history.evictedEvents() > 0);
    CHECK(history.bytesUsed() <= std::uint64_t{64} << 20);
    CHECK_EQUAL(history.eventCount() + history.evictedEvents(), kEvents);
    const std::vector<HistoryEvent> events = all(history, 0);
    CHECK_EQUAL(events.size(), history.eventCount());
    REQUIRE(!events.empty());
    CHECK_EQUAL(events.back().n, kEvents - 1);
}
#endif
