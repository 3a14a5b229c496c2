// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Wakes and waits-on in the History.
#include "tests/core/trace/historytest.h"

#include <atomic>
#include <thread>

using namespace ct;
using namespace ct::test;

namespace {

constexpr std::uint64_t kBudget = std::uint64_t{16} << 20;
constexpr std::uint64_t kRoom = kBudget / 8 / 40;

/// A wake whose fields are functions of its number.
Wake wake(std::uint64_t number)
{
    const auto id = static_cast<CoroutineId>(number % 97);
    return {id, id + 1, number, number * 3, id + 2, id + 3};
}

bool isWhole(const Wake &it)
{
    const Wake other = wake(it.n);
    return it.coroutine == other.coroutine && it.by == other.by && it.ts == other.ts && it.pid == other.pid &&
           it.tid == other.tid;
}

void feedWakes(History &history, std::uint64_t first, std::uint64_t count)
{
    Batch batch;
    for (std::uint64_t number = first; number < first + count; ++number)
        batch.notes.wakes.push_back(wake(number));
    batch.now = (first + count) * 3;
    feed(history, batch);
}

Notes allNotes(const History &history)
{
    Notes notes;
    for (std::uint64_t position = 0; history.readNotes(position, 1000, notes);) {
    }
    return notes;
}

}  // namespace

CT_CASE(notesRoundTrip)
{
    History history(kBudget);
    CHECK(allNotes(history).empty());
    Batch batch;
    batch.notes.wakes = {{3, kNoCoroutine, 7, 1'000, 42, 43}, {1, 3, ~std::uint64_t{0} >> 8, 1'001, 42, 44}};
    batch.notes.waits = {{5, 9, WaitKind::Coroutine, 0, 6},
                         {5, 11, WaitKind::Lock, ~std::uint64_t{0}, kNoCoroutine, 524'287}};
    batch.notes.uses = {{5, 12, UseKind::Acquired, ~std::uint64_t{0}, 3, 1'002, 42, 45},
                        {kNoCoroutine, 0, UseKind::Signalled, 1, kUnknownSite, 1'003, 42, 46}};
    batch.notes.wakersLeft = {{5, 13, ~std::uint64_t{0}, 1'004}};
    batch.notes.finishes = {{5, 1'005, 4}};
    feed(history, batch);
    const Notes notes = allNotes(history);
    REQUIRE(notes.wakes.size() == 2 && notes.waits.size() == 2);
    CHECK_EQUAL(notes.wakes[0].coroutine, 3U);
    CHECK_EQUAL(notes.wakes[0].by, kNoCoroutine);
    CHECK_EQUAL(notes.wakes[0].n, 7U);
    CHECK_EQUAL(notes.wakes[0].ts, 1'000U);
    CHECK_EQUAL(notes.wakes[0].pid, 42U);
    CHECK_EQUAL(notes.wakes[0].tid, 43U);
    CHECK_EQUAL(notes.wakes[1].n, ~std::uint64_t{0} >> 8);
    CHECK(notes.waits[0].kind == WaitKind::Coroutine && notes.waits[0].target == 6);
    CHECK(notes.waits[1].kind == WaitKind::Lock && notes.waits[1].object == ~std::uint64_t{0});
    CHECK_EQUAL(notes.waits[1].target, kNoCoroutine);
    REQUIRE(notes.uses.size() == 2 && notes.wakersLeft.size() == 1 && notes.finishes.size() == 1);
    CHECK(notes.waits[0].part == 0 && notes.waits[1].part == 524'287);
    CHECK(notes.uses[0].by == 5 && notes.uses[0].n == 12 && notes.uses[0].kind == UseKind::Acquired);
    CHECK(notes.uses[0].object == ~std::uint64_t{0} && notes.uses[0].site == 3 && notes.uses[0].ts == 1'002);
    CHECK(notes.uses[0].pid == 42 && notes.uses[0].tid == 45);
    CHECK(notes.uses[1].by == kNoCoroutine && notes.uses[1].kind == UseKind::Signalled);
    CHECK(notes.wakersLeft[0].coroutine == 5 && notes.wakersLeft[0].n == 13 && notes.wakersLeft[0].ts == 1'004);
    CHECK_EQUAL(notes.wakersLeft[0].count, ~std::uint64_t{0});
    CHECK(notes.finishes[0].coroutine == 5 && notes.finishes[0].ts == 1'005 && notes.finishes[0].site == 4);
    CHECK_EQUAL(history.noteCount(), 8U);
    CHECK_EQUAL(history.evictedNotes(), 0U);
    CHECK_EQUAL(history.bytesUsed(), 8U * 40);
}

CT_CASE(evictsTheOldestNotesAndCountsThem)
{
    History history(kBudget);
    constexpr std::uint64_t kWakes = 2 * kRoom + 12'345;
    for (std::uint64_t first = 0; first < kWakes; first += 5'000)
        feedWakes(history, first, std::min<std::uint64_t>(5'000, kWakes - first));
    const Notes notes = allNotes(history);
    CHECK_EQUAL(history.noteCount(), kWakes);
    CHECK_EQUAL(notes.wakes.size(), kRoom);
    CHECK_EQUAL(notes.wakes.size() + history.evictedNotes(), kWakes);
    CHECK_EQUAL(history.bytesUsed(), kRoom * 40);
    for (std::size_t i = 0; i < notes.wakes.size(); ++i)
        REQUIRE(notes.wakes[i].n == kWakes - kRoom + i && isWhole(notes.wakes[i]));
}

CT_CASE(evictsNotesOlderThanTheLimit)
{
    constexpr std::uint64_t kKeep = 3'000;
    History history(kBudget, kKeep);
    for (std::uint64_t first = 0; first < 10'000; first += 500)
        feedWakes(history, first, 500);
    Batch batch;
    batch.notes.waits = {{1, 2, WaitKind::Timer, 5, kNoCoroutine}};
    batch.now = 30'000;
    feed(history, batch);
    Notes notes = allNotes(history);
    CHECK_EQUAL(notes.wakes.size(), 1'000U);
    CHECK_EQUAL(notes.waits.size(), 1U);
    batch.clear();
    batch.now = 40'000;
    feed(history, batch);
    CHECK(allNotes(history).empty());
    CHECK_EQUAL(history.evictedNotes(), history.noteCount());
}

CT_CASE(readersSeeWholeNotesOnly)
{
    History history(kBudget);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        for (std::uint64_t first = 0; first < 10 * kRoom; first += 1'000)
            feedWakes(history, first, 1'000);
        stop.store(true, std::memory_order_release);
    });
    std::uint64_t seen = 0;
    for (bool last = false; !last;) {
        last = stop.load(std::memory_order_acquire);
        std::uint64_t position = 0;
        std::uint64_t next = 0;
        Notes notes;
        while (history.readNotes(position, 100, notes)) {
            for (const Wake &it : notes.wakes) {
                if (!isWhole(it) || it.n < next)
                    REQUIRE(!"a torn note");
                next = it.n + 1;
                ++seen;
            }
            notes.clear();
        }
    }
    writer.join();
    CHECK(seen >= kRoom);
}
