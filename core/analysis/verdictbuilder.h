// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Groups what the rules find by rule, severity and site.
#pragma once

#include "core/analysis/facts.h"
#include "core/analysis/finding.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ct {

class VerdictBuilder {
public:
    /// What a rule says about one coroutine.
    struct Suspect {
        Rule rule = Rule::LostWakeup;
        Severity severity = Severity::Info;
        double confidence = 0;
        CoroutineId coroutine = kNoCoroutine;
        SiteId site = kUnknownSite;
        std::uint64_t addr = 0;
        std::uint64_t since = 0;
        std::string message;
        std::vector<std::string> evidence;
    };

    /// Adds a coroutine to the finding of its rule, severity and site. The text of the finding is that of the coroutine
    /// with the earliest `since`; its confidence is the least of all.
    void add(Suspect suspect);
    /// Adds a waiting coroutine, with its site and since when it waits.
    void add(Rule rule, Severity severity, double confidence, const Waiting &waiting, std::string message,
             std::vector<std::string> evidence);
    void add(Finding finding) { m_whole.push_back(std::move(finding)); }
    /// Counts are added up for each reason.
    void abstain(Rule rule, const std::string &reason, std::uint64_t count = 1);

    Verdict take(std::uint64_t judgedAt);

private:
    using Key = std::tuple<Severity, Rule, SiteId, std::uint64_t>;
    std::map<Key, std::vector<Suspect>> m_suspects;
    std::vector<Finding> m_whole;
    std::map<std::pair<Rule, std::string>, std::uint64_t> m_abstained;
};

}  // namespace ct
