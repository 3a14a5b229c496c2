// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lost wake-up, without reported causes: coroutines that wait for one another, as in a deadlock, or for a lock whose
// holder is gone. All waits at their suspension points so far ended while one of these coroutines ran, or right after
// it. Now all of them are late, so none is left that ends such a wait. Other coroutines go on, as they did before.
#include "core/analysis/rules/functions.h"
#include "core/analysis/rules/references.h"
#include "core/analysis/rules/rules.h"
#include "core/analysis/rules/runlog.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

namespace ct::rules {

namespace {

/// From the wake to the resumption: a busy machine takes longer.
constexpr std::array<std::uint64_t, 3> kDelaysNs = {1'000'000, 3'000'000, 10'000'000};
/// How likely it may be, for all delays together, that the coroutines ran by chance when the waits ended.
constexpr double kChance = 0.01 / kDelaysNs.size();
/// Where the coroutines run for more than this share of the time, that they ran says nothing.
constexpr double kMostShare = 0.5;
constexpr std::size_t kLeastEnds = 3;
/// Late coroutines of a process: reading the histories of more would take longer than all other rules.
constexpr std::size_t kMostLate = 4096;
/// So many completed waits of each coroutine show what the group usually does. A coroutine outside of it that did the
/// same before, during all these waits, is no new reason to wait.
constexpr std::size_t kRounds = 8;

/// A suspension point: the function, and the site or, where sites are not reported, the line.
using Point = std::pair<std::uint64_t, std::uint32_t>;

constexpr int kGenerations = 3;  ///< of creators of coroutines that ended

struct Late {
    const Waiting *waiting = nullptr;
    Point point;
};

/// The late coroutines of one process.
class Group {
public:
    Group(const Facts &facts, const CoroutineFunctions &functions, std::uint32_t pid, std::vector<Late> late);
    void judge(VerdictBuilder &verdict);

private:
    struct End {
        std::uint64_t ts = 0;
        CoroutineId coroutine = kNoCoroutine;
    };
    void countLiving();
    void collectEnds();
    bool isLeftFunction(std::uint64_t function) const;
    std::vector<CoroutineId> creatorsOf(CoroutineId id) const;
    bool isLeft(CoroutineId waker, int generations = kGenerations) const;
    bool holds(const Point &point, std::uint64_t delayNs) const;
    void reduce(std::uint64_t delayNs);
    std::vector<const Late *> left() const;
    Point pointOf(CoroutineId id, SiteId site, std::uint64_t since) const;
    bool mayOthersHold(std::size_t members, std::uint64_t latest) const;
    void add(const Late &late, std::size_t all, VerdictBuilder &verdict) const;

