// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs an SQL query in the background. Shares ownership of the trace.
#pragma once

#include "core/query/tracequery.h"

#include <QThread>

#include <atomic>

namespace ct {

class QueryJob final : public QThread {
    Q_OBJECT
public:
    QueryJob(QueriedTrace trace, std::string statement, QObject *parent = nullptr);
    ~QueryJob() override;  ///< cancels and waits

    void cancel();  ///< callable on any thread
    /// Valid after finished().
    QueryOutcome &outcome() { return m_outcome; }

protected:
    void run() override;

private:
    const QueriedTrace m_trace;
    const std::string m_statement;
    std::atomic<bool> m_cancelled{false};  ///< relaxed: a hint
    QueryOutcome m_outcome;
};

}  // namespace ct
