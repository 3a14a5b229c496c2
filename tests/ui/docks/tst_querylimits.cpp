// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The query dock stays responsive while a query cannot be interrupted, and with long texts.
#include "core/reporting/report.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/docks/querysupport.h"
#include "ui/jobs/queryjob.h"

#include <QAbstractAxis>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSemaphore>
#include <QSettings>

#include <memory>

using namespace ct;
using gui::Query;

namespace {

constexpr const char *kBlocking = "SELECT * FROM findings";

/// A trace whose judgement waits, so that the queries on findings cannot be interrupted.
struct BlockedQuery : Query {
    const std::shared_ptr<QSemaphore> end = std::make_shared<QSemaphore>();
    const std::shared_ptr<QSemaphore> begun = std::make_shared<QSemaphore>();

    BlockedQuery()
    {
        coroutines(1);
        dock.setTrace([this] {
            const auto report = [end = end, begun = begun] {
                begun->release();
                end->acquire();
                return std::make_shared<const Report>();
            };
            return QueriedTrace{target.population, target.history, {}, {}, {}, report};
        });
    }
    /// Starts a query that cannot be interrupted.
    bool start()
    {
        type(kBlocking);
        QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
        return begun->tryAcquire(1, test::kPatienceMs);
    }
    bool endAll()
    {
        end->release(100);
        return QTest::qWaitFor([] { return QueryJob::count() == 0; }, test::kPatienceMs);
    }
};

}  // namespace

class TestQueryLimits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A query may end before the dock has noticed that it runs.
    void everyQueryDeliversItsResult()
    {
        Query query;
        query.coroutines(1);
        for (int i = 0; i < 300; ++i) {
            query.editor->setPlainText(QStringLiteral("SELECT %1").arg(i));
            query.dock.run();
            QVERIFY(QTest::qWaitFor([&] { return !query.isBusy(); }, test::kPatienceMs));
            QCOMPARE(query.cell(0, 0), QString::number(i));
        }
    }

    void aNewQueryDoesNotWaitForACancelledOne()
    {
        BlockedQuery query;
        QVERIFY(query.start());
        QVERIFY(gui::click(&query.dock, "queryCancel"));
        QCOMPARE(query.message(), QStringLiteral("Cancelling…"));
        QVERIFY(query.run("SELECT 42"));
        QCOMPARE(query.cell(0, 0), QStringLiteral("42"));
        QCOMPARE(QueryJob::count(), 1);
        const QString message = query.message();
        QVERIFY(query.endAll());
        QCoreApplication::processEvents();
        QCOMPARE(query.message(), message);  // the outcome of the cancelled query is ignored
    }

    void aCancelledQuerySaysWhenItHasEnded()
    {
        BlockedQuery query;
        QVERIFY(query.start());
        QVERIFY(gui::click(&query.dock, "queryCancel"));
        QVERIFY(query.endAll());
        QTRY_COMPARE(query.message(), QStringLiteral("The query was cancelled."));
    }

    void closingDoesNotWaitForAQuery()
    {
        auto query = std::make_unique<BlockedQuery>();
        QVERIFY(query->start());
        const std::shared_ptr<QSemaphore> end = query->end;
        query.reset();
        QCOMPARE(QueryJob::count(), 1);
        QVERIFY(!QueryJob::endAll(std::chrono::milliseconds(1)));
        end->release();
        QVERIFY(QueryJob::endAll(std::chrono::milliseconds(test::kPatienceMs)));
        QCOMPARE(QueryJob::count(), 0);
    }

    void refusesAQueryWhileManyCancelledOnesRun()
    {
        BlockedQuery query;
        for (int i = 0; i < 4; ++i)
            QVERIFY(query.start());
        QVERIFY(query.run("SELECT 42"));
        QCOMPARE(query.message(), QStringLiteral("4 cancelled queries have not ended yet. Try again when one has "
                                                 "ended."));
        QVERIFY(query.endAll());
        QVERIFY(query.run("SELECT 42"));
        QCOMPARE(query.cell(0, 0), QStringLiteral("42"));
    }

    void aLongTextIsCopiedInFull()
    {
        Query query;
        query.coroutines(1);
        QVERIFY(query.run("SELECT hex(zeroblob(200000)) AS zeros"));
        QVERIFY(query.cell(0, 0).size() < 400);
        query.table->selectAll();
        QTest::keyClick(query.table, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QString(400'000, u'0'));
    }

    void longWordsDoNotWidenTheDock()
    {
        Query query;
        query.coroutines(1);
        const auto least = [&query] { return query.dock.widget()->minimumSizeHint().width(); };
        const int before = least();
        const QByteArray word(300, 'w');
        QVERIFY(query.run("SELECT " + word));
        const auto *const message = query.dock.findChild<QLabel *>(QStringLiteral("queryMessage"));
        QVERIFY(message->text().contains(QString::fromLatin1(word)));
        QVERIFY(message->toolTip().contains(QString::fromLatin1(word)));
        auto *const saved = query.dock.findChild<QComboBox *>(QStringLiteral("querySaved"));
        saved->lineEdit()->setText(QString::fromLatin1(word));
        QVERIFY(gui::click(&query.dock, "querySave"));
        QCOMPARE(saved->itemText(0), QString::fromLatin1(word.left(100)));
        gui::takePicture(&query.dock, "query-long-word");
        QCoreApplication::processEvents();  // the layout comes after the text
        QCOMPARE(least(), before);
        QSettings().clear();
    }

    void markupIsShownAsItIs()
    {
        Query query;
        query.coroutines(3);
        QVERIFY(query.run("SELECT * FROM \"<h1>x</h1>\""));
        QVERIFY(query.message().contains(QLatin1String("<h1>x</h1>")));
        QCOMPARE(query.dock.findChild<QLabel *>(QStringLiteral("queryMessage"))->textFormat(), Qt::PlainText);
        gui::takePicture(&query.dock, "query-markup");
        QVERIFY(query.run("SELECT coroutine AS \"<b>a</b>\", coroutine AS \"<i>b</i>\" FROM coroutines"));
        const auto axes = query.dock.findChild<QChartView *>()->chart()->axes(Qt::Vertical);
        QCOMPARE(axes.constFirst()->titleText(), QStringLiteral("&lt;i&gt;b&lt;/i&gt;"));
    }

private:
    const gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestQueryLimits)
#include "tst_querylimits.moc"
