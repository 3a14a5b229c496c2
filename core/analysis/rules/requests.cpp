// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rules/requests.h"

#include "core/base/quantitytext.h"

#include <algorithm>
#include <optional>

namespace ct::rules {

namespace {

constexpr std::size_t kMostAncestors = 16;
/// So many waits that ended alike make a rule of it.
constexpr std::size_t kLeastAnswers = 3;

bool hasEnded(const CoroutineSnapshot &snapshot)
{
    return snapshot.state == CoroutineState::Finished || snapshot.state == CoroutineState::Destroyed;
}

bool contains(const std::vector<CoroutineId> &ids, CoroutineId id)
{
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// What distinguishes the waits of one coroutine.
struct Sort {
    SiteId site = kUnknownSite;
    std::optional<WaitKind> waited;
};

std::optional<Sort> sortOf(const Facts &facts, CoroutineId coroutine)
{
    const Waiting *const waiting = facts.waiting(coroutine);
    if (!waiting)
        return std::nullopt;
    return Sort{waiting->site,
                waiting->waits.empty() ? std::nullopt : std::optional<WaitKind>(waiting->waits.front().kind)};
}

/// The wakes that may have ended earlier waits of the same sort as the present one, oldest first.
std::vector<RecentCauses::Woken> similarWakes(const RecentCauses &recent, const std::optional<Sort> &sort)
{
    std::vector<RecentCauses::Woken> wakes;
    std::copy_if(
        recent.wakes.begin(), recent.wakes.end(), std::back_inserter(wakes),
        [&sort](const RecentCauses::Woken &wake) { return sort && wake.ts != 0 && wake.waited == sort->waited; });
    return wakes;
}

/// As above, but they have.
std::vector<RecentCauses::Woken> wakesOf(const Facts &facts, CoroutineId coroutine, const RecentCauses &recent)
{
    const std::optional<Sort> sort = sortOf(facts, coroutine);
    std::vector<RecentCauses::Woken> wakes = similarWakes(recent, sort);
    std::erase_if(wakes, [&](const RecentCauses::Woken &wake) {
        // The last event before the wake is the suspension, or else the wake came too early for its wait.
        const std::vector<HistoryEvent> events = facts.history().events(coroutine, wake.ts, wake.ts + 1, 1);
        return events.empty() || events.front().type != HistoryEvent::Type::Suspend ||
               events.front().site != sort->site;
    });
    return wakes;
}

bool isCreatedBy(const Facts &facts, CoroutineId coroutine, const std::vector<CoroutineId> &creators)
{
    for (std::size_t step = 0; step < kMostAncestors && coroutine != kNoCoroutine; ++step) {
        coroutine = facts.population().parentOf(coroutine);
        if (contains(creators, coroutine))
            return true;
    }
    return false;
}

/// How many wakes of such waits came from coroutines that one of `chain` created; nullopt: others came from elsewhere.
std::optional<std::size_t> answersOf(const Facts &facts, const std::vector<CoroutineId> &chain)
{
    std::vector<std::pair<CoroutineId, RecentCauses>> all;
    bool mayHaveAnswers = false;
    for (const CoroutineId coroutine : chain) {
        const std::optional<RecentCauses> recent = facts.objects().recentOf(coroutine);
        if (!recent)
            continue;
        const std::vector<RecentCauses::Woken> wakes = similarWakes(*recent, sortOf(facts, coroutine));
        mayHaveAnswers = mayHaveAnswers || std::any_of(wakes.begin(), wakes.end(), [&](const auto &wake) {
                             return isCreatedBy(facts, wake.by, chain);
                         });
        all.emplace_back(coroutine, *recent);
    }
    if (!mayHaveAnswers)
        return std::nullopt;  // as for most coroutines, whose histories are not read
    std::size_t answers = 0;
    for (const auto &[coroutine, recent] : all) {
        for (const RecentCauses::Woken &wake : wakesOf(facts, coroutine, recent)) {
            if (!isCreatedBy(facts, wake.by, chain))
                return std::nullopt;
            ++answers;
        }
    }
    return answers;
}

/// The coroutine that ended the latest waits, as far as it is the same, and when it last did. A private object keeps
/// that longer than coroutines that await it once only.
struct Answerer {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t answeredAt = 0;  ///< ns
};

std::optional<Answerer> answererOf(const Facts &facts, const Waiting &waiting, const std::vector<CoroutineId> &chain)
{
    const WaitsOn &wait = waiting.waits.front();
    if (wait.kind != WaitKind::Timer && wait.kind != WaitKind::Coroutine && wait.kind != WaitKind::Descriptor) {
        const std::optional<ObjectState> state = facts.objects().stateOf(waiting.pid, wait.object);
        if (state && state->signalsBySame >= kLeastAnswers && state->signalled.by != kNoCoroutine &&
            state->woke.ts != 0 && state->woke.ts < waiting.since)
            return Answerer{state->signalled.by, state->woke.ts};
    }
    for (const CoroutineId coroutine : chain) {
        const std::optional<RecentCauses> recent = facts.objects().recentOf(coroutine);
        const std::vector<RecentCauses::Woken> wakes =
            recent ? wakesOf(facts, coroutine, *recent) : std::vector<RecentCauses::Woken>{};
        if (wakes.size() >= kLeastAnswers && wakes.back().by != kNoCoroutine &&
            std::all_of(wakes.begin(), wakes.end(), [&](const auto &wake) { return wake.by == wakes.back().by; }))
            return Answerer{wakes.back().by, wakes.back().ts};
    }
    return std::nullopt;
}

/// True if the coroutine has waited for the object since `ts`: then it has done all that came before.
bool hasWaitedSince(const Facts &facts, std::uint32_t pid, CoroutineId coroutine, std::uint64_t object,
                    std::uint64_t ts)
{
    if (const Waiting *const waiting = facts.waiting(coroutine); waiting && !waiting->woken && waiting->since > ts &&
                                                                 !waiting->waits.empty() &&
                                                                 waiting->waits.front().object == object)
        return true;
    const std::optional<ObjectState> state = facts.objects().stateOf(pid, object);
    if (!state || state->woke.coroutine != coroutine || state->woke.ts <= ts)
        return false;
    const auto events = facts.history().events(coroutine, state->woke.ts, state->woke.ts + 1, 1);
    return !events.empty() && events.front().type == HistoryEvent::Type::Suspend && events.front().ts > ts;
}

}  // namespace

std::vector<CoroutineId> awaitersOf(const Facts &facts, CoroutineId coroutine)
{
    constexpr std::size_t kMost = 64;
    std::vector<CoroutineId> chain;
    for (; coroutine != kNoCoroutine && chain.size() < kMost && !contains(chain, coroutine);
         coroutine = facts.population().waiterFor(coroutine))
        chain.push_back(coroutine);
    return chain;
}

Descendants::Descendants(const Facts &facts)
{
    const Population &population = facts.population();
    for (CoroutineId id = 0; id < population.size(); ++id) {
        const CoroutineSnapshot snapshot = population.at(id);
        if (!snapshot.kept)
            continue;
        const bool isOver = hasEnded(snapshot);
        CoroutineId ancestor = population.parentOf(id);
        for (std::size_t step = 0; step < kMostAncestors && ancestor != kNoCoroutine; ++step) {
            Of &descendants = m_descendants[ancestor];
            if (isOver)
                descendants.lastEnd = std::max({descendants.lastEnd, snapshot.since, snapshot.deathTs});
            else
                descendants.alive.push_back(id);
            ancestor = population.parentOf(ancestor);
        }
    }
}

const Descendants::Of &Descendants::of(CoroutineId coroutine) const
{
    static const Of kNone;
    const auto found = m_descendants.find(coroutine);
    return found != m_descendants.end() ? found->second : kNone;
}

std::string answerersEnded(const Facts &facts, const Waiting &waiting, std::optional<Descendants> &descendants)
{
    const std::vector<CoroutineId> chain = awaitersOf(facts, waiting.coroutine);
    const std::optional<std::size_t> answers = answersOf(facts, chain);
    if (!answers || *answers < kLeastAnswers)
        return {};
    if (!descendants)
        descendants.emplace(facts);
    std::uint64_t lastEnd = 0;
    for (const CoroutineId coroutine : chain) {
        const Descendants::Of &created = descendants->of(coroutine);
        lastEnd = std::max(lastEnd, created.lastEnd);
        if (std::any_of(created.alive.begin(), created.alive.end(),
                        [&chain](CoroutineId id) { return !contains(chain, id); }))
            return {};
    }
    if (facts.watched(waiting.pid, lastEnd) < facts.thresholds().lateNs)
        return {};
    return "its latest " + std::to_string(*answers) +
           " waits of this sort were ended by coroutines that it had created, and all that it created have ended, the "
           "last " +
           durationText(facts.watched(waiting.pid, lastEnd)) + " ago";
}

bool hasSentRequest(const Facts &facts, const Waiting &waiting)
{
    const std::optional<RecentCauses> recent = facts.objects().recentOf(waiting.coroutine);
    if (!recent || waiting.waits.size() != 1 || waiting.waits.front().kind != WaitKind::Descriptor)
        return false;
    std::vector<RecentCauses::Waited> latest;  // one of each suspension, the latest first
    for (auto wait = recent->waits.rbegin(); wait != recent->waits.rend() && wait->nextN != 0; ++wait)
        if (latest.empty() || latest.back().nextN != wait->nextN)
            latest.push_back(*wait);
    const auto isForIt = [&waiting](const RecentCauses::Waited &wait) {
        return wait.kind == WaitKind::Descriptor && wait.object == waiting.waits.front().object;
    };
    return latest.size() >= 3 && latest[0].nextN == static_cast<std::uint32_t>(waiting.events) && isForIt(latest[0]) &&
           isForIt(latest[1]) && !isForIt(latest[2]);
}

std::string requestTaken(const Facts &facts, const Waiting &waiting)
{
    const std::vector<CoroutineId> chain = awaitersOf(facts, waiting.coroutine);
    const std::optional<Answerer> answerer = waiting.waits.empty() ? std::nullopt : answererOf(facts, waiting, chain);
    if (!answerer)
        return {};
    for (const CoroutineId coroutine : chain) {
        const std::optional<RecentCauses> recent = facts.objects().recentOf(coroutine);
        for (std::size_t i = 0; recent && i < recent->signals.size(); ++i) {
            const RecentCauses::Signalled &request = recent->signals.at(i);
            if (request.ts <= answerer->answeredAt || request.ts > waiting.since ||
                request.object == waiting.waits.front().object ||
                !hasWaitedSince(facts, waiting.pid, answerer->coroutine, request.object, request.ts))
                continue;
            return coroutineText(facts.population(), coroutine) + " sent a request " +
                   durationText(facts.watched(waiting.pid, request.ts)) + " ago, and " +
                   coroutineText(facts.population(), answerer->coroutine) +
                   ", which answered the earlier ones, is done with it and has waited for the next";
        }
    }
    return {};
}

}  // namespace ct::rules
