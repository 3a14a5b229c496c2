// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Starvation: a coroutine was woken, and waits long for a thread. It is a warning if its thread is given to others: to
// a long run or a blocking call, or to one coroutine again and again. Else it is information: the threads may have too
// much work, or a worker sleeps that the scheduler could have used.
#include "core/analysis/rules/occupants.h"
#include "core/analysis/rules/references.h"
#include "core/analysis/rules/turns.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ct::rules {

namespace {

/// Why a coroutine of a process has to wait for a thread.
class Workers {
public:
    Workers(const Facts &facts, std::uint32_t pid) : m_facts(facts), m_occupants(occupantsOf(facts, pid).known)
    {
        const ThreadFacts &threads = facts.process(pid).threads;
        if (!threads.areKnown)
            return;
        m_until = threads.knownUntil;
        for (const ThreadSample &row : latestThreadSamples(facts.population(), facts.sampledPid(pid), m_until))
            if (isIdle(row))
                m_idleSince.emplace(row.tid, row.ts);
    }

    bool areTaken() const { return !m_occupants.empty(); }
    /// "coroutine 3 has thread 12 for 2.00 s". Only if a thread is taken.
    std::string occupantText() const
    {
        const Occupant &first = m_occupants.front();
        return coroutineText(m_facts.population(), first.running.coroutine) + " has thread " +
               std::to_string(first.running.tid) + " for " + durationText(first.lastedNs);
    }
    bool sleep() const { return !m_idleSince.empty(); }  ///< one of them, or more
    /// A thread on which the coroutine ran, and how long (ns) it has slept since `wokenAt` (ns); nullopt unless that is
    /// Thresholds::parkedNs. Samples have a row for a thread only when its state has changed, so a thread whose latest
    /// row says that it sleeps has slept since.
    std::optional<std::pair<std::uint32_t, std::uint64_t>> sleepingFor(const Waiting &waiting,
                                                                       std::uint64_t wokenAt) const
    {
        for (const std::uint32_t tid : recentThreads(m_facts, waiting)) {
            const auto idle = m_idleSince.find(tid);
            const std::uint64_t from = idle != m_idleSince.end() ? std::max(idle->second, wokenAt) : m_until;
            if (m_until >= from + m_facts.thresholds().parkedNs)
                return std::pair(tid, m_until - from);
        }
        return std::nullopt;
    }

private:
    const Facts &m_facts;
    const std::vector<Occupant> m_occupants;
    std::unordered_map<std::uint32_t, std::uint64_t> m_idleSince;  ///< by tid: ns
    std::uint64_t m_until = 0;  ///< ns: up to when the threads are known to sleep; 0 = not known
};

class Starvation {
public:
    Starvation(const Facts &facts, VerdictBuilder &verdict) : m_facts(facts), m_verdict(verdict) {}

    /// Judges a coroutine that was woken.
    void judge(const Waiting &waiting);

private:
    struct Woken {
        const Waiting &waiting;
        std::uint64_t at = 0;          ///< ns
        std::uint64_t durationNs = 0;  ///< since then
    };
    bool isBehindAnOccupant(const Woken &woken, const Workers &workers);
    bool isPassedOver(const Woken &woken);
    bool hasSleepingWorker(const Woken &woken, const Workers &workers);
    void judgeLong(const Woken &woken);
    template <class Evidence>
    void add(Severity severity, const Woken &woken, const char *what, Evidence evidence)
    {
        m_verdict.add(Rule::Starvation, severity, severity == Severity::Info ? 0.5 : 0.7, woken.waiting, [&] {
            std::vector<std::string> texts = {wakerText(m_facts.population(), *woken.waiting.lastWake)};
            if (std::string further = evidence(); !further.empty())
                texts.push_back(std::move(further));
            return VerdictBuilder::Text{"woken " + durationText(woken.durationNs) + " ago, and " + what,
                                        std::move(texts)};
        });
    }

