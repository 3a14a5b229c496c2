// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/facts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

namespace ct {

namespace {

std::uint64_t threadKey(std::uint32_t pid, std::uint32_t tid)
{
    return std::uint64_t{pid} << 32 | tid;
}

}  // namespace

Facts::Facts(const Subject &subject, std::uint64_t now, const Thresholds &thresholds)
    : m_subject(subject),
      m_now(now),
      m_thresholds(thresholds),
      m_watched(subject.population, now),
      m_anyForgotten(objects().forgottenObjects() != 0)
{
    m_waiting.reserve(population().alive());
    m_idle.reserve(population().alive());
    const std::uint32_t size = population().size();
    for (CoroutineId id = 0; id < size; ++id)
        if (const CoroutineSnapshot snapshot = population().at(id); snapshot.kept)
            add(snapshot);
    for (const Drop &drop : population().drops())
        m_processes[drop.pid].lostNotes = true;
    for (auto &[id, facts] : m_processes) {
        const std::uint32_t pid = id;
        ProcessFacts &process = facts;
        process.overloaded =
            m_subject.data.overloaded().of(sampledPid(pid), thresholds.overloadShare, [this, pid](std::uint32_t tid) {
                return m_latestOfThread.contains(threadKey(pid, tid));
            });
        process.threads = threadFactsOf(population(), sampledPid(pid), now);
        process.descriptors = DescriptorFacts(population(), sampledPid(pid), now);
        if (process.anyWoken)
            std::sort(process.wakesThatRan.begin(), process.wakesThatRan.end());
        else
            process.wakesThatRan.clear();
        process.lostNotes = process.lostNotes || objects().forgottenWaits() != 0;
    }
}

void Facts::add(const CoroutineSnapshot &snapshot)
{
    m_withoutLanes += snapshot.dialect != Dialect::Lane ? 1 : 0;
    m_missed += snapshot.missed;
    const bool isUnknown = snapshot.flagged || snapshot.state == CoroutineState::Unknown;
    if (isUnknown)
        ++(snapshot.flagged ? m_flagged : m_unknown);
    const auto [known, isNew] = m_processes.try_emplace(snapshot.pid);
    ProcessFacts &process = known->second;
    if (isNew)
        process.tracedSince = m_watched.tracedSince(snapshot.pid);
    // Between the events of a lane that are missing, there were notes.
    process.lostNotes = process.lostNotes || (snapshot.dialect == Dialect::Lane && snapshot.lost != 0);
    if (snapshot.since >= m_now)
        return;  // has changed at the instant of the judgement, or since
    if (snapshot.events != 0) {
        process.lastEvent = std::max(process.lastEvent, snapshot.since);
        Latest &latest = m_latestOfThread[threadKey(snapshot.pid, snapshot.tid)];
        if (snapshot.since >= latest.ts)
            latest = {snapshot.id, snapshot.since};
    }
    if (isUnknown)
        return;
    if (snapshot.state == CoroutineState::Running)
        process.running.push_back({snapshot.id, snapshot.tid, snapshot.since});
    const bool hasFinished = snapshot.state == CoroutineState::Finished;
    if ((hasFinished || snapshot.state == CoroutineState::Suspended) && snapshot.birthTs != 0 &&
        m_now - snapshot.since > m_thresholds.leakNs)
        m_idle.push_back({snapshot.id, snapshot.pid, snapshot.site, bodySiteOf(snapshot), hasFinished, snapshot.birthTs,
                          snapshot.since});
    const CoroutineNotes notes = population().notes(snapshot.id);
    if (notes.lastWake && !notes.woken)
        process.wakesThatRan.emplace_back(notes.lastWake->ts, snapshot.id);
    if (!isSuspended(snapshot.state) || m_now - snapshot.since < m_thresholds.shortestNs)
        return;
    if (snapshot.since < process.tracedSince)
        ++m_waitedWithoutTracing;
    else
        addWaiting(snapshot, notes, process);
}

void Facts::addWaiting(const CoroutineSnapshot &snapshot, const CoroutineNotes &notes, ProcessFacts &process)
{
    Waiting waiting;
    waiting.coroutine = snapshot.id;
    waiting.pid = snapshot.pid;
    waiting.site = snapshot.site;
    waiting.addr = snapshot.addr;
    waiting.since = snapshot.since;
    waiting.watchedNs = m_watched.since(snapshot.pid, snapshot.since);
    waiting.events = snapshot.events + snapshot.lost + snapshot.missed + snapshot.unexplained;
    waiting.tid = snapshot.tid;
    waiting.kind = snapshot.kind;
    waiting.woken = notes.woken;
    waiting.wokenTooEarly = notes.lastWake && !notes.woken && notes.lastWake->n + 1 == waiting.events;
    waiting.lastWake = notes.lastWake;
    process.anyWoken = process.anyWoken || (notes.woken && notes.lastWake->ts + m_thresholds.wokenNs <= m_now);
    if (notes.waitsOn && notes.waitsOn->part == 0)
        waiting.waits = {&m_singleWaits.emplace_back(*notes.waitsOn), 1};
    else if (notes.waitsOn)
        waiting.waits = m_severalWaits.emplace_back(population().waitsOf(snapshot.id));
    m_waiting.push_back(std::move(waiting));
}

const Waiting *Facts::waiting(CoroutineId id) const
{
    const auto found =
        std::lower_bound(m_waiting.begin(), m_waiting.end(), id,
                         [](const Waiting &waiting, CoroutineId wanted) { return waiting.coroutine < wanted; });
    return found != m_waiting.end() && found->coroutine == id ? &*found : nullptr;
}

const ProcessFacts &Facts::process(std::uint32_t pid) const
{
    static const ProcessFacts kNothing;
    if (!m_latestProcess.second || m_latestProcess.first != pid) {
        const auto found = m_processes.find(pid);
        m_latestProcess = {pid, found != m_processes.end() ? &found->second : &kNothing};
    }
    return *m_latestProcess.second;
}

const std::vector<CoroutineId> *Facts::unwokenWaiters(std::uint64_t object) const
{
    if (!m_unwoken)
        m_unwoken = objects().unwokenWaiters();
    const auto waiters = m_unwoken->find(object);
    return waiters != m_unwoken->end() ? &waiters->second : nullptr;
}

bool Facts::waitsForForgotten(const Waiting &waiting) const
{
    return m_anyForgotten && std::any_of(waiting.waits.begin(), waiting.waits.end(), [&](const WaitsOn &wait) {
               return canBeSignalled(wait.kind) && objects().wasForgotten(waiting.pid, wait.object);
           });
}

bool Facts::hasFewerWaiters(std::uint32_t pid, std::uint64_t object, std::uint64_t ts, std::uint64_t count) const
{
    const std::vector<CoroutineId> *const waiters = unwokenWaiters(object);
    std::uint64_t left = 0;
    for (std::size_t i = 0; waiters && i < waiters->size() && left < count; ++i) {
        const Waiting *const other = waiting((*waiters)[i]);
        left += other && other->pid == pid && other->since < ts && !other->woken ? 1 : 0;
    }
    return left < count;
}

bool Facts::hasWaiterThatWentOn(std::uint32_t pid, std::uint64_t object, CoroutineId self, std::uint64_t ts) const
{
    constexpr std::pair<std::uint64_t, CoroutineId> kNone(0, kNoCoroutine);
    const auto [found, isNew] = m_latestWaiters.try_emplace({pid, object}, LatestWaiters{kNone, kNone});
    LatestWaiters &latest = found->second;
    if (const std::vector<CoroutineId> *const waiters = isNew ? unwokenWaiters(object) : nullptr) {
        for (const CoroutineId waiter : *waiters) {
            const CoroutineSnapshot snapshot = population().at(waiter);
            const std::pair changed(snapshot.since, waiter);
            if (!snapshot.kept || snapshot.pid != pid || changed.second == latest[0].second || changed < latest[1])
                continue;
            latest[1] = changed;
            if (latest[0] < latest[1])
                std::swap(latest[0], latest[1]);
        }
    }
    const auto &[since, coroutine] = latest[latest[0].second == self ? 1 : 0];
    return coroutine != kNoCoroutine && since >= ts;
}

std::uint64_t Facts::watchedWithoutOverload(std::uint32_t pid, std::uint64_t since) const
{
    const std::uint64_t watchedNs = watched(pid, since);
    std::uint64_t overloadedNs = 0;
    for (const OverloadedTimes::Interval &interval : process(pid).overloaded) {
        const std::uint64_t from = std::max(interval.from, since);
        const std::uint64_t to = std::min(interval.to, m_now);
        overloadedNs += to > from ? to - from : 0;
    }
    return watchedNs - std::min(watchedNs, overloadedNs);
}

std::uint64_t Facts::stalledNs(std::uint32_t pid) const
{
    const ProcessFacts &facts = process(pid);
    if (!facts.threads.areKnown || !facts.threads.canOnlyWakeOneAnother || !facts.running.empty())
        return 0;
    return m_watched.since(pid, std::max(facts.threads.since, facts.lastEvent));
}

bool Facts::couldReact(std::uint32_t pid, std::uint64_t ts) const
{
    const ProcessFacts &facts = process(pid);
    if (std::any_of(facts.running.begin(), facts.running.end(),
                    [ts](const Running &running) { return running.since <= ts; }))
        return false;
    const std::uint64_t later = ts + m_thresholds.satisfiedNs / 2;
    // That all sleep must be known for long after `ts`, or else the process got no processor.
    return facts.lastEvent >= later ||
           (facts.threads.areKnown && facts.threads.allSleep && facts.threads.knownUntil >= later);
}

std::uint64_t Facts::idleVisits(std::uint32_t pid, std::uint64_t ts) const
{
    const auto [found, isNew] = m_idleVisits.try_emplace(pid);
    std::vector<std::uint64_t> &visits = found->second;
    if (isNew) {
        const std::vector<ThreadSample> rows = population().samples().threadSamples(sampledPid(pid), 0);
        std::map<std::uint64_t, std::vector<const ThreadSample *>> rowsAt;  // all of one visit have its time
        for (const ThreadSample &row : rows)
            if (row.ts <= m_now)
                rowsAt[row.ts].push_back(&row);
        std::set<std::uint32_t> busy;
        for (const auto &[visit, changed] : rowsAt) {
            for (const ThreadSample *const row : changed) {
                const bool runsCoroutines = m_latestOfThread.contains(threadKey(pid, row->tid));
                if (runsCoroutines && row->state != ThreadState::Ended && !isIdle(*row))
                    busy.insert(row->tid);
                else
                    busy.erase(row->tid);
            }
            if (busy.empty())
                visits.push_back(visit);
        }
    }
    return static_cast<std::uint64_t>(visits.end() - std::upper_bound(visits.begin(), visits.end(), ts));
}

bool Facts::wasIdle(std::uint32_t pid, std::uint32_t tid, std::uint64_t ts) const
{
    const std::vector<ThreadSample> rows = population().samples().threadSamples(sampledPid(pid), ts);
    const std::optional<ProcessSample> process = population().samples().processSample(sampledPid(pid));
    const std::uint64_t visited = process ? std::min(process->ts, m_now) : 0;
    return std::any_of(rows.begin(), rows.end(), [&](const ThreadSample &row) {
        const bool isLatest = &row == &rows.back() || (&row + 1)->tid != tid;
        // As long as a thread sleeps, samples have no new row for it.
        const bool wasSeen = row.ts > ts ? row.ts <= m_now : isLatest && visited > ts;
        return row.tid == tid && wasSeen && isIdle(row);
    });
}

bool Facts::ranLater(std::uint32_t pid, std::uint32_t tid, CoroutineId self, std::uint64_t ts) const
{
    const auto found = m_latestOfThread.find(threadKey(pid, tid));
    return found != m_latestOfThread.end() && found->second.coroutine != self && found->second.ts > ts;
}

std::string countText(std::uint64_t count, const char *one, const char *several)
{
    return std::to_string(count) + ' ' + (count == 1 ? one : several);
}

std::string coroutineText(const Population &population, CoroutineId id)
{
    std::string text = "coroutine " + std::to_string(id);
    if (population.hasName(id))
        text += " (" + population.notes(id).name + ")";
    return text;
}

std::string wakerText(const Population &population, const Wake &wake)
{
    const std::string waker =
        wake.by != kNoCoroutine ? coroutineText(population, wake.by) : "thread " + std::to_string(wake.tid);
    return waker + " woke it";
}

std::string objectText(const WaitsOn &wait)
{
    static constexpr std::array<const char *, 7> kKinds = {"object",   "lock",  "channel", "descriptor",
                                                           "deadline", "await", "object"};
    std::array<char, 48> text{};
    const char *kind = kKinds.at(std::min<std::size_t>(static_cast<std::size_t>(wait.kind), kKinds.size() - 1));
    if (wait.kind == WaitKind::Descriptor)
        std::snprintf(text.data(), text.size(), "%s %llu", kind, static_cast<unsigned long long>(wait.object));
    else
        std::snprintf(text.data(), text.size(), "%s 0x%llx", kind, static_cast<unsigned long long>(wait.object));
    return text.data();
}

std::string siteText(const Population &population, SiteId id)
{
    const Site *site = population.site(id);
    if (!site)
        return {};
    const std::string file = site->file.substr(site->file.rfind('/') + 1);
    const std::string where = file.empty() ? "" : file + ":" + std::to_string(site->line);
    return site->function.empty() || where.empty() ? site->function + where : site->function + " at " + where;
}

}  // namespace ct
