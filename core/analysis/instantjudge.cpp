// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/instantjudge.h"

#include <utility>

namespace ct {

InstantJudge::InstantJudge(std::shared_ptr<const Population> population, std::shared_ptr<const JudgeData> data,
                           std::shared_ptr<const History> history, const Thresholds &thresholds)
    : m_population(std::move(population)),
      m_data(std::move(data)),
      m_history(std::move(history)),
      m_thresholds(thresholds)
{
}

void InstantJudge::judgeAt(std::uint64_t instant)
{
    if (instant >= m_population->now())
        m_instant.set(instant);
}

std::shared_ptr<const InstantJudge::Outcome> InstantJudge::outcome() const
{
    const std::lock_guard lock(m_mutex);
    return m_outcome;
}

Result<void> InstantJudge::consume(const Batch &batch)
{
    const std::uint64_t instant = m_instant.beforeBatch();
    if (m_isDone || instant == 0 || batch.now <= instant)
        return {};
    m_isDone = true;
    const Subject subject{*m_population, *m_data, *m_history};
    auto outcome = std::make_shared<Outcome>();
    outcome->verdict = judge(subject, instant, m_thresholds);
    for (const Finding &finding : outcome->verdict.findings)
        if (!finding.coroutines.empty() && outcome->circumstances.size() < kMostDescribed)
            outcome->circumstances.try_emplace(finding.coroutines.front(),
                                               circumstancesOf(subject, finding.coroutines.front(), instant));
    const std::lock_guard lock(m_mutex);
    m_outcome = std::move(outcome);
    return {};
}

}  // namespace ct
