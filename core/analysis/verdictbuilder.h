// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Groups what the rules find by rule, severity and site.
#pragma once

#include "core/analysis/facts.h"
#include "core/analysis/finding.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ct {

class VerdictBuilder {
public:
    struct Text {
        std::string message;
        std::vector<std::string> evidence;
    };
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
    /// As above, for rules that find many coroutines: `describe()` returns the Text, and is called only if it is
    /// needed.
    template <std::invocable Describe>
    void add(Rule rule, Severity severity, double confidence, const Waiting &waiting, Describe &&describe)
    {
        Group &group = groupOf(rule, severity, waiting);
        if (enter(group, confidence, waiting.coroutine, waiting.since))
            group.text = describe();
    }
    void add(Finding finding) { m_whole.push_back(std::move(finding)); }
    /// True if the rule has a warning or an error about the coroutine, alone or with others at its site.
    bool accuses(Rule rule, CoroutineId coroutine) const { return m_accused.contains({coroutine, rule}); }
    /// Counts are added up for each reason.
    void abstain(Rule rule, const std::string &reason, std::uint64_t count = 1);

    Verdict take(std::uint64_t judgedAt);

private:
    /// The coroutines of one finding.
    struct Group {
        std::vector<std::pair<std::uint64_t, CoroutineId>> members;  ///< with `since`
        std::pair<std::uint64_t, CoroutineId> first;                 ///< the least of them
        double confidence = 1;
        Text text;  ///< about `first`
    };
    using Key = std::tuple<Severity, Rule, SiteId, std::uint64_t>;

    Group &groupOf(Rule rule, Severity severity, const Waiting &waiting);
    bool enter(Group &group, double confidence, CoroutineId coroutine, std::uint64_t since);

    std::map<Key, Group> m_groups;
    std::set<std::pair<CoroutineId, Rule>> m_accused;
    std::vector<Finding> m_whole;
    std::map<std::pair<Rule, std::string>, std::uint64_t> m_abstained;
};

}  // namespace ct
