// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/queryjob.h"

#include <utility>

namespace ct {

QueryJob::QueryJob(QueriedTrace trace, std::string statement, QObject *parent)
    : QThread(parent), m_trace(std::move(trace)), m_statement(std::move(statement))
{
}

QueryJob::~QueryJob()
{
    cancel();
    wait();
}

void QueryJob::cancel()
{
    m_cancelled.store(true, std::memory_order_relaxed);
    if (m_trace.resolver)
        m_trace.resolver->giveUp();
}

void QueryJob::run()
{
    m_outcome = runQuery(m_trace, m_statement, m_cancelled);
}

}  // namespace ct
