// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/stuckatend.h"

#include <thread>

namespace ct {

namespace {

constexpr std::uint64_t kMuchBehindNs = 100'000'000;
/// Time limits for resolving the locations of stuck coroutines: before the target is ended, and at the end.
constexpr std::chrono::milliseconds kResolveBeforeEnd{2000};
constexpr std::chrono::milliseconds kResolveAtEnd{10'000};
constexpr std::chrono::milliseconds kResolveStep{1};

}  // namespace

StuckAtEnd::StuckAtEnd(const Diagnosis &diagnosis, std::shared_ptr<const Population> population,
                       std::shared_ptr<AddressResolver> resolver, std::chrono::milliseconds catchUp)
    : m_diagnosis(diagnosis), m_population(std::move(population)), m_resolver(std::move(resolver)), m_catchUp(catchUp)
{
    connect(&m_timer, &QTimer::timeout, this, &StuckAtEnd::step);
}

void StuckAtEnd::decide(bool targetEnds, std::uint64_t wantedNs)
{
    m_targetEnds = targetEnds;
    m_wantedNs = wantedNs;
    m_patience.setRemainingTime(m_catchUp);
    m_timer.start(kResolveStep);
}

void StuckAtEnd::step()
{
    if (m_stuckResolver) {
        if (!m_stuckResolver->step())
            stopResolving();
    } else if (isJudged() || m_patience.hasExpired()) {
        judge();
        report();
    }
}

/// True if the verdict at the decision exists, or the stream is complete up to it.
bool StuckAtEnd::isJudged() const
{
    return m_targetEnds ? m_diagnosis.stuck() != nullptr : m_population->now() >= m_wantedNs;
}

void StuckAtEnd::judge()
{
    const std::shared_ptr<const Diagnosis::Stuck> judged = m_targetEnds ? m_diagnosis.stuck() : nullptr;
    m_decidedNs = judged ? judged->judgedAt : m_population->now();
    std::vector<StuckGroup> stuck = judged ? judged->groups : m_diagnosis.presentlyStuck();
    m_stuckResolver.emplace(*m_population, stuck, *m_resolver, kResolveBeforeEnd);
    if (m_targetEnds)
        m_decided = std::move(stuck);
}

void StuckAtEnd::report()
{
    if (m_decidedNs + kMuchBehindNs < m_wantedNs)
        Q_EMIT reported(
            tr("the list of stuck coroutines is from %1 s before the end was decided, because decoding is that "
               "far behind")
                .arg(static_cast<double>(m_wantedNs - m_decidedNs) / 1e9, 0, 'f', 1));
    if (const std::size_t count = m_stuckResolver->left(); count > 0)
        Q_EMIT reported(tr("resolving where %1 of the stuck coroutines wait; Ctrl-C skips this").arg(count));
}

void StuckAtEnd::stopResolving()
{
    if (!m_stuckResolver)
        judge();
    if (m_decided)
        m_found = groupsOf(*m_decided, *m_population, m_resolver.get());
    endResolving();
}

void StuckAtEnd::endResolving()
{
    m_timer.stop();
    m_stuckResolver.reset();
    Q_EMIT resolved();
}

std::optional<StuckInstant> StuckAtEnd::decided() const
{
    return m_decided ? std::optional(StuckInstant{m_decidedNs, stuckIn(*m_decided)}) : std::nullopt;
}

std::vector<FoundGroup> StuckAtEnd::resolvedGroups(const std::vector<StuckGroup> &stuck)
{
    for (StuckResolver stuckResolver(*m_population, stuck, *m_resolver, kResolveAtEnd); stuckResolver.step();)
        std::this_thread::sleep_for(kResolveStep);
    return groupsOf(stuck, *m_population, m_resolver.get());
}

void StuckAtEnd::finish(Summary &summary)
{
    const std::vector<StuckGroup> stuck = m_decided ? m_diagnosis.presentlyStuck() : m_diagnosis.stuck()->groups;
    summary.stuckAtEnd = {m_population->now(), stuckIn(stuck)};
    summary.stuckWhenDecided = decided();
    summary.stuck = m_found ? std::move(*m_found) : resolvedGroups(m_decided ? *m_decided : stuck);
}

}  // namespace ct
