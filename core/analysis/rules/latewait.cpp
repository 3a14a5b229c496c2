// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lost wake-up, without reported causes: a wait that is far longer than all completed ones at its site. That alone is
// information. It becomes a warning when later waits of its siblings have been completed in the meantime, or by what
// corroboration.h finds.
#include "core/analysis/rules/binomial.h"
#include "core/analysis/rules/corroboration.h"
#include "core/analysis/rules/earlysignal.h"
#include "core/analysis/rules/functions.h"
#include "core/analysis/rules/references.h"
#include "core/analysis/rules/requests.h"
#include "core/analysis/rules/rules.h"
#include "core/analysis/rules/siblings.h"
#include "core/analysis/rules/usualwakers.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ct::rules {

namespace {

constexpr double kDoubt = 0.05;
/// A wait that is so many times longer than the longest one is unusual also at a site with a heavy tail.
constexpr std::uint64_t kSurelyTimes = 30;

/// True if the latest signal came while the coroutine ran before this wait, and no waiter was woken and nothing was
/// acquired since. An earlier signal is the one that ended the wait before.
bool mayHaveMissed(const Facts &facts, const Waiting &waiting, const ObjectState &state)
{
    const std::uint64_t signalled = state.satisfied().ts;
    if (signalled == 0 || signalled > waiting.since || state.wokenSince != 0 || state.acquired.ts >= signalled)
        return false;
    const auto events = facts.history().events(waiting.coroutine, signalled, waiting.since, 4);
    return std::none_of(events.begin(), events.end(), [signalled](const HistoryEvent &event) {
        return event.type == HistoryEvent::Type::Resume && event.ts > signalled;
    });
}

/// What the reported causes say about a wait; see lostwakeup.cpp.
enum class Causes {
    Nothing,  ///< what it waits for was not used, so its wait can be compared with others
    /// All uses were before the wait, so it may wait for a source that has become quiet. It can only be compared if it
    /// has asked for something.
    UsedBefore,
    NothingToFetch,  ///< a descriptor, which is watched; as UsedBefore
    OneSignal,       ///< the only signal during the wait woke another waiter
    Decide,
};

/// True if the object is a part of the coroutine's frame, such as an awaiter or a local variable. Nobody else can wait
/// for it, and what happened at its address before was about another object.
bool isInFrame(const Waiting &waiting, const WaitsOn &wait)
{
    constexpr std::uint64_t kFrameBytes = 4096;  // most frames are smaller
    return waiting.addr != 0 && wait.object > waiting.addr && wait.object - waiting.addr < kFrameBytes;
}

Causes causesOf(const Facts &facts, const Waiting &waiting, const WaitsOn &wait)
{
    if (wait.kind == WaitKind::Timer || wait.kind == WaitKind::Coroutine)
        return Causes::Decide;
    if (wait.kind == WaitKind::Descriptor)
        return facts.process(waiting.pid).descriptors.isIdle(wait.object) ? Causes::NothingToFetch : Causes::Nothing;
    const std::optional<ObjectState> state = facts.objects().stateOf(waiting.pid, wait.object);
    if (!state || (state->satisfied().ts == 0 && state->acquired.ts == 0))
        return Causes::Nothing;
    if (wait.kind == WaitKind::Lock && !state->releasedByOthers)
        return Causes::Decide;
    const bool isUsedBefore = std::max(state->satisfied().ts, state->acquired.ts) <= waiting.since;
    if (mayHaveMissed(facts, waiting, *state) || (isUsedBefore && isInFrame(waiting, wait)))
        return Causes::Nothing;
    if (state->satisfied().ts <= waiting.since)
        return Causes::UsedBefore;
    return state->satisfiedBefore <= waiting.since && state->wokenSince != 0 && state->acquired.ts == 0
               ? Causes::OneSignal
               : Causes::Decide;
}

Causes causesOf(const Facts &facts, const Waiting &waiting)
{
    if (facts.waitsForForgotten(waiting))
        return Causes::Decide;  // it may wait for a quiet source
    Causes most = Causes::Nothing;
    for (const WaitsOn &wait : waiting.waits)
        most = std::max(most, causesOf(facts, waiting, wait));
    return most;
}

/// The duration (ns) that hardly any of as many further waits would exceed, judged by the longest ones. At a site with
/// a heavy tail, it is far longer than the longest wait so far. By the estimator of Hill (1975).
std::uint64_t surprisingAfter(const SiteStatistics &completed)
{
    constexpr double kExpected = 0.05;  // waits beyond the result
    const std::uint64_t most = std::clamp<std::uint64_t>(completed.completed / 10, 3, 10);
    double logs = 0;
    std::uint64_t counted = 0;
    std::uint64_t base = 0;
    for (int bucket = SiteStatistics::kBuckets; bucket-- != 0 && counted <= most;) {
        const std::uint64_t count = completed.buckets[static_cast<std::size_t>(bucket)];
        if (count == 0)
            continue;
        base = std::max<std::uint64_t>(1, std::min(SiteStatistics::upperBoundOf(bucket), completed.maxNs));
        const std::uint64_t used = std::min(count, most - counted);
        logs += static_cast<double>(used) * std::log(static_cast<double>(base));
        counted += count;
    }
    const auto amount = static_cast<double>(most);
    const double slope = std::max(0.0, logs / amount - std::log(static_cast<double>(base)));
    const double limit = static_cast<double>(base) * std::pow(amount / kExpected, slope);
    return static_cast<std::uint64_t>(std::min(limit, static_cast<double>(completed.maxNs) * kSurelyTimes));
}

/// True if its latest wait there was one of the longest of all, and longer than its one before: it may retry at
/// intervals that grow, and the next wait may take longer still. Only a short history is read to its end. Without a
/// site, the waits are of all kinds.
bool mayBackOff(const Facts &facts, const Waiting &waiting, const SiteStatistics &completed)
{
    constexpr std::size_t kMostEvents = 256;
    constexpr double kGrowth = 1.5;
    constexpr std::uint64_t kUnusual = 3;  // times the usual wait
    const auto events = facts.history().events(waiting.coroutine, 0, waiting.since, kMostEvents);
    std::uint64_t latest = 0;
    std::uint64_t before = 0;
    for (std::size_t i = 1; i < events.size() && events.size() < kMostEvents && waiting.site != kUnknownSite; ++i) {
        if (events[i].type != HistoryEvent::Type::Resume || events[i - 1].type != HistoryEvent::Type::Suspend ||
            events[i - 1].site != waiting.site)
            continue;
        before = latest;
        latest = events[i].ts - events[i - 1].ts;
    }
    return static_cast<double>(latest) > kGrowth * static_cast<double>(before) && before != 0 &&
           latest > kUnusual * completed.quantile(0.5) && latest > completed.maxNs / 2 &&
           waiting.watchedNs / kSurelyTimes < latest;
}

/// True if it, or a coroutine that awaits it, has completed some waits where it is.
bool hasComeBack(const Facts &facts, CoroutineId coroutine)
{
    constexpr std::uint64_t kLeast = 3;
    const std::vector<CoroutineId> chain = awaitersOf(facts, coroutine);
    return std::any_of(chain.begin(), chain.end(), [&facts](CoroutineId id) {
        const Waiting *const waiting = facts.waiting(id);
        return waiting && completedWithin(facts, id, waiting->site, 0, waiting->since) >= kLeast;
    });
}

/// Where more of the siblings are late, waits may end in silence: connections and channels without news.
constexpr std::uint64_t kMostLate = 4;

/// True if the siblings show that this wait should have ended, too. `wasAnswered`: earlier requests of the coroutine
/// were answered, whether or not it had to wait for the answers.
bool cameBack(const Facts &facts, const Waiting &waiting, const Siblings &siblings, bool wasAnswered)
{
    const Thresholds &limits = facts.thresholds();
    // In a pool with little work, a few workers do all of it, and the others wait for long without a defect. So more
    // siblings must have come back than still wait.
    // A worker that awaits a short coroutine again and again is one sibling, not many.
    if (siblings.completedWaits < limits.laterWaits || siblings.independent < limits.laterSiblings ||
        siblings.independent <= siblings.stillThere)
        return false;
    if ((siblings.late + 1) * kMostLate > siblings.independent + siblings.stillThere + 1)
        return false;
    // Each of them may wait for a connection of its own, and one of these has fallen silent.
    const std::uint64_t waiters = siblings.cameBack + siblings.stillThere + 1;
    if (waiting.waits.empty() &&
        facts.process(waiting.pid).descriptors.mayHaveQuietSources(waiters, waiting.since, limits.lateNs))
        return false;
    if (wasAnswered || hasComeBack(facts, waiting.coroutine))
        return true;
    // A coroutine that never came back from there may be of another sort: an idle connection, a timeout, a period of
    // its own. Then it must be the rare exception, and the process must have nothing for which it could wait.
    const ThreadFacts &threads = facts.process(waiting.pid).threads;
    return threads.areKnown && threads.areDescriptorsKnown && !threads.anyTimed && threads.externals == 0 &&
           isShareBelow(siblings.stillThere + 1, siblings.stillThere + 1 + siblings.cameBack, limits.lateShare, kDoubt);
}

/// What is common to all sites of one judgement.
struct Comparison {
    explicit Comparison(const Facts &facts) : references(facts), usualWakers(facts) {}

