// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Double resume: a coroutine was resumed on one thread, and then on another one without a suspension in between. So two
// threads ran it at the same time.
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <set>

namespace ct::rules {

namespace {

VerdictBuilder::Suspect suspectOf(const Facts &facts, const DoubleResume &found)
{
    const CoroutineSnapshot snapshot = facts.population().at(found.coroutine);
    VerdictBuilder::Suspect suspect;
    suspect.rule = Rule::DoubleResume;
    suspect.severity = Severity::Error;
    suspect.confidence = 0.95;
    suspect.coroutine = found.coroutine;
    suspect.site = found.site;
    suspect.addr = found.site == kUnknownSite ? snapshot.addr : 0;
    suspect.since = found.ts;
    suspect.message = "resumed on thread " + std::to_string(found.tid) + " while it ran on thread " +
                      std::to_string(found.firstTid) + ", on which it had been resumed " +
                      durationText(found.ts - std::min(found.ts, found.firstTs)) + " before";
    suspect.evidence.push_back("its events " + std::to_string(found.n - 1) + " and " + std::to_string(found.n) +
                               " are resumptions, without a suspension between them");
    return suspect;
}

}  // namespace

void findDoubleResumes(const Facts &facts, VerdictBuilder &verdict)
{
    if (facts.withoutLanes() != 0)
        verdict.abstain(
            Rule::DoubleResume,
            "data of version 1, or from a file that does not name the probe, cannot show two threads in one coroutine",
            facts.withoutLanes());
    // A thread that was about to publish an event may do so after the switch, so the times do not show what is missing.
    std::set<std::uint32_t> interrupted;
    for (const Switch &change : facts.population().switches())
        interrupted.insert(change.pid);
    std::vector<CoroutineId> reported;
    for (const DoubleResume &found : facts.population().doubleResumes()) {
        const bool isNew = std::find(reported.begin(), reported.end(), found.coroutine) == reported.end();
        if (found.ts > facts.now() || !isNew || reported.size() == Facts::kMostExamples)
            continue;
        reported.push_back(found.coroutine);
        const CoroutineSnapshot snapshot = facts.population().at(found.coroutine);
        if (snapshot.kept ? interrupted.contains(snapshot.pid) : !interrupted.empty()) {
            verdict.abstain(Rule::DoubleResume, "its process had tracing off, so a suspension may be missing");
            continue;
        }
        verdict.add(suspectOf(facts, found));
    }
}

}  // namespace ct::rules
