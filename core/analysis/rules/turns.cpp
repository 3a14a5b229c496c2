// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/turns.h"

#include <algorithm>

namespace ct::rules {

std::uint64_t wokenAtOf(const Waiting &waiting)
{
    return std::max(waiting.lastWake->ts, waiting.since);
}

std::uint64_t Turns::overtaken(const Waiting &waiting, std::uint64_t readyAt)
{
    const std::uint64_t most = m_facts.thresholds().overtaken;
    const auto &wakes = m_facts.process(waiting.pid).wakesThatRan;
    const std::uint64_t from = readyAt + m_facts.thresholds().shortestNs;
    const auto later = std::upper_bound(wakes.begin(), wakes.end(), std::pair(from, kNoCoroutine));
    auto times = static_cast<std::uint64_t>(wakes.end() - later);  // each has run at least once
    for (auto wake = later; wake != wakes.end() && times < most && m_historiesLeft != 0; ++wake) {
        --m_historiesLeft;
        const auto events = m_facts.history().events(wake->second, from, m_facts.now(), 2 * most);
        const auto resumed = std::count_if(events.begin(), events.end(), [](const HistoryEvent &event) {
            return event.type == HistoryEvent::Type::Resume;
        });
        times += static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(resumed, 1) - 1);
    }
    return times;
}

std::uint64_t Turns::mostOfOne(const Waiting &waiting, std::uint64_t readyAt)
{
    constexpr std::size_t kMostEvents = 512;
    const auto &wakes = m_facts.process(waiting.pid).wakesThatRan;
    const std::uint64_t from = readyAt + m_facts.thresholds().shortestNs;
    std::uint64_t most = 0;
    for (auto wake = std::upper_bound(wakes.begin(), wakes.end(), std::pair(from, kNoCoroutine));
         wake != wakes.end() && most < m_facts.thresholds().overtaken && m_historiesLeft != 0; ++wake) {
        --m_historiesLeft;
        const auto events = m_facts.history().events(wake->second, from, m_facts.now(), kMostEvents);
        const auto turns = std::count_if(events.begin(), events.end(), [&](const HistoryEvent &event) {
            return event.type == HistoryEvent::Type::Resume && event.tid == waiting.tid && event.ts > from;
        });
        most = std::max(most, static_cast<std::uint64_t>(turns));
    }
    return most;
}

std::uint64_t Turns::longestDelay(const Waiting &waiting) const
{
    const std::optional<RecentCauses> recent = m_facts.objects().recentOf(waiting.coroutine);
    std::uint64_t longest = 0;
    for (std::size_t i = 0; recent && i < recent->wakes.size(); ++i) {
        const std::uint64_t ts = recent->wakes.at(i).ts;
        if (ts == 0 || ts >= waiting.since)
            continue;
        const auto events = m_facts.history().events(waiting.coroutine, ts, waiting.since, 2);
        if (events.size() == 2 && events[0].type == HistoryEvent::Type::Suspend &&
            events[1].type == HistoryEvent::Type::Resume)
            longest = std::max(longest, events[1].ts - std::min(events[1].ts, ts));
    }
    return longest;
}

/// True if samples show that the thread slept for a time while it ran no coroutine, several times since `since` (ns):
/// so does a worker that looks for work again and again. A coroutine that sleeps keeps its thread.
bool Turns::hasPaused(std::uint32_t pid, std::uint32_t tid, std::uint64_t since)
{
    constexpr std::uint64_t kVisitNs = 5'000'000;  // a visit of the threads takes so long at most
    constexpr std::size_t kPauses = 3;
    std::size_t pauses = 0;
    for (const ThreadSample &row : m_facts.population().samples().threadSamples(m_facts.sampledPid(pid), since)) {
        if (row.tid != tid || row.ts <= since || row.ts + kVisitNs > m_facts.now() || !row.isSleeping() ||
            row.call != ThreadCall::Sleep)
            continue;
        const RunLog &log = m_logs.try_emplace(pid, m_facts, pid, m_facts.now()).first->second;
        pauses += log.mayHaveRunOn(tid, row.ts, row.ts + kVisitNs) ? 0 : 1;
        if (pauses == kPauses)
            return true;
    }
    return false;
}

std::optional<Turns::Due> Turns::due(const Waiting &waiting, std::uint64_t readyAt, std::uint64_t others)
{
    const Thresholds &limits = m_facts.thresholds();
    const ProcessFacts &process = m_facts.process(waiting.pid);
    const bool wasIdle = m_facts.wasIdle(m_facts.sampledPid(waiting.pid), waiting.tid, readyAt + limits.shortestNs);
    if (others >= limits.overtaken && (wasIdle || hasPaused(waiting.pid, waiting.tid, readyAt + limits.shortestNs)))
        return Due{0.95, "coroutines that were woken later have run " + std::to_string(others) +
                             " times since, and thread " + std::to_string(waiting.tid) +
                             ", on which it ran, has slept"};
    const bool isQuiet = process.running.empty() && m_facts.watched(waiting.pid, process.lastEvent) >= limits.wokenNs;
    if (isQuiet && (wasIdle || (process.threads.areKnown && process.threads.allSleep)))
        return Due{0.9, "no traced coroutine runs, so no thread is busy with another one"};
    constexpr std::uint64_t kVisits = 3;  // a thread with work may wait for a lock at one of them
    const std::uint64_t visits = m_facts.idleVisits(waiting.pid, readyAt + limits.shortestNs);
    const bool isKept = std::any_of(process.running.begin(), process.running.end(),
                                    [readyAt](const Running &running) { return running.since <= readyAt; });
    if (visits >= kVisits && !isKept)
        return Due{0.9, "all threads that run coroutines slept at " + std::to_string(visits) +
                            " looks at them since, so none of them had it to run"};
    return std::nullopt;
}

}  // namespace ct::rules
