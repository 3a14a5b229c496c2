// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stall: all threads of a process wait without a timeout, for one another, and so do coroutines. Nothing can happen any
// more.
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ct::rules {

namespace {

/// The waiting coroutines of each process. Of one that has not stalled, the first one stands for all.
std::map<std::uint32_t, std::vector<const Waiting *>> waitingByProcess(const Facts &facts)
{
    std::map<std::uint32_t, std::vector<const Waiting *>> processes;
    for (const Waiting &waiting : facts.waiting()) {
        if (waiting.kind != PointKind::Await || waiting.watchedNs < facts.thresholds().stallNs)
            continue;
        const auto [found, isNew] = processes.try_emplace(waiting.pid);
        if (isNew || facts.isStalled(waiting.pid))
            found->second.push_back(&waiting);
    }
    return processes;
}

/// Sets the site at which most of them wait, or the line where sites are not reported. The first coroutine of the
/// finding, which says since when, is the one that has waited there for the longest.
void describe(const Facts &facts, Finding &finding, std::vector<const Waiting *> waiting)
{
    using Place = std::tuple<SiteId, std::uint32_t, std::uint32_t>;  // site; or none, function and line
    const auto placeOf = [&facts](const Waiting *one) {
        return one->site != kUnknownSite ? Place(one->site, 0, 0)
                                         : Place(kUnknownSite, facts.functions().of(one->coroutine),
                                                 facts.functions().lineOf(one->coroutine, one->since));
    };
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const Waiting *a, const Waiting *b) { return a->since < b->since; });
    std::map<Place, std::size_t> counts;
    for (const Waiting *one : waiting)
        ++counts[placeOf(one)];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto &a, const auto &b) { return a.second < b.second; });
    const auto first =
        std::find_if(waiting.begin(), waiting.end(), [&](const Waiting *one) { return placeOf(one) == most->first; });
    std::rotate(waiting.begin(), first, first + 1);
    for (const Waiting *one : waiting)
        finding.coroutines.push_back(one->coroutine);
    finding.site = waiting.front()->site;
    finding.addr = finding.site == kUnknownSite ? waiting.front()->addr : 0;
    finding.since = waiting.front()->since;
    if (counts.size() > 1)
        finding.evidence.push_back(countText(counts.size(), "site", "sites") + " in all; most wait at this one");
}

}  // namespace

void findStalls(const Facts &facts, VerdictBuilder &verdict)
{
    for (const auto &[pid, waiting] : waitingByProcess(facts)) {
        const ProcessFacts &process = facts.process(pid);
        if (!process.threads.areKnown) {
            verdict.abstain(Rule::Stall, "what the threads of the process do is not known");
            continue;
        }
        if (process.threads.allSleep && !process.threads.areDescriptorsKnown) {
            verdict.abstain(Rule::Stall, "what the epolls of the process wait for is not known");
            continue;
        }
        if (!facts.isStalled(pid))
            continue;
        Finding finding;
        finding.rule = Rule::Stall;
        finding.severity = Severity::Error;
        finding.confidence = 0.9;
        describe(facts, finding, waiting);
        finding.message = "all " + countText(process.threads.threads, "thread", "threads") +
                          " of the process have waited for " + durationText(facts.stalledNs(pid)) +
                          " without a timeout, and nothing from outside can wake them";
        finding.evidence.push_back("no timer is armed, and no thread waits for a socket, a pipe or a terminal");
        verdict.add(std::move(finding));
    }
}

}  // namespace ct::rules
