// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/suspects.h"

#include <algorithm>

namespace ct {

Suspects::Suspects(const Verdict &verdict) : m_judgedAt(verdict.judgedAt)
{
    for (const Finding &finding : verdict.findings)
        if (finding.severity != Severity::Info)
            for (const CoroutineId id : finding.coroutines)
                m_suspects.push_back({id, finding.rule, finding.severity});
    // The verdict has the most severe findings first.
    std::stable_sort(m_suspects.begin(), m_suspects.end(),
                     [](const Suspect &a, const Suspect &b) { return a.coroutine < b.coroutine; });
    const auto isSame = [](const Suspect &a, const Suspect &b) { return a.coroutine == b.coroutine; };
    m_suspects.erase(std::unique(m_suspects.begin(), m_suspects.end(), isSame), m_suspects.end());
}

const Suspects::Suspect *Suspects::find(const CoroutineSnapshot &coroutine) const
{
    const auto found =
        std::lower_bound(m_suspects.begin(), m_suspects.end(), coroutine.id,
                         [](const Suspect &suspect, CoroutineId wanted) { return suspect.coroutine < wanted; });
    const bool isSuspect = found != m_suspects.end() && found->coroutine == coroutine.id;
    return isSuspect && coroutine.since <= m_judgedAt ? &*found : nullptr;
}

}  // namespace ct