    const Facts &m_facts;
    const CoroutineFunctions &m_functions;
    const std::uint32_t m_pid;
    const std::vector<Late> m_late;
    const RunLog m_log;
    std::unordered_map<CoroutineId, Point> m_pointOf;            ///< of late coroutines
    std::unordered_map<std::uint64_t, std::size_t> m_living;     ///< by function
    std::unordered_map<CoroutineId, std::uint64_t> m_ended;      ///< coroutines that ended, with their functions
    std::map<Point, std::vector<End>> m_ends;                    ///< of waits of late coroutines, and of ended ones
    RunLog::Coroutines m_possible;                               ///< that could be in the group
    double m_share = 1;                                          ///< of the time that they ran, with the present delay
    std::set<Point> m_points;                                    ///< that are left
    std::unordered_map<std::uint64_t, std::size_t> m_leftCount;  ///< late coroutines at m_points, by function
};

std::uint64_t latestOf(const std::vector<Late> &late)
{
    std::uint64_t latest = 0;
    for (const Late &one : late)
        latest = std::max(latest, one.waiting->since);
    return latest;
}

Group::Group(const Facts &facts, const CoroutineFunctions &functions, std::uint32_t pid, std::vector<Late> late)
    : m_facts(facts), m_functions(functions), m_pid(pid), m_late(std::move(late)), m_log(facts, pid, latestOf(m_late))
{
    for (const Late &one : m_late)
        m_pointOf[one.waiting->coroutine] = one.point;
    countLiving();
    collectEnds();
}

Point Group::pointOf(CoroutineId id, SiteId site, std::uint64_t since) const
{
    return {m_functions.of(id, site), site != kUnknownSite ? site : m_facts.functions().lineOf(id, since)};
}

void Group::countLiving()
{
    const Population &population = m_facts.population();
    for (CoroutineId id = 0; id < population.size(); ++id) {
        const CoroutineSnapshot snapshot = population.at(id);
        if (!snapshot.kept || snapshot.pid != m_pid)
            continue;
        const std::uint64_t function = m_functions.of(id, bodySiteOf(snapshot));
        if (snapshot.state == CoroutineState::Finished || snapshot.state == CoroutineState::Destroyed)
            m_ended[id] = function;
        else
            ++m_living[function];
    }
}

void Group::collectEnds()
{
    std::set<Point> points;
    std::set<std::uint64_t> functions;
    for (const Late &late : m_late) {
        points.insert(late.point);
        functions.insert(late.point.first);
        m_possible.insert(late.waiting->coroutine);
    }
    for (const auto &[id, function] : m_ended)
        if (functions.contains(function))
            m_possible.insert(id);
    for (const RunLog::Wait &wait : m_log.waits()) {
        if (!m_possible.contains(wait.coroutine))
            continue;
        const Point point = pointOf(wait.coroutine, wait.site, wait.begin);
        if (points.contains(point))
            m_ends[point].push_back({wait.end, wait.coroutine});
    }
}

/// True if all living coroutines of the function wait at the points that are left.
bool Group::isLeftFunction(std::uint64_t function) const
{
    const auto living = m_living.find(function);
    const auto waiting = m_leftCount.find(function);
    return function != 0 && living != m_living.end() && waiting != m_leftCount.end() &&
           living->second == waiting->second;
}

/// Returns the coroutine that created `id`. If the target did not report it, returns all coroutines that ran when `id`
/// was born: any of them may have created it.
std::vector<CoroutineId> Group::creatorsOf(CoroutineId id) const
{
    const Population &population = m_facts.population();
    const CoroutineId parent = population.parentOf(id);
    return parent != kNoCoroutine ? std::vector<CoroutineId>{parent}
                                  : m_log.ranBefore(population.at(id).birthTs, 0, id);
}

/// True if the coroutine cannot end a wait any more, and no other one like it: it waits at one of the points that are
/// left, or it has ended, and the same is true of all others of its function, or of the one that created it.
bool Group::isLeft(CoroutineId waker, int generations) const
{
    const auto ended = m_ended.find(waker);
    if (ended == m_ended.end()) {
        const auto late = m_pointOf.find(waker);
        return late != m_pointOf.end() && m_points.contains(late->second);
    }
    if (isLeftFunction(ended->second))
        return true;
    const std::vector<CoroutineId> creators = generations != 0 ? creatorsOf(waker) : std::vector<CoroutineId>();
    return !creators.empty() && std::all_of(creators.begin(), creators.end(), [this, generations](CoroutineId creator) {
        return isLeft(creator, generations - 1);
    });
}

/// True if coroutines of the group ended all waits at the point.
bool Group::holds(const Point &point, std::uint64_t delayNs) const
{
    const auto found = m_ends.find(point);
    if (found == m_ends.end() || found->second.size() < kLeastEnds)
        return false;
    const std::vector<End> &ends = found->second;
    if (std::pow(m_share, static_cast<double>(ends.size())) > kChance)
        return false;
    return std::all_of(ends.begin(), ends.end(), [&](const End &end) {
        const std::vector<CoroutineId> wakers = m_log.ranBefore(end.ts, delayNs, end.coroutine);
        return std::any_of(wakers.begin(), wakers.end(), [this](CoroutineId waker) { return isLeft(waker); });
    });
}

/// Removes points until the rest holds.
void Group::reduce(std::uint64_t delayNs)
{
    m_points.clear();
    for (const Late &late : m_late)
        m_points.insert(late.point);
    for (std::size_t before = m_points.size() + 1; before != m_points.size();) {
        before = m_points.size();
        m_leftCount.clear();
        for (const Late *late : left())
            ++m_leftCount[late->point.first];
        std::erase_if(m_points, [&](const Point &point) { return !holds(point, delayNs); });
    }
}

std::vector<const Late *> Group::left() const
{
    std::vector<const Late *> left;
    for (const Late &late : m_late)
        if (m_points.contains(late.point))
            left.push_back(&late);
    return left;
}

void Group::add(const Late &late, std::size_t all, VerdictBuilder &verdict) const
{
    const std::vector<End> &ends = m_ends.at(late.point);
    verdict.add(Rule::LostWakeup, Severity::Warning, 0.7, *late.waiting, [&] {
        return VerdictBuilder::Text{
            "suspended for " + durationText(late.waiting->watchedNs) + " in a group of " +
                countText(all, "coroutine", "coroutines") + " that only one another have woken so far",
            {"all " + countText(ends.size(), "wait", "waits") +
             " there whose ends are known ended while one of these coroutines ran, or right after it; now all of them "
             "wait"}};
    });
}

/// True if another coroutine may hold what the group waits for. It has run since the last wait of the group ended. It
/// waits since before the group stopped; or it goes on, but did not so while the group went on for some rounds.
/// `latest`: when the last coroutine of the group began to wait (ns).
bool Group::mayOthersHold(std::size_t members, std::uint64_t latest) const
{
    std::uint64_t lastEnd = 0;
    for (const Point &point : m_points)
        for (const End &end : m_ends.at(point))
            lastEnd = std::max(lastEnd, end.ts);
    std::map<Point, std::uint64_t> firstEnds;  // of each point, and of each function
    std::vector<std::uint64_t> ends;           // of waits of the group
    for (const RunLog::Wait &wait : m_log.waits()) {
        const Point point = pointOf(wait.coroutine, wait.site, wait.begin);
        for (const Point &one : {point, Point{point.first, 0}}) {
            const auto [first, isNew] = firstEnds.try_emplace(one, wait.end);
            first->second = std::min(first->second, wait.end);
        }
        if (m_possible.contains(wait.coroutine))
            ends.push_back(wait.end);
    }
    const auto isFamiliar = [&](const Point &point) {
        const auto first = firstEnds.find(point);
        return first != firstEnds.end() && std::count_if(ends.begin(), ends.end(), [&](std::uint64_t end) {
                                               return end > first->second;
                                           }) >= static_cast<std::ptrdiff_t>(kRounds * members);
    };
    const Population &population = m_facts.population();
    for (CoroutineId id = 0; id < population.size(); ++id) {
        const CoroutineSnapshot snapshot = population.at(id);
        if (!snapshot.kept || snapshot.pid != m_pid || snapshot.since < lastEnd || snapshot.since >= m_facts.now() ||
            m_ended.contains(id) || isLeft(id))
            continue;
        if ((isSuspended(snapshot.state) && snapshot.since <= latest) ||
            !isFamiliar(pointOf(id, snapshot.site, snapshot.since)))
            return true;
    }
    return false;
}

void Group::judge(VerdictBuilder &verdict)
{
    for (const std::uint64_t delayNs : kDelaysNs) {
        m_share = m_log.shareOf(m_possible, delayNs);
        if (m_share > kMostShare)
            return;  // a longer delay makes it no smaller
        reduce(delayNs);
        const std::vector<const Late *> members = left();
        if (members.size() < 2)
            continue;
        std::uint64_t latest = 0;
        for (const Late *late : members)
            latest = std::max(latest, late->waiting->since);
        const ProcessFacts &process = m_facts.process(m_pid);
        // The rule about stalls judges a process of which all coroutines wait.
        const bool goesOn = !process.running.empty() || process.lastEvent >= latest + m_facts.thresholds().lateNs;
        if (!goesOn || mayOthersHold(members.size(), latest))
            continue;
        for (const Late *late : members)
            add(*late, members.size(), verdict);
        return;
    }
}

}  // namespace

void findMutualWaits(const Facts &facts, VerdictBuilder &verdict)
{
    const CoroutineFunctions functions(facts);
    References references(facts);
    std::map<std::uint32_t, std::vector<Late>> byProcess;
    for (const Waiting &waiting : facts.waiting()) {
        if (waiting.kind != PointKind::Await || waiting.woken || waiting.wokenTooEarly || !waiting.waits.empty() ||
            waiting.watchedNs < facts.thresholds().lateNs)
            continue;
        const std::uint32_t line =
            waiting.site != kUnknownSite ? waiting.site : facts.functions().lineOf(waiting.coroutine, waiting.since);
        const Point point(functions.of(waiting.coroutine, waiting.site), line);
        if (point.first == 0 || line == 0)
            continue;
        const SiteStatistics &ofFunction = references.ofWholeFunction(point.first);
        const bool isKnown = references.isEnough(ofFunction) || waiting.site != kUnknownSite;
        const SiteStatistics &usual = isKnown ? ofFunction : references.of({kUnknownSite, 0});
        const std::uint64_t limit = references.lateAfter(usual);
        if (references.isEnough(usual) && waiting.watchedNs > limit &&
            facts.watchedWithoutOverload(waiting.pid, waiting.since) > limit)
            byProcess[waiting.pid].push_back({&waiting, point});
    }
    for (auto &[pid, late] : byProcess)
        if (late.size() > kMostLate)
            verdict.abstain(Rule::LostWakeup, "there are too many late waits to ask who ended earlier ones",
                            late.size());
        else if (late.size() > 1)
            Group(facts, functions, pid, std::move(late)).judge(verdict);
}

}  // namespace ct::rules
