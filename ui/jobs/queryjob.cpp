// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/queryjob.h"

#include "core/base/startthread.h"

#include <QDeadlineTimer>
#include <QList>

#include <algorithm>
#include <utility>

namespace ct {

namespace {

/// Only on the GUI thread.
QList<QueryJob *> &jobs()
{
    static QList<QueryJob *> all;
    return all;
}

}  // namespace

Result<QueryJob *> QueryJob::launch(QueriedTrace trace, std::string statement)
{
    auto *job = new QueryJob(std::move(trace), std::move(statement));
    if (const Result<void> started = startQThread(*job, "for the query"); !started) {
        delete job;
        return started.error();
    }
    return job;
}

int QueryJob::count()
{
    return static_cast<int>(
        std::count_if(jobs().cbegin(), jobs().cend(), [](const QueryJob *job) { return !job->isFinished(); }));
}

bool QueryJob::endAll(std::chrono::milliseconds most)
{
    const QDeadlineTimer deadline(most);
    while (!jobs().isEmpty()) {
        if (!jobs().constLast()->wait(deadline))
            return false;
        delete jobs().constLast();
    }
    return true;
}

QueryJob::QueryJob(QueriedTrace trace, std::string statement)
    : m_trace(std::move(trace)), m_statement(std::move(statement))
{
    jobs() << this;
    connect(this, &QThread::finished, this, &QObject::deleteLater);
}

QueryJob::~QueryJob()
{
    jobs().removeOne(this);
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
