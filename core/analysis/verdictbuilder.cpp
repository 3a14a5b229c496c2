// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/verdictbuilder.h"

#include <algorithm>

namespace ct {

namespace {

bool isEarlier(const VerdictBuilder::Suspect &a, const VerdictBuilder::Suspect &b)
{
    return std::tie(a.since, a.coroutine) < std::tie(b.since, b.coroutine);
}

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
    add(Suspect{rule, severity, confidence, waiting.coroutine, waiting.site,
                waiting.site == kUnknownSite ? waiting.addr : 0, waiting.since, std::move(message),
                std::move(evidence)});
}

void VerdictBuilder::add(Suspect suspect)
{
    m_suspects[{suspect.severity, suspect.rule, suspect.site, suspect.addr}].push_back(std::move(suspect));
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
    for (auto &[key, suspects] : m_suspects) {
        std::sort(suspects.begin(), suspects.end(), isEarlier);
        Suspect &first = suspects.front();
        Finding finding;
        finding.rule = first.rule;
        finding.severity = first.severity;
        finding.confidence = first.confidence;
        finding.site = first.site;
        finding.addr = first.addr;
        finding.since = first.since;
        finding.message = std::move(first.message);
        finding.evidence = std::move(first.evidence);
        for (const Suspect &suspect : suspects) {
            finding.coroutines.push_back(suspect.coroutine);
            finding.confidence = std::min(finding.confidence, suspect.confidence);
        }
        verdict.findings.push_back(std::move(finding));
    }
    std::stable_sort(verdict.findings.begin(), verdict.findings.end(), isMoreImportant);
    for (const auto &[key, count] : m_abstained)
        verdict.abstained.push_back({key.first, key.second, count});
    return verdict;
}

}  // namespace ct
