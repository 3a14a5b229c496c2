// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The query dock: typing, running, cancelling, errors, saved queries, the chart, findings, and jumping to a coroutine.
#include "core/session/run.h"
#include "core/session/runjudge.h"
#include "models/creationtreemodel.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/docks/querysupport.h"
#include "ui/docks/coroutinedock.h"
#include "ui/docks/querydock.h"
#include "ui/format/theme.h"
#include "ui/mainwindow.h"
#include "ui/widgets/queryeditor.h"
#include "ui/widgets/querytable.h"

#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTextLayout>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <set>

using namespace ct;
using gui::Query;

class TestQueryDock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { applyTheme(Theme::Light); }

    void reportsAMissingTrace()
    {
        QueryDock dock;
        dock.resize(760, 520);
        dock.show();
        gui::takePicture(&dock, "query-empty");
        dock.findChild<QueryEditor *>(QStringLiteral("queryEditor"))->setPlainText(QStringLiteral("SELECT 1"));
        dock.run();
        auto *message = dock.findChild<QLabel *>(QStringLiteral("queryMessage"));
        QTRY_VERIFY(message->text().startsWith(QLatin1String("There is no trace.")));
    }

    void showsTheRowsOfATypedStatement()
    {
        Query query;
        query.coroutines(1, "worker");
        QVERIFY(query.run("SELECT coroutine, name, function, line, suspended_ns, waits_for FROM stuck_coroutines"));
        QCOMPARE(query.table->model()->rowCount(), 1);
        QCOMPARE(query.cell(0, 1), QStringLiteral("worker"));
        QCOMPARE(query.cell(0, 5), QStringLiteral("lock 0x000000000000beef"));
        const QAbstractItemModel *const model = query.table->model();
        const auto isHeaderRight = [&](int column) {
            return model->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
        };
        QVERIFY(isHeaderRight(0) && !isHeaderRight(1));
        QVERIFY(!model->index(0, 1).data(Qt::ToolTipRole).isValid());
        QVERIFY2(query.message().startsWith(QLatin1String("1 row in ")), qPrintable(query.message()));
        gui::takePicture(&query.dock, "query-one");
    }

    void runsTheStatementAtTheCursorOrTheSelection()
    {
        Query query;
        query.coroutines(3);
        query.editor->setPlainText(QStringLiteral("SELECT 'first';\nSELECT 'second';"));
        QTest::keyClick(query.editor, Qt::Key_End, Qt::ControlModifier);
        QTest::keyClick(query.editor, Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(query.cell(0, 0), QStringLiteral("second"));
        QTest::keyClick(query.editor, Qt::Key_Home, Qt::ControlModifier);
        QTest::keyClick(query.editor, Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(query.cell(0, 0), QStringLiteral("first"));
    }

    void showsTheFirstRowsOfMany()
    {
        Query query;
        query.coroutines(20'000, "a coroutine with a name that is far too long for its column in this table");
        QVERIFY(query.run("SELECT * FROM coro_trace"));
        QCOMPARE(query.table->model()->rowCount(), 100'000);
        QVERIFY2(query.message().startsWith(QLatin1String("The first 100 000 rows in ")), qPrintable(query.message()));
        QVERIFY(query.message().contains(QLatin1String("There are more")));
        gui::takePicture(&query.dock, "query-many");
        QVERIFY(query.run("SELECT coroutine, name, function, line FROM coro_trace LIMIT 50"));
        QVERIFY(query.table->model()->index(0, 1).data(Qt::ToolTipRole).toString().contains(query.cell(0, 1)));
        gui::takePicture(&query.dock, "query-long-names");
    }

    void anErrorNamesItsPosition()
    {
        Query query;
        query.coroutines(1);
        query.editor->setPlainText(QStringLiteral("SELECT 1;\n\nSELECT coroutine,\n  nonsense FROM coroutines;"));
        query.editor->moveCursor(QTextCursor::End);
        QTest::keyClick(query.editor, Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(query.message(), QStringLiteral("Line 4, column 3: no such column: nonsense"));
        QCOMPARE(query.editor->extraSelections().value(0).cursor.selectedText(), QStringLiteral("nonsense"));
        QCOMPARE(query.table->model()->rowCount(), 0);
        QLabel *const label = query.dock.findChild<QLabel *>(QStringLiteral("queryMessage"));
        QCOMPARE(label->foregroundRole(), QPalette::BrightText);
        gui::takePicture(&query.dock, "query-error");
        QVERIFY(query.run("SELECT 1"));
        QCOMPARE(label->foregroundRole(), QPalette::WindowText);
        QVERIFY(query.run("PRAGMA user_version = 1"));
        QVERIFY(query.message().contains(QLatin1String("only read")));
    }

    void cancelEndsAQuery()
    {
        Query query;
        query.coroutines(10);
        query.type("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c");
        QTest::keyClick(query.editor, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(query.isBusy());
        QVERIFY(gui::click(&query.dock, "queryCancel"));
        QTRY_COMPARE(query.message(), QStringLiteral("The query was cancelled."));
        QVERIFY(!query.isBusy());
    }

    void escapeCancels()
    {
        Query query;
        query.coroutines(10);
        query.type("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c");
        QTest::keyClick(query.editor, Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(query.message().contains(QLatin1String("running (")));
        gui::takePicture(&query.dock, "query-running");
        query.dock.activateWindow();  // shortcuts need the focus
        QVERIFY(QTest::qWaitForWindowActive(&query.dock, ct::test::kPatienceMs));
        QTest::keyClick(query.editor, Qt::Key_Escape);
        QTRY_COMPARE(query.message(), QStringLiteral("The query was cancelled."));
    }

    void selectedCellsAreCopiedWithTabs()
    {
        Query query;
        query.coroutines(2);
        QVERIFY(query.run("SELECT coroutine, NULL, '', '0x0000000000401234', 'a' || char(10) || 'b' FROM coroutines"));
        query.table->selectAll();
        QTest::keyClick(query.table, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("0\t\t\t0x0000000000401234\ta b\n1\t\t\t0x0000000000401234\ta b"));
        query.table->clearSelection();
        gui::takePicture(&query.dock, "query-null");
        QVERIFY(query.table->rowHeight(0) <= query.table->fontMetrics().height() + 6);
    }

    void controlSpaceCompletesNames()
    {
        Query query;
        query.type("SELECT * FROM thread_ut");
        QTest::keyClick(query.editor, Qt::Key_Space, Qt::ControlModifier);
        QCOMPARE(query.editor->toPlainText(), QStringLiteral("SELECT * FROM thread_utilisation"));
    }

    void keywordsFollowTheTheme()
    {
        Query query;
        query.type("SELECT 1");
        const auto color = [&] {
            return query.editor->document()->firstBlock().layout()->formats().value(0).format.foreground().color();
        };
        const QColor light = color();
        applyTheme(Theme::Dark);
        QTRY_VERIFY(color() != light);
        applyTheme(Theme::Light);
        QTRY_COMPARE(color(), light);
    }

    void earlierQueriesAreListed()
    {
        Query query;
        query.coroutines(1);
        QVERIFY(query.run("SELECT 1"));
        QVERIFY(query.run("SELECT 2"));
        QVERIFY(query.run("SELECT 1"));
        QMenu *const menu = query.dock.findChild<QToolButton *>(QStringLiteral("queryExamples"))->menu();
        Q_EMIT menu->aboutToShow();
        auto *const history = menu->findChild<QMenu *>(QStringLiteral("queryHistory"));
        QVERIFY(history->actions().size() >= 2);
        QCOMPARE(history->actions()[0]->text(), QStringLiteral("SELECT 1"));
        QCOMPARE(history->actions()[1]->text(), QStringLiteral("SELECT 2"));
        history->actions()[1]->trigger();
        QCOMPARE(query.editor->toPlainText(), QStringLiteral("SELECT 2"));
        query.editor->undo();
        QCOMPARE(query.editor->toPlainText(), QStringLiteral("SELECT 1"));
    }

    void anotherTraceEndsTheQuery()
    {
        Query query;
        query.coroutines(10);
        query.type("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c");
        QTest::keyClick(query.editor, Qt::Key_Return, Qt::ControlModifier);
        query.dock.setTrace([] { return QueriedTrace(); });
        QVERIFY(!query.isBusy());
        QVERIFY(query.message().startsWith(QLatin1String("Ctrl+Enter runs ")));
    }

    void aDoubleClickSelectsTheCoroutine()
    {
        Query query;
        query.coroutines(5);
        QVERIFY(query.run("SELECT 'x', coroutine FROM coroutines ORDER BY coroutine DESC"));
        QSignalSpy activated(&query.dock, &QueryDock::coroutineActivated);
        const QPoint at = query.table->visualRect(query.table->model()->index(1, 0)).center();
        QTest::mouseClick(query.table->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(query.table->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.at(0).at(0).value<CoroutineId>(), 3U);
    }

    /// A recording of a deadlock: the findings are those of the window.
    void findingsAreThoseOfTheWindow()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        window.openFile(QString::fromStdString(test::kSourceDir) +
                        QStringLiteral("/tests/corpus/recordings/version1/nested-permits.broken.ctr"));
        const auto latest = [&] { return window.run().judge() ? window.run().judge()->latest() : nullptr; };
        QTRY_VERIFY_WITH_TIMEOUT(latest() && latest()->isLast, test::kPatienceMs);
        QStringList expected;
        std::uint64_t number = 0;
        for (const ReportedFinding &reported : latest()->findings) {
            ++number;
            const std::vector<CoroutineId> &all = reported.finding.coroutines;
            for (const CoroutineId id : std::set(all.begin(), all.end()))
                expected << QStringLiteral("%1 %2").arg(number).arg(id);
        }
        QVERIFY(expected.size() > 1);
        auto *dock = window.findChild<QueryDock *>();
        dock->show();
        dock->raise();
        dock->findChild<QueryEditor *>(QStringLiteral("queryEditor"))
            ->setPlainText(QStringLiteral("SELECT finding, coroutine, rule, severity, confidence_percent, file, line, "
                                          "message\nFROM finding_coroutines JOIN findings USING (finding)\nORDER BY "
                                          "finding, coroutine;"));
        auto *table = dock->findChild<QTableView *>(QStringLiteral("queryTable"));
        dock->run();
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), static_cast<int>(expected.size()), test::kPatienceMs);
        const auto cell = [&](int row, int column) { return table->model()->index(row, column).data().toString(); };
        for (int row = 0; row < table->model()->rowCount(); ++row)
            QCOMPARE(cell(row, 0) + u' ' + cell(row, 1), expected[row]);
        gui::takePicture(&window, "query-findings");
    }

    void aDoubleClickSelectsTheCoroutineInAllViews()
    {
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", "/nonexistent");  // without dot, the layout of the graph does not change later
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        window.openFile(QString::fromStdString(test::kSourceDir) +
                        QStringLiteral("/tests/corpus/recordings/causes/asio-lost-reply.broken.ctr"));
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, test::kPatienceMs);
        auto *dock = window.findChild<QueryDock *>();
        auto *table = dock->findChild<QTableView *>(QStringLiteral("queryTable"));
        dock->show();
        dock->findChild<QueryEditor *>(QStringLiteral("queryEditor"))
            ->setPlainText(QStringLiteral("SELECT DISTINCT coroutine FROM waits ORDER BY 1 DESC"));
        dock->run();
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() >= 2, test::kPatienceMs);
        const auto activate = [&](int row) {
            dock->raise();
            const QModelIndex index = table->model()->index(row, 0);
            const QPoint at = table->visualRect(index).center();
            QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
            QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
            return index.data().toUInt();
        };
        const auto pictureOf = [&](const char *name) {
            auto *view = window.findChild<QWidget *>(QLatin1String(name));
            for (QWidget *parent = view; parent; parent = parent->parentWidget())
                if (auto *shown = qobject_cast<QDockWidget *>(parent)) {
                    shown->show();
                    shown->raise();
                }
            QCoreApplication::processEvents();
            return view->grab().toImage();
        };
        /// The picture when nothing changes any more.
        const auto settledPictureOf = [&](const char *name) {
            QImage latest = pictureOf(name);
            for (QImage before; latest != before; latest = pictureOf(name)) {
                before = latest;
                QTest::qWait(50);
            }
            return latest;
        };
        activate(1);
        const QImage timeline = settledPictureOf("timelineView");
        const QImage graph = settledPictureOf("graphView");
        const CoroutineId id = activate(0);
        QVERIFY(!dock->visibleRegion().isEmpty());  // the result stays on display
        QCOMPARE(window.findChild<CoroutineDock *>()->selectedCoroutines(), std::vector<CoroutineId>{id});
        QTRY_COMPARE(window.findChild<QLabel *>(QStringLiteral("detailsTitle"))->text(),
                     QStringLiteral("<b>Coroutine %1</b>").arg(id));
        QTRY_VERIFY(pictureOf("timelineView") != timeline);
        QTRY_VERIFY(pictureOf("graphView") != graph);
        gui::takePicture(&window, "query-selected");
        auto *tree = window.findChild<QTreeView *>(QStringLiteral("creationTree"));
        pictureOf("creationTree");
        QTRY_COMPARE(tree->currentIndex().data(CreationTreeModel::CoroutineIdRole).toUInt(), id);
        window.findChild<CoroutineDock *>()->setFilterText(QStringLiteral("no such coroutine"));
        activate(1);
        const QString message = dock->findChild<QLabel *>(QStringLiteral("queryMessage"))->text();
        QVERIFY2(message.contains(QLatin1String("filter")), qPrintable(message));
        window.tabifyDockWidget(window.findChild<CoroutineDock *>(), dock);
        dock->raise();
        QTRY_VERIFY(!dock->visibleRegion().isEmpty());
        activate(0);
        QVERIFY(!dock->visibleRegion().isEmpty());
        qputenv("PATH", path);
    }

private:
    const gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestQueryDock)
#include "tst_querydock.moc"