    References references;
    UsualWakers usualWakers;
    std::optional<CoroutinesByFunction> functions;                       ///< made at the first late wait
    std::size_t historiesLeft = 30'000;                                  ///< that may still be read: each costs some us
    std::map<std::uint32_t, std::vector<WatchedDescriptor>> unfetched;   ///< by pid; made at its first late wait
    std::optional<Descendants> descendants;                              ///< made when a wait may need them
    std::map<std::uint32_t, std::vector<ObjectHistory::Served>> served;  ///< by pid; as unfetched
    /// How many coroutines of a function are late; by the function's coroutines. Of one site.
    std::map<const CoroutineId *, std::uint64_t> late;
    std::size_t requestsLeft = 4096;  ///< waits whose causes may still be read

    void prepare(const Facts &facts, std::uint32_t pid)
    {
        if (!functions)
            functions.emplace(facts);
        const auto [found, isNew] = unfetched.try_emplace(pid);
        if (!isNew)
            return;
        found->second = rules::unfetched(facts, pid);
        served[pid] = facts.objects().served(pid);
    }
};

/// The waits of a process at one site, or in one function whose sites are not known.
class SiteWaits {
public:
    SiteWaits(const Facts &facts, References &references, const References::Key &key)
        : m_completed(references.of(key)), m_facts(facts)
    {
    }

