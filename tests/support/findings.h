// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Judgements for tests of models and views: made by hand, or by the rules from a simulated target.
#pragma once

#include "core/analysis/judge.h"
#include "core/reporting/judgement.h"
#include "tests/models/notedtarget.h"

#include <memory>
#include <string>
#include <vector>

namespace ct::test {

/// A finding of one rule about coroutines at a site of the target.
inline ReportedFinding findingOf(const NotedTarget &target, Rule rule, Severity severity, SiteId site,
                                 std::vector<CoroutineId> coroutines)
{
    ReportedFinding reported;
    reported.finding.rule = rule;
    reported.finding.severity = severity;
    reported.finding.confidence = 0.75;
    reported.finding.site = site;
    reported.finding.coroutines = std::move(coroutines);
    if (!reported.finding.coroutines.empty())
        reported.finding.since = target.population->at(reported.finding.coroutines.front()).since;
    reported.finding.message = "suspended for 12 s, and earlier waits there took at most 3 ms";
    reported.finding.evidence = {"900 waits there were completed, the longest within 3 ms"};
    if (const Site *known = target.population->site(site)) {
        reported.function = known->function;
        reported.file = known->file;
        reported.line = known->line;
    }
    reported.fingerprint = std::to_string(static_cast<int>(rule)) + reported.function;
    return reported;
}

inline std::shared_ptr<Judgement> judgementOf(const NotedTarget &target, std::vector<ReportedFinding> findings)
{
    auto judgement = std::make_shared<Judgement>();
    judgement->judgedAt = target.now;
    Verdict verdict;
    verdict.judgedAt = target.now;
    for (const ReportedFinding &reported : findings)
        verdict.findings.push_back(reported.finding);
    judgement->suspects = Suspects(verdict);
    judgement->findings = std::move(findings);
    return judgement;
}

}  // namespace ct::test
