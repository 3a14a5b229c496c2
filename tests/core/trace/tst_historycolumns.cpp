// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/trace/historytest.h"

#include <array>
#include <cmath>
#include <random>

using namespace ct;
using namespace ct::test;

namespace {

/// Computes the columns from every single event.
std::vector<History::Column> slowColumns(const History &history, CoroutineId id, std::uint64_t from, std::uint64_t step,
                                         std::size_t count)
{
    std::vector<History::Column> columns(count);
    const std::vector<HistoryEvent> events = all(history, id);
    const std::uint64_t to = from + step * count;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const std::uint64_t end = i + 1 < events.size() ? events[i + 1].ts : history.lastTs();
        if (events[i].type != HistoryEvent::Type::Gap && events[i].ts >= from && events[i].ts < to)
            ++columns[(events[i].ts - from) / step].transitions;
        const bool lasts = events[i].type != HistoryEvent::Type::Gap &&
                           !(i + 1 < events.size() && events[i + 1].type == HistoryEvent::Type::Gap);
        for (std::uint64_t ts = std::max(from, events[i].ts); lasts && ts < std::min(end, to); ++ts) {
            History::Column &column = columns[(ts - from) / step];
            (events[i].type == HistoryEvent::Type::Resume ? column.running : column.suspended) +=
                1.0F / static_cast<float>(step);
        }
    }
    return columns;
}

}  // namespace

CT_CASE(columnsAgreeWithEveryEvent)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0)};
    std::mt19937 random(3);
    std::uint64_t ts = 100;
    std::uint64_t n = 0;
    for (int i = 0; i < 3000; ++i, ++n) {
        ts += random() % (n % 2 != 0 ? 60 : 10);  // suspended for much longer than running
        if (i % 500 == 499)
            n += 3;
        batch.transitions.push_back(transition(0, n, ts));
    }
    feed(history, batch);
    for (const std::uint64_t step : {1U, 13U, 29U}) {
        std::vector<History::Column> columns(200);
        history.columns(0, 90, step, columns);
        const std::vector<History::Column> expected = slowColumns(history, 0, 90, step, 200);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            CHECK(std::abs(columns[i].running - expected[i].running) < 0.02F);
            CHECK(std::abs(columns[i].suspended - expected[i].suspended) < 0.02F);
            CHECK_EQUAL(columns[i].transitions, expected[i].transitions);
        }
    }
    // Columns that cover whole blocks: the sums are exact, the positions are right to within a column.
    std::vector<History::Column> coarse(8);
    const std::uint64_t step = (ts - 90) / 8 + 1;
    history.columns(0, 90, step, coarse);
    const std::vector<History::Column> expected = slowColumns(history, 0, 90, step, 8);
    double sums[2] = {0, 0};
    std::uint32_t transitions = 0;
    bool gap = false;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
        sums[0] += coarse[i].running + coarse[i].suspended;
        sums[1] += expected[i].running + expected[i].suspended;
        transitions += coarse[i].transitions;
        gap = gap || coarse[i].gap;
        CHECK_EQUAL(coarse[i].site, 5U);
        CHECK(std::abs(coarse[i].running - expected[i].running) < 0.1F);
    }
    CHECK(std::abs(sums[0] - sums[1]) < 0.02);
    CHECK_EQUAL(transitions, 3000U);
    CHECK(gap);
}

CT_CASE(theLatestStateLastsUntilNowOrDeath)
{
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1), birth(2)};
    batch.transitions = {transition(0, 0, 100), transition(1, 0, 100), transition(2, 0, 100)};
    batch.transitions[2].kind = PointKind::Final;
    batch.deaths = {{1, 150}};
    batch.now = 300;
    feed(history, batch);
    std::vector<History::Column> columns(4);
    const auto suspendedAt = [&](CoroutineId id, std::size_t column) {
        history.columns(id, 0, 100, columns);
        return columns[column].suspended;
    };
    CHECK_EQUAL(suspendedAt(0, 0), 0.0F);
    CHECK_EQUAL(suspendedAt(0, 1), 1.0F);
    CHECK_EQUAL(suspendedAt(0, 2), 1.0F);
    CHECK_EQUAL(suspendedAt(0, 3), 0.0F);
    CHECK_EQUAL(suspendedAt(1, 1), 0.5F);
    CHECK_EQUAL(suspendedAt(1, 2), 0.0F);
    CHECK_EQUAL(suspendedAt(2, 1), 0.0F);  // finished: it waits for nothing
    history.columns(9, 0, 100, columns);
    history.columns(0, 0, 0, columns);
    history.columns(0, ~0ULL - 5, 100, columns);
}

CT_CASE(sumsOfBlocksAgreeWithSingleEvents)
{
    // Three coroutines over several slabs. The first query computes the sums; the second one uses them.
    History history(kSmallest);
    Batch batch;
    batch.births = {birth(0), birth(1), birth(2)};
    std::mt19937 random(17);
    std::uint64_t ts = 1000;
    std::array<std::uint64_t, 3> n{};
    for (int i = 0; i < 300'000; ++i) {
        const CoroutineId id = random() % 3;
        Transition event = transition(id, n[id]++, ts += random() % 30);
        event.kind = random() % 50 == 0 ? PointKind::Final : PointKind::Await;
        event.site = event.active ? kUnknownSite : 1 + random() % 9;
        n[id] += random() % 5000 == 0 ? 3 : 0;
        batch.transitions.push_back(event);
    }
    batch.now = ts;
    feed(history, batch);
    for (const std::size_t count : {1U, 7U, 64U, 500U}) {
        const std::uint64_t step = (ts - 900) / count + 1;
        for (CoroutineId id = 0; id < 3; ++id) {
            std::vector<History::Column> first(count);
            std::vector<History::Column> second(count);
            history.columns(id, 900, step, first);
            history.columns(id, 900, step, second);
            std::vector<std::uint32_t> transitions(count);
            std::vector<SiteId> sites(count, kUnknownSite);
            std::vector<double> running(count);
            std::vector<HistoryEvent> events = all(history, id);
            for (std::size_t i = 0; i < events.size(); ++i) {
                const std::size_t at = (events[i].ts - 900) / step;
                if (events[i].type == HistoryEvent::Type::Gap)
                    continue;
                ++transitions[at];
                if (events[i].type == HistoryEvent::Type::Suspend)
                    sites[at] = events[i].site;
                const bool known = i + 1 == events.size() || events[i + 1].type != HistoryEvent::Type::Gap;
                const std::uint64_t end = i + 1 < events.size() ? events[i + 1].ts : ts;
                for (std::size_t column = at; events[i].type == HistoryEvent::Type::Resume && known; ++column) {
                    const std::uint64_t begin = std::max(events[i].ts, 900 + column * step);
                    if (begin >= end)
                        break;
                    running[column] += static_cast<double>(std::min(end, 900 + (column + 1) * step) - begin);
                }
            }
            for (std::size_t i = 0; i < count; ++i) {
                for (const History::Column &column : {first[i], second[i]}) {
                    CHECK_EQUAL(column.transitions, transitions[i]);
                    CHECK(std::abs(column.running - running[i] / static_cast<double>(step)) < 0.01);
                    CHECK(sites[i] == kUnknownSite || column.site == sites[i]);
                }
                CHECK_EQUAL(first[i].gap, second[i].gap);
                CHECK(std::abs(first[i].suspended - second[i].suspended) < 0.01F);
            }
        }
    }
}
