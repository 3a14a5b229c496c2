// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/retractions.h"

namespace ct {

namespace {

bool saysThatItNeverRuns(Rule rule)
{
    return rule == Rule::LostWakeup || rule == Rule::NeverRun || rule == Rule::LostWakeRace || rule == Rule::Deadlock ||
           rule == Rule::Stall;
}

std::uint64_t allEventsOf(const CoroutineSnapshot &snapshot)
{
    return snapshot.events + snapshot.lost + snapshot.missed + snapshot.unexplained;
}

}  // namespace

void Retractions::retract(const Population &population)
{
    for (auto open = m_open.begin(); open != m_open.end();) {
        const auto &[rule, coroutine] = open->first;
        const CoroutineSnapshot snapshot = population.at(coroutine);
        const bool hasRun = snapshot.kept && allEventsOf(snapshot) > open->second;
        const bool isOver = hasRun || !snapshot.kept || snapshot.state == CoroutineState::Destroyed;
        m_counts.at(static_cast<std::size_t>(rule)).retracted += hasRun ? 1 : 0;
        open = isOver ? m_open.erase(open) : std::next(open);
    }
}

Retractions::Counts Retractions::all() const
{
    Counts sum;
    for (const Counts &counts : m_counts) {
        sum.reported += counts.reported;
        sum.retracted += counts.retracted;
    }
    return sum;
}

void Retractions::add(const Verdict &verdict, const Population &population)
{
    retract(population);
    for (const Finding &finding : verdict.findings) {
        if (finding.severity == Severity::Info || !saysThatItNeverRuns(finding.rule))
            continue;
        for (const CoroutineId id : finding.coroutines) {
            const CoroutineSnapshot snapshot = population.at(id);
            // The population may be ahead of the verdict.
            if (m_open.size() >= kMost || snapshot.since > verdict.judgedAt || !snapshot.kept)
                continue;
            if (m_open.try_emplace({finding.rule, id}, allEventsOf(snapshot)).second)
                ++m_counts.at(static_cast<std::size_t>(finding.rule)).reported;
        }
    }
}

}  // namespace ct
