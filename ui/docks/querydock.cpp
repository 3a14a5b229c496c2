// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/querydock.h"

#include "core/query/queryexamples.h"
#include "ui/docks/dockstyle.h"
#include "ui/docks/savedqueries.h"
#include "ui/format/format.h"
#include "ui/jobs/queryjob.h"
#include "ui/widgets/querychart.h"
#include "ui/widgets/queryeditor.h"
#include "ui/widgets/querytable.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace ct {

namespace {

/// Columns are wide enough for these first rows, within limits.
constexpr int kMeasuredRows = 100;
constexpr int kWidestColumn = 320;
constexpr int kProgressMs = 100;
constexpr int kLongestName = 100;  ///< characters of the name of a saved query
/// Jobs of cancelled queries may run on; each may hold a trace and a processor.
constexpr int kMostJobs = 4;

/// "Line 2, column 5". `offset`: a position in the statement, in bytes of UTF-8.
QString positionText(const QString &statement, std::size_t offset)
{
    const QString before = QString::fromUtf8(statement.toUtf8().left(static_cast<qsizetype>(offset)));
    const auto line = before.count(u'\n') + 1;
    const auto column = before.size() - before.lastIndexOf(u'\n');
    return QueryDock::tr("Line %1, column %2").arg(line).arg(column);
}

QString durationText(std::uint64_t ns)
{
    return ns < 1'000'000'000 ? QueryDock::tr("%1 ms").arg(static_cast<double>(ns) / 1e6, 0, 'f', 1)
                              : QueryDock::tr("%1 s").arg(static_cast<double>(ns) / 1e9, 0, 'f', 2);
}

QString tablesText()
{
    QString text;
    for (const QueriedTable &table : queriedTables()) {
        QStringList columns;
        for (const std::string &column : table.columns)
            columns << QString::fromStdString(column);
        text += QStringLiteral("<p><b>%1</b>: %2</p>").arg(QString::fromStdString(table.name), columns.join(u", "));
    }
    return text;
}

}  // namespace

QueryDock::QueryDock(QWidget *parent)
    : QDockWidget(tr("Query"), parent),
      m_editor(new QueryEditor),
      m_escape(new QShortcut(Qt::Key_Escape, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut)),
      m_message(new QLabel),
      m_tabs(new QTabWidget),
      m_table(new QueryTable),
      m_model(new QueryResultModel(this)),
      m_chart(new QueryChart)
{
    setObjectName(QStringLiteral("queryDock"));
    setWhatsThis(
        tr("<p>SQL queries on the trace, and on its recording if memory has evicted events. Queries are read-only and "
           "show the trace as it is when they begin. An export to SQLite has the same tables.</p><p>Double-click a row "
           "with the id of a coroutine to select it in all views.</p>") +
        tablesText());
    m_editor->setObjectName(QStringLiteral("queryEditor"));
    m_editor->setAccessibleName(tr("SQL statement"));
    m_editor->setPlaceholderText(tr("A SELECT statement, for example: SELECT * FROM stuck_coroutines"));
    m_message->setObjectName(QStringLiteral("queryMessage"));
    m_message->setTextFormat(Qt::PlainText);  // it quotes statements and names
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setWordWrap(true);
    m_message->setMinimumWidth(1);  // else a long word would widen the window
    m_message->setContentsMargins(6, 2, 6, 2);
    makeResult();
    auto *upper = new QWidget;
    auto *upperLayout = new QVBoxLayout(upper);
    upperLayout->setContentsMargins(0, 0, 0, 0);
    upperLayout->setSpacing(0);
    upperLayout->addWidget(makeBar());
    upperLayout->addWidget(m_editor, 1);
    upperLayout->addWidget(m_message);
    auto *splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(upper);
    splitter->addWidget(m_tabs);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    setWidget(splitter);
    connect(m_editor, &QueryEditor::runRequested, this, &QueryDock::run);
    connect(m_escape, &QShortcut::activated, this, &QueryDock::cancel);
    m_progress.setInterval(kProgressMs);
    connect(&m_progress, &QTimer::timeout, this, [this] {
        m_message->setText(
            tr("The query is running (%1)…").arg(durationText(static_cast<std::uint64_t>(m_sinceRun.nsecsElapsed()))));
    });
    listSaved();
    showBusy(false);
    sayHint();
}

QueryDock::~QueryDock()
{
    letGo();
}

