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
#include <functional>
#include <string>

namespace ct {

class QueryJob final : public QThread {
    Q_OBJECT
public:
    using Done = std::function<void(QueryOutcome)>;

    /// Returns a job that runs. It calls `done` later, from the event loop, and then deletes itself. Returns an error
    /// if the system refuses the thread.
    static Result<QueryJob *> launch(QueriedTrace trace, std::string statement, Done done);
    /// Number of jobs of the process that have not ended, with the cancelled ones.
    static int count();
    /// Deletes all jobs. Returns false if one has not ended in time: the program must then not destroy any static
    /// object. Cancel them first.
    static bool endAll(std::chrono::milliseconds most);

    void cancel();
    /// Cancels without a call of `done`. The job may delete itself at any time after that.
    void abandon();

protected:
    void run() override;

private:
    QueryJob(QueriedTrace trace, std::string statement, Done done);
    ~QueryJob() override;
    void deliver();

    const QueriedTrace m_trace;
    const std::string m_statement;
    std::atomic<bool> m_cancelled{false};  ///< relaxed: a hint
    QueryOutcome m_outcome;
    Done m_done;
};

}  // namespace ct
