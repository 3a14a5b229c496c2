// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A simulated trace for the tests of the timeline. A test may write one coroutine after the other: events are sorted by
// time before they are consumed, as a source emits them.
#pragma once

#include "core/trace/history.h"
#include "core/trace/population.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ct::test {

class TimelineTrace {
public:
    explicit TimelineTrace(std::uint64_t budget = 16U << 20U) : history(budget) {}

    static constexpr std::uint32_t kPid = 4711;

    Population population;
    History history;

    SiteId site(const std::string &function, const std::string &file, std::uint32_t line)
    {
        m_batch.sites.push_back({++m_sites, line, 5, file, function});
        return m_sites;
    }
    CoroutineId born(std::uint64_t ts)
    {
        const auto id = static_cast<CoroutineId>(m_numbers.size());
        m_numbers.push_back(0);
        m_batch.births.push_back({id, id, 0, kPid, Dialect::Seqlock, 0x1000U + id * 64U, ts});
        return id;
    }
    void resume(CoroutineId id, std::uint64_t ts, std::uint32_t tid = 1)
    {
        m_batch.transitions.push_back({ts, 0, m_numbers[id]++, 0, id, tid, kUnknownSite, PointKind::Await, true});
    }
    void suspend(CoroutineId id, std::uint64_t ts, SiteId site, PointKind kind = PointKind::Await)
    {
        m_batch.transitions.push_back({ts, 0x400000, m_numbers[id]++, 0, id, 1, site, kind, false});
    }
    /// The next `count` events of the coroutine are lost.
    void lose(CoroutineId id, std::uint64_t count)
    {
        m_batch.losses.push_back({id, m_numbers[id], count, false});
        m_numbers[id] += count;
    }
    /// Wakes the latest suspension of the coroutine.
    void wake(CoroutineId id, std::uint64_t ts)
    {
        m_batch.notes.wakes.push_back({id, kNoCoroutine, m_numbers[id], ts, kPid, 2});
    }
    void destroy(CoroutineId id, std::uint64_t ts) { m_batch.deaths.push_back({id, ts}); }
    void processEnds(std::uint64_t ts) { m_batch.notes.processEnds.push_back({kPid, ts}); }

    /// Only the population consumes the batch. The history consumes it in the next pass(), as a sink that lags behind.
    void passToPopulationOnly(std::uint64_t now)
    {
        sort(now);
        (void)population.consume(m_batch);
        m_late.push_back(std::exchange(m_batch, {}));
    }
    void pass(std::uint64_t now)
    {
        for (const Batch &late : m_late)
            (void)history.consume(late);
        m_late.clear();
        sort(now);
        (void)history.consume(m_batch);
        (void)population.consume(m_batch);
        m_batch.clear();
    }

private:
    void sort(std::uint64_t now)
    {
        std::stable_sort(m_batch.transitions.begin(), m_batch.transitions.end(),
                         [](const Transition &a, const Transition &b) { return a.ts < b.ts; });
        m_batch.now = now;
    }

    std::vector<Batch> m_late;
    Batch m_batch;
    std::vector<std::uint64_t> m_numbers;
    SiteId m_sites = 0;
};

}  // namespace ct::test
