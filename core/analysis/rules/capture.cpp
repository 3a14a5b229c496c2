// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Capture: what is missing in the data, and what is not judged because of it. Information, at most one finding.
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

#include <algorithm>

namespace ct::rules {

namespace {

/// What is missing, and its consequence.
struct Gap {
    std::uint64_t since = 0;  ///< ns; 0 = not known
    std::string what;
    std::string consequence;
};

void addLosses(const Facts &facts, std::vector<Gap> &gaps)
{
    if (const std::uint64_t lost = facts.population().lost(); lost != 0)
        gaps.push_back({0, countText(lost, "event was lost", "events were lost"),
                        facts.unknown() != 0 ? countText(facts.unknown(), "coroutine is", "coroutines are") +
                                                   " in an unknown state, and not judged"
                                             : "the durations around them are not known"});
    if (facts.missed() != 0)
        gaps.push_back({0,
                        countText(facts.missed(), "event was gone", "events were gone") + " before the capture began",
                        "what their coroutines did before is not known"});
    const std::vector<Drop> drops = facts.population().drops();
    if (drops.empty())
        return;
    std::uint64_t records = 0;
    std::uint64_t since = drops.front().firstTs;
    for (const Drop &drop : drops) {
        records += drop.records;
        since = std::min(since, drop.firstTs);
    }
    gaps.push_back({since, "lanes were full, and refused " + countText(records, "record", "records"),
                    "a wake, a signal or a release may be missing, so proofs of lost wake-ups and deadlocks are not "
                    "judged in these processes"});
}

void addUntraced(const Facts &facts, std::vector<Gap> &gaps)
{
    const Overflow overflow = facts.population().overflow();
    if (const std::uint64_t untraced = overflow.coroutines - std::min(overflow.coroutines, overflow.ended);
        untraced != 0)
        gaps.push_back({0, countText(untraced, "coroutine has no record", "coroutines have no record"),
                        "they are not judged: there was no memory for more"});
    if (facts.flagged() != 0)
        gaps.push_back(
            {0, "the stations of " + countText(facts.flagged(), "coroutine", "coroutines") + " contradict themselves",
             "they are not judged; two threads may have run them at the same time"});
    if (const std::uint64_t objects = facts.objects().forgottenObjects(); objects != 0)
        gaps.push_back({0, countText(objects, "object was", "objects were") + " forgotten",
                        "there were too many, so waits for them are not judged by proofs"});
    if (const std::uint64_t waits = facts.objects().forgottenWaits(); waits != 0)
        gaps.push_back({0, "the waits of " + countText(waits, "coroutine", "coroutines") + " were forgotten",
                        "there were too many, so proofs of lost wake-ups and deadlocks are not judged"});
}

void addTimesWithoutTracing(const Facts &facts, std::vector<Gap> &gaps)
{
    for (const Switch &change : facts.population().switches())
        if (!change.on && change.ts <= facts.now()) {
            gaps.push_back({change.ts, "process " + std::to_string(change.pid) + " had tracing off",
                            "coroutines that were suspended before are not judged"});
            return;
        }
}

}  // namespace

void findGaps(const Facts &facts, VerdictBuilder &verdict)
{
    std::vector<Gap> gaps;
    addLosses(facts, gaps);
    addUntraced(facts, gaps);
    addTimesWithoutTracing(facts, gaps);
    if (gaps.empty())
        return;
    Finding finding;
    finding.rule = Rule::Capture;
    finding.severity = Severity::Info;
    finding.confidence = 1;
    finding.since = facts.now();
    finding.message = "data are missing: " + gaps.front().what;
    for (const Gap &gap : gaps) {
        finding.since = gap.since != 0 ? std::min(finding.since, gap.since) : finding.since;
        finding.evidence.push_back(gap.what + ": " + gap.consequence);
    }
    verdict.add(std::move(finding));
}

}  // namespace ct::rules
