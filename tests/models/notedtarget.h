// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A simulated target for tests. It writes events and every kind of note about its coroutines into a trace.
#pragma once

#include "core/analysis/judgedata.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <memory>
#include <string>
#include <vector>

namespace ct::test {

class NotedTarget {
public:
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<History> history = std::make_shared<History>(16U << 20U);
    std::shared_ptr<JudgeData> data = std::make_shared<JudgeData>(population);

    static constexpr std::uint32_t kPid = 4711;
    static constexpr std::uint64_t kMs = 1'000'000;

    SiteId site(const std::string &function, const std::string &file, std::uint32_t line)
    {
        batch.sites.push_back({++m_sites, line, 5, file, function});
        return m_sites;
    }
    CoroutineId born(CoroutineId parent = kNoCoroutine, const std::string &name = {}, std::uint32_t pid = kPid)
    {
        const auto id = static_cast<CoroutineId>(m_numbers.size());
        m_numbers.push_back(0);
        Birth birth;
        birth.coroutine = id;
        birth.pid = pid;
        birth.generation = 1;
        birth.dialect = Dialect::Lane;
        birth.probeId = 0x7f4700000000 + id * 64U;
        birth.birthTs = now;
        batch.births.push_back(birth);
        if (parent != kNoCoroutine)
            batch.notes.parents.push_back({id, parent});
        if (!name.empty())
            batch.notes.names.push_back({id, name});
        return id;
    }
    void resume(CoroutineId id, std::uint32_t tid = 101)
    {
        batch.transitions.push_back({now, 0, m_numbers[id]++, 0, id, tid, kUnknownSite, PointKind::Await, true});
    }
    void suspend(CoroutineId id, SiteId at, std::uint32_t tid = 101)
    {
        batch.transitions.push_back({now, 0x400000, m_numbers[id]++, 0, id, tid, at, PointKind::Await, false});
    }
    /// Describes the latest event of the coroutine, which must be a suspension.
    void waits(CoroutineId id, WaitKind kind, std::uint64_t object, CoroutineId target = kNoCoroutine)
    {
        batch.notes.waits.push_back({id, m_numbers[id] - 1, kind, object, target});
    }
    void wakes(CoroutineId id, CoroutineId by, std::uint32_t tid = 102)
    {
        batch.notes.wakes.push_back({id, by, m_numbers[id], now, kPid, tid});
    }
    void destroy(CoroutineId id) { batch.deaths.push_back({id, now}); }
    void process(std::uint32_t pid, const std::string &name) { batch.notes.processes.push_back({pid, now, name}); }
    void thread(std::uint32_t tid, const std::string &name, std::uint32_t pid = kPid)
    {
        batch.notes.threadNames.push_back({pid, tid, name});
    }
    void drops(std::uint32_t tid, std::uint64_t records, std::uint64_t lasted)
    {
        batch.notes.drops.push_back({kPid, tid, records, now - lasted, now});
    }
    void commit(std::uint64_t later = kMs)
    {
        now += later;
        batch.now = now;
        (void)population->consume(batch);
        (void)history->consume(batch);
        (void)data->consume(batch);
        batch.clear();
    }

    Batch batch;
    std::uint64_t now = 5'000'000'000'000;

private:
    std::vector<std::uint64_t> m_numbers;
    SiteId m_sites = 0;
};

}  // namespace ct::test
