// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all rules judge, collected once: who waits and since when, who runs, what was woken.
#pragma once

#include "core/analysis/descriptorfacts.h"
#include "core/analysis/judgedata.h"
#include "core/analysis/threadfacts.h"
#include "core/analysis/thresholds.h"
#include "core/analysis/watchedtime.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct {

/// What a judgement is about. All must outlive the Facts.
struct Subject {
    const Population &population;
    const JudgeData &data;
    const History &history;
};

/// A coroutine that is suspended, and not at its final suspension.
struct Waiting {
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t pid = 0;
    SiteId site = kUnknownSite;
    std::uint64_t addr = 0;
    std::uint64_t since = 0;      ///< ns, CLOCK_MONOTONIC
    std::uint64_t watchedNs = 0;  ///< duration while its process lived and was traced
    std::uint64_t events = 0;     ///< number of its next event
    std::uint32_t tid = 0;        ///< thread of the suspension
    PointKind kind = PointKind::Await;
    bool woken = false;              ///< for this suspension
    bool wokenTooEarly = false;      ///< the latest wake came while it ran, before this suspension was published
    std::optional<Wake> lastWake;    ///< of any suspension
    std::span<const WaitsOn> waits;  ///< its objects, part of the Facts; empty: not reported
};

/// A coroutine that is alive, suspended or finished, and had no event for Thresholds::leakNs.
struct Idle {
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t pid = 0;
    SiteId site = kUnknownSite;
    SiteId body = kUnknownSite;  ///< see bodySiteOf()
    bool hasFinished = false;
    std::uint64_t birthTs = 0;  ///< ns, CLOCK_MONOTONIC; known
    std::uint64_t since = 0;
};

/// The site by which a coroutine's function is known: the first one in its body, else the latest one.
inline SiteId bodySiteOf(const CoroutineSnapshot &snapshot)
{
    return snapshot.bodySite != kUnknownSite ? snapshot.bodySite : snapshot.site;
}

struct Running {
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t tid = 0;
    std::uint64_t since = 0;
};

/// What is known of one process.
struct ProcessFacts {
    ThreadFacts threads;
    DescriptorFacts descriptors;
    std::uint64_t lastEvent = 0;   ///< ns: the latest transition of any of its coroutines
    std::vector<Running> running;  ///< in the order of ids
    /// Latest wakes (ns) of coroutines that have run since, with the coroutine; ascending. Empty unless a coroutine was
    /// woken at least Thresholds::wokenNs ago, and has not run.
    std::vector<std::pair<std::uint64_t, CoroutineId>> wakesThatRan;
    bool anyWoken = false;          ///< there is such a coroutine
    bool lostNotes = false;         ///< wakes or uses may be missing
    std::uint64_t tracedSince = 0;  ///< see WatchedTime::tracedSince()
    /// Times in which one of its threads with coroutines was overloaded; in order, without overlaps.
    std::vector<OverloadedTimes::Interval> overloaded;
};

class Facts {
public:
    /// `now` (ns, CLOCK_MONOTONIC): the instant of the judgement.
    Facts(const Subject &subject, std::uint64_t now, const Thresholds &thresholds);
    Facts(const Facts &) = delete;
    Facts &operator=(const Facts &) = delete;

    const Population &population() const { return m_subject.population; }
    const ObjectHistory &objects() const { return m_subject.data.objects(); }
    const EndedCoroutines &ended() const { return m_subject.data.ended(); }
    const FrameFunctions &functions() const { return m_subject.data.functions(); }
    const FunctionWaits &functionWaits() const { return m_subject.data.functionWaits(); }
    const History &history() const { return m_subject.history; }
    const Thresholds &thresholds() const { return m_thresholds; }
    std::uint64_t now() const { return m_now; }

