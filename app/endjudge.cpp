// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/endjudge.h"

#include <thread>

namespace ct {

namespace {

/// Time limits for resolving the locations of stuck coroutines: before the target is ended, and at the end.
constexpr std::chrono::milliseconds kLearnBeforeEnd{2000};
constexpr std::chrono::milliseconds kLearnAtEnd{10'000};
constexpr std::chrono::milliseconds kLearnStep{1};

}  // namespace

EndJudge::EndJudge(std::shared_ptr<const Population> population, std::shared_ptr<AddressResolver> places,
                   QObject *parent)
    : QObject(parent), m_population(std::move(population)), m_places(std::move(places))
{
    connect(&m_timer, &QTimer::timeout, this, &EndJudge::learn);
}

void EndJudge::decide(bool targetEnds)
{
    m_decidedNs = m_population->now();
    std::vector<StuckGroup> stuck = findStuck(*m_population, m_decidedNs);
    m_learner.emplace(*m_population, stuck, *m_places, kLearnBeforeEnd);
    if (targetEnds)
        m_decided = std::move(stuck);
    if (const std::size_t count = m_learner->left(); count > 0)
        Q_EMIT said(tr("resolving where %1 of the stuck coroutines wait; Ctrl-C skips this").arg(count));
    m_timer.start(kLearnStep);
}

void EndJudge::learn()
{
    if (!m_learner->step())
        stopLearning();
}

void EndJudge::stopLearning()
{
    if (m_decided)
        m_found = groupsOf(*m_decided, *m_population, m_places.get());
    endLearning();
}

void EndJudge::endLearning()
{
    m_timer.stop();
    m_learner.reset();
    Q_EMIT learned();
}

std::optional<StuckInstant> EndJudge::decided() const
{
    return m_decided ? std::optional(StuckInstant{m_decidedNs, stuckIn(*m_decided)}) : std::nullopt;
}

std::vector<FoundGroup> EndJudge::lookedUp(const std::vector<StuckGroup> &stuck)
{
    for (StuckResolver learner(*m_population, stuck, *m_places, kLearnAtEnd); learner.step();)
        std::this_thread::sleep_for(kLearnStep);
    return groupsOf(stuck, *m_population, m_places.get());
}

void EndJudge::finish(Summary &summary)
{
    const std::uint64_t end = m_population->now();
    const std::vector<StuckGroup> stuck = findStuck(*m_population, end);
    summary.stuckAtEnd = {end, stuckIn(stuck)};
    summary.stuckWhenDecided = decided();
    summary.stuck = m_found ? std::move(*m_found) : lookedUp(m_decided ? *m_decided : stuck);
}

}  // namespace ct
