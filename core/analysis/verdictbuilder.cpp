// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/verdictbuilder.h"

#include <algorithm>

namespace ct {

namespace {

/// Severe ones first, then in the order of the rules, then those of many coroutines.
bool isMoreImportant(const Finding &a, const Finding &b)
{
    if (a.severity != b.severity)
        return a.severity > b.severity;
    if (a.rule != b.rule)
        return a.rule < b.rule;
    return a.coroutines.size() > b.coroutines.size();
}

}  // namespace

void VerdictBuilder::add(Rule rule, Severity severity, double confidence, const Waiting &waiting, std::string message,
                         std::vector<std::string> evidence)
{
    add(rule, severity, confidence, waiting, [&] { return Text{std::move(message), std::move(evidence)}; });
}

void VerdictBuilder::add(Suspect suspect)
{
    Waiting waiting;
    waiting.coroutine = suspect.coroutine;
    waiting.site = suspect.site;
    waiting.addr = suspect.addr;
    waiting.since = suspect.since;
    add(suspect.rule, suspect.severity, suspect.confidence, waiting, std::move(suspect.message),
        std::move(suspect.evidence));
}

VerdictBuilder::Group &VerdictBuilder::groupOf(Rule rule, Severity severity, const Waiting &waiting)
{
    if (severity >= Severity::Warning)
        m_accused.emplace(waiting.coroutine, rule);
    return m_groups[{severity, rule, waiting.site, waiting.site == kUnknownSite ? waiting.addr : 0}];
}

/// Returns true if the coroutine is the first one by time.
bool VerdictBuilder::enter(Group &group, double confidence, CoroutineId coroutine, std::uint64_t since)
{
    const std::pair member(since, coroutine);
    const bool isFirst = group.members.empty() || member < group.first;
    if (isFirst)
        group.first = member;
    group.members.push_back(member);
    group.confidence = std::min(group.confidence, confidence);
    return isFirst;
}

void VerdictBuilder::abstain(Rule rule, const std::string &reason, std::uint64_t count)
{
    m_abstained[{rule, reason}] += count;
}

Verdict VerdictBuilder::take(std::uint64_t judgedAt)
{
    Verdict verdict;
    verdict.judgedAt = judgedAt;
    verdict.findings = std::move(m_whole);
    for (auto &[key, group] : m_groups) {
        std::sort(group.members.begin(), group.members.end());
        Finding finding;
        std::tie(finding.severity, finding.rule, finding.site, finding.addr) = key;
        finding.confidence = group.confidence;
        finding.since = group.first.first;
        finding.message = std::move(group.text.message);
        finding.evidence = std::move(group.text.evidence);
        for (const auto &[since, coroutine] : group.members)
            finding.coroutines.push_back(coroutine);
        verdict.findings.push_back(std::move(finding));
    }
    std::stable_sort(verdict.findings.begin(), verdict.findings.end(), isMoreImportant);
    for (const auto &[key, count] : m_abstained)
        verdict.abstained.push_back({key.first, key.second, count});
    return verdict;
}

}  // namespace ct