    const Facts &m_facts;
    VerdictBuilder &m_verdict;
    Turns m_turns{m_facts};
    References m_references{m_facts};
    std::unordered_map<std::uint32_t, Workers> m_workers;  ///< by pid
    std::size_t m_historiesLeft = 2000;                    ///< each costs some us
};

bool Starvation::isBehindAnOccupant(const Woken &woken, const Workers &workers)
{
    if (woken.durationNs < m_facts.thresholds().starvationNs || !workers.areTaken())
        return false;
    add(Severity::Warning, woken, "waits for a thread", [&workers] { return workers.occupantText(); });
    return true;
}

/// Another coroutine has had its thread again and again instead. A fair scheduler gives each coroutine that is woken
/// one turn. One that prefers others for a while has let earlier waits take as long.
bool Starvation::isPassedOver(const Woken &woken)
{
    const Thresholds &limits = m_facts.thresholds();
    if (woken.durationNs < limits.wokenNs ||
        woken.waiting.watchedNs <= m_references.lateAfter(m_references.of(m_references.keyOf(woken.waiting))))
        return false;
    const std::uint64_t times = m_turns.mostOfOne(woken.waiting, woken.at);
    if (times < limits.overtaken)
        return false;
    add(Severity::Warning, woken, "others have had its thread again and again", [times] {
        return "one coroutine, which was woken later each time, has had its thread " + std::to_string(times) +
               " times since";
    });
    return true;
}

/// That is no defect by itself: schedulers that bind coroutines to threads, and lock these, let others wait.
bool Starvation::hasSleepingWorker(const Woken &woken, const Workers &workers)
{
    if (!workers.sleep() || m_historiesLeft == 0)
        return false;
    --m_historiesLeft;
    const auto sleeping = workers.sleepingFor(woken.waiting, woken.at);
    if (sleeping)
        add(Severity::Info, woken, "a thread that could run it sleeps", [&sleeping] {
            return "thread " + std::to_string(sleeping->first) + ", on which it ran before, has slept for " +
                   durationText(sleeping->second) + " since";
        });
    return sleeping.has_value();
}

/// Its threads may have too much to do. Without samples, only the turns of others show that the process runs at all.
void Starvation::judgeLong(const Woken &woken)
{
    const std::uint64_t others = m_turns.overtaken(woken.waiting, woken.at);
    if (!m_facts.process(woken.waiting.pid).threads.areKnown && others < m_facts.thresholds().overtaken)
        m_verdict.abstain(Rule::Starvation, "what the threads of the process do is not known");
    else
        add(Severity::Info, woken, "has not run since", [others] {
            return others == 0
                       ? std::string()
                       : "coroutines that were woken later have run " + countText(others, "time", "times") + " since";
        });
}

void Starvation::judge(const Waiting &waiting)
{
    const Thresholds &limits = m_facts.thresholds();
    const std::uint64_t wokenAt = wokenAtOf(waiting);
    const Woken woken{waiting, wokenAt, m_facts.watched(waiting.pid, wokenAt)};
    if (woken.durationNs < std::min(limits.starvationNs, limits.parkedNs))
        return;
    const Workers &workers = m_workers.try_emplace(waiting.pid, m_facts, waiting.pid).first->second;
    if (isBehindAnOccupant(woken, workers) || isPassedOver(woken) || hasSleepingWorker(woken, workers))
        return;
    if (m_facts.watchedWithoutOverload(waiting.pid, wokenAt) >= limits.starvationNs)
        judgeLong(woken);
}

}  // namespace

void findStarvation(const Facts &facts, VerdictBuilder &verdict)
{
    Starvation starvation(facts, verdict);
    for (const Waiting &waiting : facts.waiting())
        if (waiting.woken && !verdict.accuses(Rule::NeverRun, waiting.coroutine))
            starvation.judge(waiting);
}

}  // namespace ct::rules