    /// Suspended for at least Thresholds::shortestNs, without an interruption of tracing; by id.
    const std::vector<Waiting> &waiting() const { return m_waiting; }
    const std::vector<Idle> &idle() const { return m_idle; }  ///< by id
    /// Coroutines whose process had tracing off since they were suspended: they may have run in the meantime.
    std::uint64_t waitedWithoutTracing() const { return m_waitedWithoutTracing; }
    std::uint64_t unknown() const { return m_unknown; }  ///< coroutines whose latest transition was lost
    std::uint64_t flagged() const { return m_flagged; }
    std::uint64_t missed() const { return m_missed; }              ///< events from before the capture
    std::uint64_t withoutLanes() const { return m_withoutLanes; }  ///< coroutines in full stations
    /// Coroutines that a rule names at most, where an endless number can be found.
    static constexpr std::size_t kMostExamples = 1000;
    const Waiting *waiting(CoroutineId id) const;  ///< nullptr if it is not among them
    const ProcessFacts &process(std::uint32_t pid) const;
    /// Returns the ns from `since` on during which the process lived and was traced.
    std::uint64_t watched(std::uint32_t pid, std::uint64_t since) const { return m_watched.since(pid, since); }
    /// Returns the ns from `since` on in which the process lived and was traced, and in which none of its threads with
    /// coroutines was overloaded: waited for a processor for more than Thresholds::overloadShare of the time.
    std::uint64_t watchedWithoutOverload(std::uint32_t pid, std::uint64_t since) const;
    /// True if the process ended while a coroutine was in a state that it has had since `ts` (ns).
    bool hasEnded(std::uint32_t pid, std::uint64_t ts) const { return m_watched.hasEnded(pid, ts); }
    /// How long (ns) the threads of the process have only been able to wake one another, and no traced coroutine has
    /// run; 0 = something else can happen, or that is not known.
    std::uint64_t stalledNs(std::uint32_t pid) const;
    bool isStalled(std::uint32_t pid) const { return stalledNs(pid) >= m_thresholds.stallNs; }
    /// True if the process had the time to react to what happened at `ts` (ns): its coroutines changed their states
    /// half of Thresholds::satisfiedNs later or more, or all its threads slept then; and no coroutine has run since
    /// `ts`.
    bool couldReact(std::uint32_t pid, std::uint64_t ts) const;
    /// True if the thread was seen to sleep after `ts`, as a worker without work does.
    bool wasIdle(std::uint32_t pid, std::uint32_t tid, std::uint64_t ts) const;
    /// At how many visits after `ts` all threads that run coroutines were seen to sleep, as workers without work do.
    std::uint64_t idleVisits(std::uint32_t pid, std::uint64_t ts) const;
    /// True if another coroutine changed its state on the thread after `ts`.
    bool ranLater(std::uint32_t pid, std::uint32_t tid, CoroutineId self, std::uint64_t ts) const;
    const std::unordered_map<std::uint32_t, ProcessFacts> &processes() const { return m_processes; }  ///< by pid
    std::uint32_t sampledPid(std::uint32_t pid) const { return sampledPidOf(population(), pid); }
    /// True if a waiter for the object, other than `self`, was not woken and has changed its state since `ts`.
    bool hasWaiterThatWentOn(std::uint32_t pid, std::uint64_t object, CoroutineId self, std::uint64_t ts) const;
    /// True if the coroutine waits for an object whose earlier uses may have been forgotten.
    bool waitsForForgotten(const Waiting &waiting) const;
    /// True if fewer than `count` coroutines have waited for the object since before `ts`, and were not woken.
    bool hasFewerWaiters(std::uint32_t pid, std::uint64_t object, std::uint64_t ts, std::uint64_t count) const;

private:
    const std::vector<CoroutineId> *unwokenWaiters(std::uint64_t object) const;
    void add(const CoroutineSnapshot &snapshot);
    void addWaiting(const CoroutineSnapshot &snapshot, const CoroutineNotes &notes, ProcessFacts &process);

    const Subject m_subject;
    const std::uint64_t m_now;
    const Thresholds m_thresholds;
    const WatchedTime m_watched;
    const bool m_anyForgotten;
    std::vector<Waiting> m_waiting;
    std::deque<std::vector<WaitsOn>> m_severalWaits;  ///< Waiting::waits of coroutines that wait for several objects
    std::deque<WaitsOn> m_singleWaits;                ///< those of the others
    std::vector<Idle> m_idle;
    std::uint64_t m_waitedWithoutTracing = 0;
    std::uint64_t m_unknown = 0;
    std::uint64_t m_flagged = 0;
    std::uint64_t m_missed = 0;
    std::uint64_t m_withoutLanes = 0;
    std::unordered_map<std::uint32_t, ProcessFacts> m_processes;
    mutable std::pair<std::uint32_t, const ProcessFacts *> m_latestProcess{};  ///< that process() returned
    /// The latest change of state on each thread, by pid and tid.
    struct Latest {
        CoroutineId coroutine = kNoCoroutine;
        std::uint64_t ts = 0;
    };
    std::unordered_map<std::uint64_t, Latest> m_latestOfThread;
    mutable std::map<std::uint32_t, std::vector<std::uint64_t>> m_idleVisits;  ///< by pid: ns, ascending
    mutable std::optional<ObjectHistory::Waiters> m_unwoken;                   ///< copied at the first use
    /// Of the waiters for an object, by pid and address: the two that changed their state last, with the time.
    using LatestWaiters = std::array<std::pair<std::uint64_t, CoroutineId>, 2>;
    mutable std::map<std::pair<std::uint32_t, std::uint64_t>, LatestWaiters> m_latestWaiters;
};

/// Texts for messages.
std::string countText(std::uint64_t count, const char *one, const char *several);  ///< "1 wait", "2 waits"
std::string coroutineText(const Population &population, CoroutineId id);           ///< "coroutine 12 (reader)"
std::string wakerText(const Population &population, const Wake &wake);             ///< "coroutine 12 (reader) woke it"
std::string objectText(const WaitsOn &wait);                                       ///< "lock 0x7f00", "descriptor 7"
std::string siteText(const Population &population, SiteId site);  ///< "read at net.cpp:88"; empty if not known

}  // namespace ct
