// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs an SQL query in the background. Shares ownership of the trace. SQLite cannot interrupt a function, such as
// instr() with long texts, so a cancelled job may run for seconds without its owner. Create and use it on the GUI
// thread.
#pragma once

#include "core/base/result.h"
#include "core/query/tracequery.h"

#include <QThread>

#include <atomic>
#include <chrono>

namespace ct {

class QueryJob final : public QThread {
    Q_OBJECT
public:
    /// Returns a job that runs. It deletes itself after finished(). Returns an error if the system refuses the thread.
    static Result<QueryJob *> launch(QueriedTrace trace, std::string statement);
    /// Number of jobs of the process that have not ended, with the cancelled ones.
    static int count();
    /// Deletes all jobs. Returns false if one has not ended in time: the program must then not destroy any static
    /// object. Cancel them first.
    static bool endAll(std::chrono::milliseconds most);

    void cancel();
    /// Valid in a slot of finished().
    QueryOutcome &outcome() { return m_outcome; }

protected:
    void run() override;

private:
    QueryJob(QueriedTrace trace, std::string statement);
    ~QueryJob() override;

    const QueriedTrace m_trace;
    const std::string m_statement;
    std::atomic<bool> m_cancelled{false};  ///< relaxed: a hint
    QueryOutcome m_outcome;
};

}  // namespace ct
