// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Leak: ever more coroutines of a function live far longer than all those that ended. That alone is information: idle
// connections look alike. It becomes a warning when nothing can end them any more. Coroutines without their creator, or
// that are left at the end of the process, are information, too.
#include "core/analysis/rules/functions.h"
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <array>
#include <map>

namespace ct::rules {

namespace {

constexpr std::size_t kWindows = 8;

struct Survivor {
    CoroutineId coroutine = kNoCoroutine;
    SiteId site = kUnknownSite;
    std::uint64_t birthTs = 0;
    bool hasFinished = false;  ///< its frame is kept
    bool isOwnerless = false;  ///< no one awaits it, and the coroutine that created it has ended
    bool isSilent = false;     ///< does not report what it waits for
};

/// The coroutines of one function of one process.
struct Function {
    std::uint32_t pid = 0;
    SiteId site = kUnknownSite;  ///< one in its body
    SiteStatistics lifetimes;    ///< of those that ended, or of their creators
    bool isOfCreators = false;
    std::uint64_t firstBirth = ~std::uint64_t{0};
    std::uint64_t lastBirth = 0;
    std::uint64_t limitNs = 0;  ///< age from which a coroutine is a survivor
    std::vector<Survivor> survivors;
};

/// By pid and number of the function; those of which enough coroutines have ended.
using Functions = std::map<std::pair<std::uint32_t, std::uint32_t>, Function>;

bool hasEnded(const Population &population, CoroutineId id)
{
    const CoroutineSnapshot snapshot = population.at(id);
    return !snapshot.kept || snapshot.state == CoroutineState::Finished || snapshot.state == CoroutineState::Destroyed;
}

bool isOwnerless(const Population &population, CoroutineId id)
{
    const CoroutineId parent = population.parentOf(id);
    return parent != kNoCoroutine && hasEnded(population, parent) && population.waiterFor(id) == kNoCoroutine;
}

void addLifetimes(Function &function, const EndedCoroutines::Lifetimes &lifetimes)
{
    function.pid = lifetimes.pid;
    function.site = function.lifetimes.completed == 0 ? lifetimes.site : function.site;
    function.firstBirth = std::min(function.firstBirth, lifetimes.firstBirth);
    function.lastBirth = std::max(function.lastBirth, lifetimes.lastBirth);
    function.lifetimes.completed += lifetimes.durations.completed;
    function.lifetimes.maxNs = std::max(function.lifetimes.maxNs, lifetimes.durations.maxNs);
    for (std::size_t i = 0; i < function.lifetimes.buckets.size(); ++i)
        function.lifetimes.buckets[i] += lifetimes.durations.buckets[i];
}

Functions functionsWithEnds(const Facts &facts, const FunctionNumbers &numbers)
{
    const Thresholds &limits = facts.thresholds();
    Functions functions;
    for (const EndedCoroutines::Lifetimes &lifetimes : facts.ended().lifetimes())
        addLifetimes(functions[{lifetimes.pid, numbers.of(lifetimes.site)}], lifetimes);
    std::erase_if(functions,
                  [&limits](const auto &entry) { return entry.second.lifetimes.completed < limits.endedCoroutines; });
    for (auto &[key, function] : functions) {
        const double usualNs = static_cast<double>(function.lifetimes.quantile(0.999)) * limits.leakFactor;
        function.limitNs = std::max(limits.leakNs, static_cast<std::uint64_t>(std::min(usualNs, 1e18)));
    }
    return functions;
}

/// The function of a coroutine that lives without its creator, where too few of its own function ended: compared with
/// the creators, because it should not outlive them by far. nullptr if that is not known.
Function *functionOfOrphan(const Facts &facts, const FunctionNumbers &numbers, const Functions &withEnds,
                           const Idle &idle, Functions &orphans)
{
    const Population &population = facts.population();
    if (!isOwnerless(population, idle.coroutine))
        return nullptr;
    const CoroutineSnapshot creator = population.at(population.parentOf(idle.coroutine));
    const auto reference = withEnds.find({idle.pid, numbers.of(bodySiteOf(creator))});
    if (!creator.kept || reference == withEnds.end())
        return nullptr;
    const auto [orphan, isNew] = orphans.try_emplace({idle.pid, numbers.of(idle.body)});
    Function &function = orphan->second;
    if (isNew) {
        function.pid = idle.pid;
        function.site = idle.body;
        function.lifetimes = reference->second.lifetimes;
        function.limitNs = reference->second.limitNs;
        function.isOfCreators = true;
    }
    return &function;
}

/// True if it waits for a time that has not come yet.
bool waitsForATime(const Facts &facts, CoroutineId id)
{
    const std::vector<WaitsOn> waits = facts.population().waitsOf(id);
    return std::any_of(waits.begin(), waits.end(), [&facts](const WaitsOn &wait) {
        return wait.kind == WaitKind::Timer && wait.object >= facts.now();
    });
}

void addCoroutine(const Facts &facts, const Idle &idle, Function &function)
{
    if (idle.birthTs < facts.process(idle.pid).tracedSince)
        return;
    function.firstBirth = std::min(function.firstBirth, idle.birthTs);
    function.lastBirth = std::max(function.lastBirth, idle.birthTs);
    if (facts.watched(idle.pid, idle.birthTs) > function.limitNs &&
        facts.watched(idle.pid, idle.since) > facts.thresholds().leakNs && !waitsForATime(facts, idle.coroutine))
        function.survivors.push_back({idle.coroutine, idle.site, idle.birthTs, idle.hasFinished,
                                      isOwnerless(facts.population(), idle.coroutine),
                                      facts.population().waitsOf(idle.coroutine).empty()});
}

/// True if some survivors were born in each of kWindows equal parts of the time in which coroutines of the function
/// were born, and not most of them at its begin. So their number has grown all the time.
bool isGrowing(const Facts &facts, const Function &function)
{
    const std::uint64_t latest = facts.now() - std::min(facts.now(), function.limitNs);
    const std::uint64_t end = std::min(latest, function.lastBirth);
    if (end <= function.firstBirth)
        return false;
    const std::uint64_t windowNs = (end - function.firstBirth) / kWindows;
    if (windowNs < std::max(facts.thresholds().leakWindowNs, function.lifetimes.quantile(0.999)))
        return false;
    std::array<std::size_t, kWindows> born{};
    for (const Survivor &survivor : function.survivors)
        ++born.at(std::min<std::size_t>((survivor.birthTs - function.firstBirth) / windowNs, kWindows - 1));
    std::size_t late = 0;
    for (std::size_t i = kWindows / 2; i < kWindows; ++i)
        late += born.at(i);
    return std::find(born.begin(), born.end(), 0) == born.end() && late * 4 >= function.survivors.size();
}

/// True if hardly any wait at their sites has ever ended. Coroutines that live on to serve others are resumed now and
/// then.
bool waitForNothing(const Facts &facts, const Function &function)
{
    std::map<SiteId, std::uint64_t> sites;
    for (const Survivor &survivor : function.survivors)
        ++sites[survivor.site];
    std::uint64_t completed = 0;
    for (const auto &[site, count] : sites)
        completed += facts.population().siteStatistics(site).completed;
    return completed * 10 < function.survivors.size();
}

std::vector<std::string> evidenceOf(const Facts &facts, const Function &function)
{
    return {std::to_string(function.lifetimes.completed) +
                (function.isOfCreators ? " coroutines like those that created them" : " coroutines of this function") +
                " ended, 99.9 % of them within " + durationText(function.lifetimes.quantile(0.999)),
            std::to_string(function.survivors.size()) + " live longer than " + durationText(function.limitNs) +
                "; their number grew in each eighth of the last " +
                durationText(facts.now() - std::min(facts.now(), function.firstBirth))};
}

/// Why nothing can end most of them any more; empty if something can, or if that is not known.
std::string whyForEver(const Facts &facts, const Function &function)
{
    const std::size_t all = function.survivors.size();
    const auto finished = static_cast<std::size_t>(std::count_if(function.survivors.begin(), function.survivors.end(),
                                                                 [](const Survivor &one) { return one.hasFinished; }));
    if (finished * 2 > all)
        return std::to_string(finished) + " of them have finished, and their frames are kept";
    const ThreadFacts &threads = facts.process(function.pid).threads;
    if (!threads.areKnown || !threads.areDescriptorsKnown || threads.externals * 2 >= all)
        return {};  // they may be idle connections
    // If none of the function has ever ended, each may wait for a time that is far away, as a delayed cleanup does.
    const auto silent = static_cast<std::size_t>(std::count_if(function.survivors.begin(), function.survivors.end(),
                                                               [](const Survivor &one) { return one.isSilent; }));
    if (function.isOfCreators && threads.anyTimed && silent * 2 > all)
        return {};
    const auto ownerless = static_cast<std::size_t>(std::count_if(function.survivors.begin(), function.survivors.end(),
                                                                  [](const Survivor &one) { return one.isOwnerless; }));
    if (ownerless * 2 > all)
        return "the coroutines that created " + std::to_string(ownerless) +
               " of them have ended, no coroutine awaits them, and the epolls have only " +
               countText(threads.externals, "descriptor", "descriptors");
    if (threads.allSleep && !threads.anyTimed)
        return "no timer is armed, and the epolls have only " +
               countText(threads.externals, "descriptor", "descriptors");
    return {};
}

void judgeFunction(const Facts &facts, Function &function, VerdictBuilder &verdict)
{
    if (function.survivors.size() < facts.thresholds().leakedCoroutines || !isGrowing(facts, function) ||
        (function.isOfCreators && !waitForNothing(facts, function)))
        return;
    std::stable_sort(function.survivors.begin(), function.survivors.end(),
                     [](const Survivor &a, const Survivor &b) { return a.birthTs < b.birthTs; });
    const std::string why = whyForEver(facts, function);
    Finding finding;
    finding.rule = Rule::Leak;
    finding.severity = why.empty() ? Severity::Info : Severity::Warning;
    finding.confidence = why.empty() ? 0.4 : 0.8;
    for (const Survivor &survivor : function.survivors)
        finding.coroutines.push_back(survivor.coroutine);
    finding.site = function.site;
    finding.since = function.survivors.front().birthTs;
    finding.message = "ever more of them live on, the longest for " +
                      durationText(facts.watched(function.pid, finding.since)) + ", and 99.9 % of those that " +
                      (function.isOfCreators ? "created such ones" : "ended") + " lived for at most " +
                      durationText(function.lifetimes.quantile(0.999));
    finding.evidence = evidenceOf(facts, function);
    if (!why.empty())
        finding.evidence.push_back(why);
    verdict.add(std::move(finding));
}

/// Information: coroutines that wait without their creator, and those that are left at the end of their process.
void addLeft(const Facts &facts, const Functions &functions, const FunctionNumbers &numbers, VerdictBuilder &verdict)
{
    const Population &population = facts.population();
    for (const Waiting &waiting : facts.waiting()) {
        if (facts.hasEnded(waiting.pid, waiting.since)) {
            const SiteId body = bodySiteOf(population.at(waiting.coroutine));
            if (functions.contains({waiting.pid, numbers.of(body)}))
                verdict.add(Rule::Leak, Severity::Info, 0.3, waiting, "left when the process ended", {});
        } else if (waiting.kind != PointKind::Initial && waiting.watchedNs >= facts.thresholds().ownerGoneNs &&
                   isOwnerless(population, waiting.coroutine)) {
            verdict.add(Rule::Leak, Severity::Info, 0.3, waiting,
                        "suspended for " + durationText(waiting.watchedNs) +
                            ", no coroutine awaits it, and the one that created it has ended",
                        {coroutineText(population, population.parentOf(waiting.coroutine)) + " created it"});
        }
    }
}

}  // namespace

void findLeaks(const Facts &facts, VerdictBuilder &verdict)
{
    const FunctionNumbers numbers(facts.population());
    Functions functions = functionsWithEnds(facts, numbers);
    Functions orphans;
    for (const Idle &idle : facts.idle()) {
        const auto found = functions.find({idle.pid, numbers.of(idle.body)});
        Function *const function =
            found != functions.end() ? &found->second : functionOfOrphan(facts, numbers, functions, idle, orphans);
        if (function)
            addCoroutine(facts, idle, *function);
    }
    for (Functions *const some : {&functions, &orphans})
        for (auto &[key, function] : *some)
            judgeFunction(facts, function, verdict);
    addLeft(facts, functions, numbers, verdict);
}

}  // namespace ct::rules
