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

Result<QueryJob *> QueryJob::launch(QueriedTrace trace, std::string statement, Done done)
{
    auto *job = new QueryJob(std::move(trace), std::move(statement), std::move(done));
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

QueryJob::QueryJob(QueriedTrace trace, std::string statement, Done done)
    : m_trace(std::move(trace)), m_statement(std::move(statement)), m_done(std::move(done))
{
    jobs() << this;
    // The only connection, and made before the start: a query may end before launch() returns, and the outcome must be
    // delivered before the job is deleted.
    connect(this, &QThread::finished, this, &QueryJob::deliver);
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

void QueryJob::abandon()
{
    m_done = nullptr;
    cancel();
}

void QueryJob::deliver()
{
    deleteLater();
    if (const Done done = std::exchange(m_done, nullptr))
        done(std::move(m_outcome));
}

void QueryJob::run()
{
    m_outcome = runQuery(m_trace, m_statement, m_cancelled);
}

}  // namespace ct
