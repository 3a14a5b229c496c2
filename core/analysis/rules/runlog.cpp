// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/runlog.h"

#include <algorithm>
#include <unordered_map>

namespace ct::rules {

namespace {

/// In version 1, the start of the body is no event. So long before its first suspension, a coroutine ran.
constexpr std::uint64_t kFirstRunNs = 200'000;

}  // namespace

RunLog::RunLog(const Facts &facts, std::uint32_t pid, std::uint64_t to) : m_to(to)
{
    const Population &population = facts.population();
    std::vector<CoroutineSnapshot> coroutines;
    std::uint64_t events = 0;
    std::uint64_t first = to;
    for (CoroutineId id = 0; id < population.size(); ++id) {
        const CoroutineSnapshot snapshot = population.at(id);
        if (!snapshot.kept || snapshot.pid != pid || snapshot.events == 0)
            continue;
        events += snapshot.events;
        first = std::min(first, snapshot.birthTs);
        coroutines.push_back(snapshot);
    }
    const double share = events > kMostEvents ? static_cast<double>(kMostEvents) / static_cast<double>(events) : 1;
    const std::uint64_t from = to - static_cast<std::uint64_t>(static_cast<double>(to - first) * share);
    for (const CoroutineSnapshot &snapshot : coroutines)
        add(facts, snapshot, from, to);
    order();
}

void RunLog::order()
{
    std::sort(m_runs.begin(), m_runs.end(), [](const Run &a, const Run &b) { return a.begin < b.begin; });
    // In version 1, the end of the body is no event, and the death is noticed late.
    std::unordered_map<std::uint32_t, std::uint64_t> next;  // run on each thread
    for (auto run = m_runs.rbegin(); run != m_runs.rend(); ++run) {
        const auto [found, isNew] = next.try_emplace(run->tid, run->begin);
        if (run->isLast && !isNew)
            run->end = std::clamp(run->end, run->begin, std::max(run->begin, found->second));
        found->second = run->begin;
    }
    std::uint64_t latestEnd = 0;
    for (Run &run : m_runs)
        run.latestEnd = latestEnd = std::max(latestEnd, run.end);
}

void RunLog::add(const Facts &facts, const CoroutineSnapshot &snapshot, std::uint64_t from, std::uint64_t to)
{
    const auto events = facts.history().events(snapshot.id, from, to, m_left);
    m_left -= std::min<std::uint64_t>(m_left, events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        const HistoryEvent &event = events[i];
        const bool follows = i != 0 && events[i - 1].n + 1 == event.n;
        if (event.type == HistoryEvent::Type::Suspend) {
            const bool hasBegin = follows && events[i - 1].type == HistoryEvent::Type::Resume;
            const std::uint64_t begin = std::max(snapshot.birthTs, event.ts - std::min(event.ts, kFirstRunNs));
            m_runs.push_back(
                {hasBegin ? events[i - 1].ts : std::min(begin, event.ts), event.ts, snapshot.id, event.tid});
        } else if (event.type == HistoryEvent::Type::Resume && follows &&
                   events[i - 1].type == HistoryEvent::Type::Suspend && events[i - 1].kind == PointKind::Await) {
            m_waits.push_back({snapshot.id, events[i - 1].site, events[i - 1].ts, event.ts});
        }
    }
    if (events.empty() || events.back().type != HistoryEvent::Type::Resume)
        return;
    const bool runs = snapshot.state == CoroutineState::Running;
    const std::uint64_t end = std::min(runs ? facts.now() : snapshot.since, to);
    m_runs.push_back({events.back().ts, std::max(events.back().ts, end), snapshot.id, events.back().tid, !runs});
}

std::vector<CoroutineId> RunLog::ranBefore(std::uint64_t ts, std::uint64_t delayNs, CoroutineId self) const
{
    std::vector<CoroutineId> coroutines;
    auto run = std::upper_bound(m_runs.begin(), m_runs.end(), ts,
                                [](std::uint64_t wanted, const Run &one) { return wanted < one.begin; });
    for (std::uint64_t looks = 0; run != m_runs.begin() && (--run)->latestEnd + delayNs >= ts; ++looks) {
        if (looks == kMostRuns || m_looksLeft == 0)
            return {};
        --m_looksLeft;
        if (run->end + delayNs >= ts && run->coroutine != self)
            coroutines.push_back(run->coroutine);
    }
    std::sort(coroutines.begin(), coroutines.end());
    coroutines.erase(std::unique(coroutines.begin(), coroutines.end()), coroutines.end());
    return coroutines;
}

bool RunLog::mayHaveRunOn(std::uint32_t tid, std::uint64_t from, std::uint64_t to) const
{
    if (m_runs.empty() || from < m_runs.front().begin)
        return true;
    auto run = std::upper_bound(m_runs.begin(), m_runs.end(), to,
                                [](std::uint64_t wanted, const Run &one) { return wanted < one.begin; });
    while (run != m_runs.begin() && (--run)->latestEnd >= from) {
        if (m_looksLeft == 0)
            return true;
        --m_looksLeft;
        if (run->tid == tid && run->end >= from)
            return true;
    }
    return false;
}

double RunLog::shareOf(const Coroutines &coroutines, std::uint64_t delayNs) const
{
    const std::uint64_t from = m_runs.empty() ? m_to : m_runs.front().begin;
    std::uint64_t covered = 0;
    std::uint64_t reached = from;
    for (const Run &run : m_runs) {
        const std::uint64_t begin = std::max(run.begin, reached);
        const std::uint64_t end = std::min(run.end + delayNs, m_to);
        if (begin >= end || !coroutines.contains(run.coroutine))
            continue;
        covered += end - begin;
        reached = end;
    }
    return m_to > from ? static_cast<double>(covered) / static_cast<double>(m_to - from) : 1;
}

}  // namespace ct::rules
