// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/stacksonrequest.h"

#include "app/batch/diagnosis.h"
#include "core/reporting/report.h"
#include "core/reporting/reportformats.h"

namespace ct {

namespace {

constexpr int kCheckMs = 50;
constexpr int kMostChecks = 20;

}  // namespace

StacksOnRequest::StacksOnRequest(std::shared_ptr<const Population> population,
                                 std::shared_ptr<AddressResolver> resolver, const Diagnosis *diagnosis,
                                 std::string target)
    : m_population(std::move(population)),
      m_resolver(std::move(resolver)),
      m_diagnosis(diagnosis),
      m_target(std::move(target))
{
    m_timer.setInterval(kCheckMs);
    connect(&m_timer, &QTimer::timeout, this, &StacksOnRequest::check);
}

void StacksOnRequest::begin()
{
    if (m_timer.isActive())
        return;  // one text answers both requests
    bool isOpen = false;
    for (const AddressResolver::Query &query : openLocations({}, chainGroupsOf(*m_population), *m_population))
        isOpen = !m_resolver->resolveOrRequest(query) || isOpen;
    m_checksLeft = isOpen ? kMostChecks : 1;
    m_timer.start();
}

void StacksOnRequest::check()
{
    if (--m_checksLeft > 0 && !m_resolver->isIdle())
        return;
    m_timer.stop();
    Q_EMIT written(text());
}

std::string StacksOnRequest::text() const
{
    Verdict verdict;
    verdict.judgedAt = m_population->now();
    if (m_diagnosis)
        verdict = m_diagnosis->presentVerdict();
    const Report report = makeReport(verdict, chainGroupsOf(*m_population), *m_population, m_resolver.get(), m_target);
    if (m_diagnosis)
        return textReport(report);
    return summaryLine(report) + (report.stacks.empty() ? "no coroutine is alive\n" : stacksText(report.stacks));
}

}  // namespace ct
