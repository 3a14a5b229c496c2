// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Never run: a coroutine was woken, and no thread has resumed it. The wake was not lost; the scheduler lost the
// coroutine.
#include "core/analysis/rules/rules.h"
#include "core/analysis/rules/turns.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ct::rules {

namespace {

/// A woken coroutine that should have had its turn.
struct Overdue {
    const Waiting *waiting = nullptr;
    std::uint64_t wokenNs = 0;
    Turns::Due due;
};

/// How long (ns) coroutines of a site have waited for a thread before. A few of them show what is usual.
struct UsualDelay {
    static constexpr std::size_t kMostLooks = 32;
    std::size_t looks = 0;
    std::uint64_t longestNs = 0;
};

void abstain(const Facts &facts, const Waiting &waiting, std::uint64_t others, VerdictBuilder &verdict)
{
    const std::uint64_t most = facts.thresholds().overtaken;
    const std::string times = std::to_string(most) + " times";
    if (others >= most)  // a busy scheduler may prefer younger coroutines
        verdict.abstain(Rule::NeverRun, "coroutines that were woken later have run at least " + times +
                                            ", but no sample shows that its thread slept since");
    else if (!facts.process(waiting.pid).threads.areKnown)
        verdict.abstain(Rule::NeverRun, "what the threads of the process do is not known");
    else
        verdict.abstain(Rule::NeverRun,
                        "it may only wait for its turn: coroutines that were woken after it have run fewer than " +
                            times);
}

}  // namespace

void findNeverRun(const Facts &facts, VerdictBuilder &verdict)
{
    const Thresholds &limits = facts.thresholds();
    Turns turns(facts);
    std::vector<Overdue> overdue;
    std::map<std::pair<std::uint32_t, SiteId>, UsualDelay> usual;  // by process and site
    for (const Waiting &waiting : facts.waiting()) {
        if (!waiting.woken)
            continue;
        const std::uint64_t wokenAt = wokenAtOf(waiting);
        const std::uint64_t wokenNs = facts.watched(waiting.pid, wokenAt);
        if (wokenNs < limits.wokenNs)
            continue;
        const std::uint64_t others = turns.overtaken(waiting, wokenAt);
        if (std::optional<Turns::Due> due = turns.due(waiting, wokenAt, others)) {
            UsualDelay &delay = usual[{waiting.pid, waiting.site}];
            if (delay.looks++ < UsualDelay::kMostLooks)
                delay.longestNs = std::max(delay.longestNs, turns.longestDelay(waiting));
            overdue.push_back({&waiting, wokenNs, std::move(*due)});
        } else {
            abstain(facts, waiting, others, verdict);
        }
    }
    for (Overdue &one : overdue) {
        const Waiting &waiting = *one.waiting;
        const auto longest = static_cast<double>(usual.at({waiting.pid, waiting.site}).longestNs);
        if (static_cast<double>(one.wokenNs) <= limits.lateFactor * longest)
            verdict.abstain(Rule::NeverRun, "they have waited for a thread for about as long before");
        else
            verdict.add(Rule::NeverRun, Severity::Error, one.due.confidence, waiting,
                        "woken " + durationText(one.wokenNs) + " ago, and no thread has resumed it",
                        {wakerText(facts.population(), *waiting.lastWake), std::move(one.due.why)});
    }
}

}  // namespace ct::rules
