// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dock that runs SQL queries on the trace.
#pragma once

#include "core/query/tracequery.h"
#include "models/queryresultmodel.h"

#include <QDockWidget>
#include <QElapsedTimer>
#include <QTimer>

#include <functional>
#include <memory>

class QComboBox;
class QLabel;
class QMenu;
class QToolButton;
class QShortcut;
class QTabWidget;

namespace ct {

class QueryChart;
class QueryEditor;
class QueryJob;
class QueryTable;

class QueryDock : public QDockWidget {
    Q_OBJECT
public:
    explicit QueryDock(QWidget *parent = nullptr);
    ~QueryDock() override;  ///< cancels the query, and waits for nothing

    /// `trace`: returns the present trace and its sums, once per query; empty = no trace. Cancels the running query.
    void setTrace(std::function<QueriedTrace()> trace);
    /// Shows a message below the statement.
    void say(const QString &text, bool isError = false);

public Q_SLOTS:
    /// Runs the selection, or the statement at the cursor. Cancels the running query.
    void run();
    void cancel();

Q_SIGNALS:
    /// The user double-clicked a row with the id of a coroutine, or pressed Enter on it.
    void coroutineActivated(ct::CoroutineId coroutine);

private:
    QWidget *makeBar();
    void addExamples(QToolButton *button);
    void makeResult();
    void listSaved();
    void listHistory(QMenu *menu);
    void showStatement(const QString &statement);
    void load(const QString &name);
    void save();
    void ask(const QString &title, const QString &question, const QString &yes, const std::function<void()> &then);
    void sayHint();
    void remove();
    void letGo();
    void showOutcome(QueryOutcome outcome);
    void showError(const QueryError &error);
    void showBusy(bool isBusy);

    std::function<QueriedTrace()> m_trace;
    QueryJob *m_job = nullptr;  ///< of the latest query, until it ends
    QString m_statement;        ///< of m_job
    int m_statementBegin = 0;   ///< in the editor
    QueryEditor *m_editor;
    QComboBox *m_saved = nullptr;
    QToolButton *m_run = nullptr;
    QToolButton *m_cancel = nullptr;
    QToolButton *m_delete = nullptr;
    QShortcut *m_escape;
    QElapsedTimer m_sinceRun;
    QTimer m_progress;  ///< while a query runs
    QLabel *m_message;
    QTabWidget *m_tabs;
    QueryTable *m_table;
    QueryResultModel *m_model;
    QueryChart *m_chart;
};

}  // namespace ct