QWidget *QueryDock::makeBar()
{
    auto *bar = new QWidget;
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(6, 2, 4, 2);
    const auto addButton = [&](const QString &text, const char *name) {
        // Narrower than push buttons: the dock must not make the window wide.
        auto *button = new QToolButton(bar);
        button->setText(text);
        button->setObjectName(QLatin1String(name));
        layout->addWidget(button);
        return button;
    };
    m_run = addButton(tr("Run"), "queryRun");
    m_run->setToolTip(tr("Run the statement at the cursor, or the selection (Ctrl+Enter)"));
    m_cancel = addButton(tr("Cancel"), "queryCancel");
    m_cancel->setToolTip(tr("Cancel the query (Esc)"));
    QToolButton *const examples = addButton(tr("Examples"), "queryExamples");
    examples->setToolTip(tr("Examples of statements, and the latest ones"));
    addExamples(examples);
    layout->addStretch(1);
    m_saved = new QComboBox(bar);
    m_saved->setObjectName(QStringLiteral("querySaved"));
    m_saved->setAccessibleName(tr("Saved queries"));
    m_saved->setEditable(true);
    m_saved->setInsertPolicy(QComboBox::NoInsert);
    m_saved->setCompleter(nullptr);  // it would complete the name of another query, which Save would then replace
    // Else the box loads a typed name when it loses the focus, and replaces the statement that is to be saved.
    m_saved->lineEdit()->disconnect(SIGNAL(editingFinished()), m_saved);
    m_saved->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);  // whatever the longest name is
    m_saved->setMinimumContentsLength(10);
    m_saved->lineEdit()->setMaxLength(kLongestName);
    m_saved->lineEdit()->setPlaceholderText(tr("Query name"));
    layout->addWidget(m_saved);
    connect(m_run, &QToolButton::clicked, this, &QueryDock::run);
    connect(m_cancel, &QToolButton::clicked, this, &QueryDock::cancel);
    QToolButton *const saveButton = addButton(tr("Save"), "querySave");
    saveButton->setToolTip(tr("Save the text under the name on the left"));
    connect(saveButton, &QToolButton::clicked, this, &QueryDock::save);
    m_delete = addButton(tr("Delete"), "queryDelete");
    m_delete->setToolTip(tr("Delete the saved query with this name"));
    connect(m_delete, &QToolButton::clicked, this, &QueryDock::remove);
    connect(m_saved, &QComboBox::editTextChanged, this,
            [this](const QString &name) { m_delete->setEnabled(savedqueries::names().contains(name.trimmed())); });
    connect(m_saved, &QComboBox::textActivated, this, &QueryDock::load);
    return bar;
}

void QueryDock::addExamples(QToolButton *button)
{
    auto *menu = new QMenu(button);
    for (const QueryExample &example : kQueryExamples) {
        const QString statement = QString::fromLatin1(example.statement);
        menu->addAction(QString::fromLatin1(example.name), this, [this, statement] {
            showStatement(statement);
            run();
        });
    }
    menu->addSeparator();
    QMenu *const history = menu->addMenu(tr("Earlier queries"));
    history->setObjectName(QStringLiteral("queryHistory"));
    connect(menu, &QMenu::aboutToShow, this, [this, history] { listHistory(history); });
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
}

void QueryDock::listHistory(QMenu *menu)
{
    menu->clear();
    for (const QString &statement : savedqueries::history()) {
        const QString text = format::shortened(statement.simplified()).replace(u'&', QLatin1String("&&"));
        menu->addAction(text, this, [this, statement] { showStatement(statement); });
    }
    menu->setEnabled(!menu->isEmpty());
}

/// Replaces the text. Undo restores the previous one.
void QueryDock::showStatement(const QString &statement)
{
    QTextCursor all(m_editor->document());
    all.select(QTextCursor::Document);
    all.insertText(statement);
    m_editor->moveCursor(QTextCursor::Start);
    m_editor->setFocus();
}

