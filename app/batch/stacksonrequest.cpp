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

StacksOnRequest::StacksOnRequest(const Diagnosis &diagnosis, std::shared_ptr<const Population> population,
                                 std::shared_ptr<AddressResolver> resolver, std::string target)
    : m_diagnosis(diagnosis),
      m_population(std::move(population)),
      m_resolver(std::move(resolver)),
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
    const Report report = makeReport(m_diagnosis.presentVerdict(), chainGroupsOf(*m_population), *m_population,
                                     m_resolver.get(), m_target);
    return textReport(report) + (report.stacks.empty() ? "no coroutine is alive\n" : "");
}

}  // namespace ct