    void add(const Waiting &waiting, Causes causes) { m_waiting.push_back({&waiting, causes}); }
    void judge(Comparison &comparison, VerdictBuilder &verdict) const;

private:
    std::vector<std::string> evidenceOf(const Siblings &siblings) const;
    bool isSilenceUsual(const Waiting &waiting, std::span<const CoroutineId> coroutines, Comparison &comparison) const;
    struct Late {
        const Waiting *waiting = nullptr;
        Causes causes = Causes::Nothing;
    };
    struct Compared {
        std::string request;  ///< see requestTaken()
        std::span<const CoroutineId> coroutines;
        Siblings siblings;
        bool haveComeBack = false;
        bool isSilenceUsual = false;  ///< so `siblings` were not needed, and are not known
    };
    /// What makes a late wait a warning.
    struct Corroboration {
        bool isEnough = false;
        std::vector<std::string> evidence;
    };
    Compared compare(const Late &late, Comparison &comparison, VerdictBuilder &verdict) const;
    /// `isSurprising`: a wait as long is unusual there.
    Corroboration corroborate(const Late &late, const Compared &compared, bool isSurprising,
                              Comparison &comparison) const;
    void judgeLate(std::vector<Late> all, Comparison &comparison, VerdictBuilder &verdict) const;

    const SiteStatistics &m_completed;
    const Facts &m_facts;
    std::vector<Late> m_waiting;
};

void SiteWaits::judge(Comparison &comparison, VerdictBuilder &verdict) const
{
    const Thresholds &limits = m_facts.thresholds();
    if (!comparison.references.isEnough(m_completed)) {
        const auto old = std::count_if(m_waiting.begin(), m_waiting.end(),
                                       [&](const Late &one) { return one.waiting->watchedNs >= limits.lateNs; });
        if (old != 0)
            verdict.abstain(Rule::LostWakeup,
                            "no report tells whether what they wait for has come, and fewer than " +
                                std::to_string(limits.completedWaits) +
                                " waits of at least two coroutines were completed at their site",
                            static_cast<std::uint64_t>(old));
        return;
    }
    const std::uint64_t limit = comparison.references.lateAfter(m_completed);
    std::vector<Late> late;
    std::copy_if(m_waiting.begin(), m_waiting.end(), std::back_inserter(late),
                 [limit](const Late &one) { return one.waiting->watchedNs > limit; });
    const auto delayed = std::erase_if(late, [this, limit](const Late &one) {
        return m_facts.watchedWithoutOverload(one.waiting->pid, one.waiting->since) <= limit;
    });
    if (delayed != 0)
        verdict.abstain(Rule::LostWakeup, "late waits are not judged while threads of the process wait for processors",
                        delayed);
    if (late.empty())
        return;
    // The survival function of Kaplan and Meier (1958) behind the longest completed wait: open waits that have lasted
    // longer were at risk all the time, and shorter ones can still end either way.
    const auto survived =
        static_cast<std::uint64_t>(std::count_if(m_waiting.begin(), m_waiting.end(), [this](const Late &one) {
            return one.waiting->watchedNs > m_completed.maxNs;
        }));
    if (!isShareBelow(survived, m_completed.completed + survived, limits.lateShare, kDoubt)) {
        verdict.abstain(Rule::LostWakeup, "too many waits at their site are late to call them unusual", late.size());
        return;
    }
    judgeLate(std::move(late), comparison, verdict);
}

std::vector<std::string> SiteWaits::evidenceOf(const Siblings &siblings) const
{
    std::vector<std::string> evidence = {std::to_string(m_completed.completed) +
                                         " waits there were completed, the longest within " +
                                         durationText(m_completed.maxNs)};
    if (siblings.completedWaits != 0)
        evidence.push_back("in the meantime, " + countText(siblings.cameBack, "sibling", "siblings") +
                           " completed at least " + countText(siblings.completedWaits, "wait", "waits") + " there" +
                           (siblings.stillThere != 0
                                ? ", and " + std::to_string(siblings.stillThere) + " completed none"
                                : ", each of them at least one"));
    return evidence;
}

/// True if so many siblings are late that cameBack() is false, whatever the histories of the others are.
bool SiteWaits::isSilenceUsual(const Waiting &waiting, std::span<const CoroutineId> coroutines,
                               Comparison &comparison) const
{
    const auto [found, isNew] = comparison.late.try_emplace(coroutines.data());
    if (isNew)
        found->second = lateAmong(m_facts, waiting.site, coroutines, comparison.references.lateAfter(m_completed));
    return found->second * kMostLate > coroutines.size() + 1;
}

/// Compares it with its siblings if that can matter: that costs far more than all else.
SiteWaits::Compared SiteWaits::compare(const Late &late, Comparison &comparison, VerdictBuilder &verdict) const
{
    const Waiting &waiting = *late.waiting;
    Compared result;
    if (late.causes == Causes::UsedBefore)
        result.request = requestTaken(m_facts, waiting);
    const bool isUnusual = waiting.watchedNs / kSurelyTimes > m_completed.maxNs;
    if (late.causes == Causes::NothingToFetch ? !isUnusual || !hasSentRequest(m_facts, waiting)
                                              : late.causes == Causes::UsedBefore && result.request.empty())
        return result;
    // With neither a site nor a function, all waits are mixed, and no coroutine has siblings.
    const std::span<const CoroutineId> coroutines = comparison.functions->siblingsOf(waiting);
    result.isSilenceUsual = isSilenceUsual(waiting, coroutines, comparison) && !isQuiet(m_facts, waiting.pid);
    if (result.isSilenceUsual)
        return result;
    if (coroutines.size() > comparison.historiesLeft) {
        verdict.abstain(Rule::LostWakeup, "there are too many late waits to compare each with its siblings");
        return result;
    }
    comparison.historiesLeft -= coroutines.size();
    result.coroutines = coroutines;
    result.siblings = siblingsOf(m_facts, waiting, coroutines, comparison.references.lateAfter(m_completed));
    result.haveComeBack = cameBack(m_facts, waiting, result.siblings, !result.request.empty()) &&
                          !mayBackOff(m_facts, waiting, m_completed) &&
                          !(waiting.waits.empty() && comparison.usualWakers.areSilent(waiting));
    return result;
}

SiteWaits::Corroboration SiteWaits::corroborate(const Late &late, const Compared &compared, bool isSurprising,
                                                Comparison &comparison) const
{
    const Waiting &waiting = *late.waiting;
    Corroboration result{isSurprising && compared.haveComeBack, {}};
    const auto add = [&result](std::string sentence) {
        result.isEnough = result.isEnough || !sentence.empty();
        if (!sentence.empty())
            result.evidence.push_back(std::move(sentence));
    };
    if (result.isEnough)
        add(compared.request);
    if (late.causes == Causes::Nothing) {
        add(undelivered(m_facts, waiting, comparison.unfetched.at(waiting.pid)));
        add(nobodyLeft(m_facts, waiting));
        add(siblingsEnded(m_facts, waiting, compared.coroutines));
    }
    if (late.causes == Causes::Nothing || late.causes == Causes::UsedBefore)
        add(signalledTooEarly(m_facts, waiting, comparison.served.at(waiting.pid)));
    if (late.causes != Causes::NothingToFetch && comparison.requestsLeft != 0) {
        --comparison.requestsLeft;
        add(answerersEnded(m_facts, waiting, comparison.descendants));
    }
    return result;
}

void SiteWaits::judgeLate(std::vector<Late> all, Comparison &comparison, VerdictBuilder &verdict) const
{
    const std::uint64_t surprisingNs = surprisingAfter(m_completed);
    comparison.prepare(m_facts, all.front().waiting->pid);
    comparison.late.clear();
    // The longest wait first: the finding is about this one, so no text is made for another one.
    std::iter_swap(all.begin(), std::min_element(all.begin(), all.end(), [](const Late &a, const Late &b) {
                       return std::pair(a.waiting->since, a.waiting->coroutine) <
                              std::pair(b.waiting->since, b.waiting->coroutine);
                   }));
    for (const Late &late : all) {
        const Waiting &waiting = *late.waiting;
        if (late.causes != Causes::Nothing && comparison.requestsLeft == 0) {
            verdict.abstain(Rule::LostWakeup, "there are too many late waits to read the causes of each");
            continue;
        }
        const Compared compared = compare(late, comparison, verdict);
        Corroboration corroboration = corroborate(late, compared, waiting.watchedNs > surprisingNs, comparison);
        if (!corroboration.isEnough && late.causes != Causes::Nothing)
            continue;
        const auto describe = [&] {
            const Siblings siblings = compared.isSilenceUsual
                                          ? siblingsOf(m_facts, waiting, comparison.functions->siblingsOf(waiting),
                                                       comparison.references.lateAfter(m_completed))
                                          : compared.siblings;
            VerdictBuilder::Text text{"suspended for " + durationText(waiting.watchedNs) +
                                          ", and earlier waits there took at most " + durationText(m_completed.maxNs),
                                      evidenceOf(siblings)};
            std::move(corroboration.evidence.begin(), corroboration.evidence.end(), std::back_inserter(text.evidence));
            return text;
        };
        verdict.add(Rule::LostWakeup, corroboration.isEnough ? Severity::Warning : Severity::Info,
                    corroboration.isEnough ? 0.75 : 0.3, waiting, describe);
    }
}

}  // namespace

void findLateWaits(const Facts &facts, VerdictBuilder &verdict)
{
    // By process (32 bits, high) and site, and function; ordered, so that every judgement is the same.
    std::map<std::pair<std::uint64_t, std::uint32_t>, SiteWaits> sites;
    Comparison comparison(facts);
    for (const Waiting &waiting : facts.waiting()) {
        if (waiting.kind != PointKind::Await || waiting.woken || waiting.wokenTooEarly ||
            verdict.accuses(Rule::LostWakeup, waiting.coroutine))
            continue;
        const Causes causes = causesOf(facts, waiting);
        if (causes == Causes::Decide)
            continue;
        const References::Key reference = comparison.references.keyOf(waiting);
        const std::pair key(std::uint64_t{waiting.pid} << 32 | reference.first, reference.second);
        sites.try_emplace(key, facts, comparison.references, reference).first->second.add(waiting, causes);
    }
    for (const auto &[key, site] : sites)
        site.judge(comparison, verdict);
}

}  // namespace ct::rules