void QueryDock::makeResult()
{
    m_table->setObjectName(QStringLiteral("queryTable"));
    m_table->setAccessibleName(tr("Result of the query"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicatorClearable(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
    m_table->horizontalHeader()->setMaximumSectionSize(kWidestColumn);
    m_tabs->setObjectName(QStringLiteral("queryTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_table, tr("Rows"));
    m_tabs->addTab(m_chart, tr("Chart"));
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex &index) {
        const QVariant id = index.data(QueryResultModel::CoroutineIdRole);
        if (id.isValid())
            Q_EMIT coroutineActivated(id.toUInt());
    });
}

void QueryDock::setTrace(std::function<QueriedTrace()> trace)
{
    letGo();
    m_trace = std::move(trace);
    m_model->setRows(nullptr);
    m_chart->setRows(nullptr);
    sayHint();
    showBusy(false);
}

void QueryDock::run()
{
    m_statement = m_editor->statement(&m_statementBegin);
    if (!m_statement.trimmed().isEmpty())
        savedqueries::remember(m_statement.trimmed());
    letGo();
    showBusy(false);
    if (QueryJob::count() >= kMostJobs)
        return showError({{ErrorCode::Busy, tr("%1 cancelled queries have not ended yet. Try again when one has ended.")
                                                .arg(QueryJob::count())
                                                .toStdString()},
                          {}});
    m_sinceRun.start();
    const Result<QueryJob *> job =
        QueryJob::launch(m_trace ? m_trace() : QueriedTrace(), m_statement.toStdString(), [this](QueryOutcome outcome) {
            m_job = nullptr;
            showOutcome(std::move(outcome));
        });
    if (!job)
        return showError({job.error(), {}});
    m_job = *job;
    showBusy(true);
    say(tr("The query is running…"));
}

void QueryDock::cancel()
{
    if (!m_job)
        return;
    m_job->cancel();
    showBusy(false);
    say(tr("Cancelling…"));
}

/// Cancels the query and ignores its outcome.
void QueryDock::letGo()
{
    if (!m_job)
        return;
    std::exchange(m_job, nullptr)->abandon();
}

void QueryDock::showBusy(bool isBusy)
{
    m_run->setEnabled(!isBusy);
    m_cancel->setEnabled(isBusy);
    m_escape->setEnabled(isBusy);
    if (isBusy)
        m_progress.start();
    else
        m_progress.stop();
}

void QueryDock::showOutcome(QueryOutcome outcome)
{
    showBusy(false);
    if (outcome.error)
        return showError(*outcome.error);
    const auto rows = std::make_shared<const QueryRows>(std::move(outcome.rows));
    m_model->setRows(rows);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->resizeColumnsToContents();
    m_chart->setRows(rows);
    QString text = rows->count() == 1 ? tr("1 row") : tr("%1 rows").arg(format::count(rows->count()));
    if (outcome.hasMore)
        text = tr("The first %1 rows").arg(format::count(rows->count()));
    text += tr(" in %1.").arg(durationText(outcome.elapsedNs));
    if (outcome.hasMore)
        text += tr(" There are more: add conditions or a LIMIT, or export the trace.");
    if (outcome.missingEvents != 0)
        text += tr(" %1 older events are neither in memory nor in a recording, so they are not in the result.")
                    .arg(format::count(outcome.missingEvents));
    if (outcome.missingCauses != 0)
        text += tr(" %1 older waits, wakes and uses are missing as well.").arg(format::count(outcome.missingCauses));
    say(text);
}

void QueryDock::showError(const QueryError &error)
{
    m_model->setRows(nullptr);
    m_chart->setRows(nullptr);
    QString text = QString::fromStdString(error.error.message);
    if (error.offset) {
        m_editor->markError(
            m_statementBegin +
            static_cast<int>(
                QString::fromUtf8(m_statement.toUtf8().left(static_cast<qsizetype>(*error.offset))).size()));
        text = positionText(m_editor->toPlainText().left(m_statementBegin) + m_statement,
                            static_cast<std::size_t>(m_editor->toPlainText().left(m_statementBegin).toUtf8().size()) +
                                *error.offset) +
               QStringLiteral(": ") + text;
    }
    say(text, true);
}

void QueryDock::listSaved()
{
    const QString name = m_saved->currentText();
    m_saved->clear();
    m_saved->addItems(savedqueries::names());
    m_saved->setCurrentIndex(-1);
    m_saved->setEditText(name);
    m_delete->setEnabled(savedqueries::names().contains(name.trimmed()));
}

void QueryDock::load(const QString &name)
{
    const QString statement = savedqueries::statementOf(name);
    if (!statement.isEmpty())
        showStatement(statement);
}

void QueryDock::save()
{
    const QString name = m_saved->currentText().trimmed();
    if (name.isEmpty()) {
        say(tr("Enter a name for the query first."));
        m_saved->setFocus();
        return;
    }
    const auto saveIt = [this, name, statement = m_editor->toPlainText()] {
        savedqueries::save(name, statement);
        listSaved();
        say(tr("Saved the query “%1”.").arg(name));
    };
    if (savedqueries::names().contains(name) && savedqueries::statementOf(name) != m_editor->toPlainText())
        ask(tr("Replace a saved query"), tr("Replace the saved query “%1”?").arg(name), tr("&Replace"), saveIt);
    else
        saveIt();
}

void QueryDock::remove()
{
    const QString name = m_saved->currentText().trimmed();
    ask(tr("Delete a saved query"), tr("Delete the saved query “%1”?").arg(name), tr("&Delete"), [this, name] {
        savedqueries::remove(name);
        m_saved->setEditText({});
        listSaved();
        say(tr("Deleted the query “%1”.").arg(name));
    });
}

void QueryDock::ask(const QString &title, const QString &question, const QString &yes,
                    const std::function<void()> &then)
{
    auto *box = new QMessageBox(QMessageBox::Question, title, question, QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("savedQueryBox"));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("This cannot be undone."));
    QPushButton *const button = box->addButton(yes, QMessageBox::DestructiveRole);
    button->setObjectName(QStringLiteral("yesButton"));
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(button, &QPushButton::clicked, this, then);
    box->open();
}

void QueryDock::sayHint()
{
    say(tr("Ctrl+Enter runs the statement at the cursor, or the selection. Ctrl+Space completes names."));
}

void QueryDock::say(const QString &text, bool isError)
{
    m_message->setForegroundRole(isError ? QPalette::BrightText : QPalette::WindowText);
    m_message->setText(text);
    m_message->setToolTip(isError ? text.toHtmlEscaped() : QString());  // a long word may be cut off
}

}  // namespace ct
