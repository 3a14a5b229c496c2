// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Saving, replacing, loading and deleting queries in the query dock.
#include "tests/support/qtsuite.h"
#include "tests/ui/docks/querysupport.h"
#include "ui/docks/savedqueries.h"

#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>

using namespace ct;

namespace {

struct Query : gui::Query {
    QComboBox *name = dock.findChild<QComboBox *>(QStringLiteral("querySaved"));

    void typeName(const char *text)
    {
        dock.activateWindow();
        name->setFocus();
        (void)QTest::qWaitFor([this] { return name->hasFocus(); });
        name->lineEdit()->selectAll();
        QTest::keyClicks(name->lineEdit(), QString::fromLatin1(text));
    }
    bool canDelete() const { return dock.findChild<QWidget *>(QStringLiteral("queryDelete"))->isEnabled(); }
    QMessageBox *question() const { return dock.findChild<QMessageBox *>(QStringLiteral("savedQueryBox")); }
    QPalette::ColorRole messageColor() const
    {
        return dock.findChild<QLabel *>(QStringLiteral("queryMessage"))->foregroundRole();
    }
};

}  // namespace

class TestSavedQueries : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void aSavedQueryIsLoaded()
    {
        {
            Query query;
            query.type("SELECT 42");
            query.typeName("a/b");
            QVERIFY(gui::click(&query.dock, "querySave"));
            QCOMPARE(query.message(), QStringLiteral("Saved the query “a/b”."));
        }
        Query query;
        QCOMPARE(query.name->count(), 1);
        query.name->setFocus();
        QTest::keyClick(query.name, Qt::Key_Down);
        QTRY_COMPARE(query.editor->toPlainText(), QStringLiteral("SELECT 42"));
    }

    void aQueryNeedsAName()
    {
        Query query;
        query.coroutines(1);
        QVERIFY(query.run("SELECT nonsense"));
        QCOMPARE(query.messageColor(), QPalette::BrightText);
        QVERIFY(gui::click(&query.dock, "querySave"));
        QCOMPARE(query.message(), QStringLiteral("Enter a name for the query first."));
        QCOMPARE(query.messageColor(), QPalette::WindowText);
    }

    /// The beginning of another name stays what the user typed.
    void aTypedNameIsNotCompleted()
    {
        savedqueries::save(QStringLiteral("latency of sites"), QStringLiteral("SELECT 1"));
        Query query;
        query.type("SELECT 2");
        query.typeName("lat");
        QVERIFY(!query.canDelete());
        QVERIFY(gui::click(&query.dock, "querySave"));
        QCOMPARE(savedqueries::statementOf(QStringLiteral("lat")), QStringLiteral("SELECT 2"));
        QCOMPARE(savedqueries::statementOf(QStringLiteral("latency of sites")), QStringLiteral("SELECT 1"));
        QVERIFY(query.canDelete());
    }

    void replacingAsksFirst()
    {
        savedqueries::save(QStringLiteral("mine"), QStringLiteral("SELECT 1"));
        Query query;
        query.type("SELECT 2");
        query.typeName("mine");
        QVERIFY(gui::click(&query.dock, "querySave"));
        QVERIFY(query.question());
        query.question()->reject();
        QTRY_VERIFY(!query.question());
        QCOMPARE(savedqueries::statementOf(QStringLiteral("mine")), QStringLiteral("SELECT 1"));
        QCOMPARE(query.editor->toPlainText(), QStringLiteral("SELECT 2"));
        QVERIFY(gui::click(&query.dock, "querySave"));
        QVERIFY(query.question());
        gui::takePicture(query.question(), "query-replace");
        QVERIFY(gui::click(query.question(), "yesButton"));
        QCOMPARE(savedqueries::statementOf(QStringLiteral("mine")), QStringLiteral("SELECT 2"));
    }

    void theSameStatementIsSavedUnasked()
    {
        savedqueries::save(QStringLiteral("mine"), QStringLiteral("SELECT 1"));
        Query query;
        query.type("SELECT 1");
        query.typeName("mine");
        QVERIFY(gui::click(&query.dock, "querySave"));
        QVERIFY(!query.question());
    }

    void deletingAsksFirst()
    {
        savedqueries::save(QStringLiteral("mine"), QStringLiteral("SELECT 1"));
        Query query;
        QVERIFY(!query.canDelete());
        query.typeName("mine");
        QVERIFY(gui::click(&query.dock, "queryDelete"));
        QCOMPARE(query.name->count(), 1);
        QVERIFY(gui::click(query.question(), "yesButton"));
        QCOMPARE(query.name->count(), 0);
        QCOMPARE(query.message(), QStringLiteral("Deleted the query “mine”."));
        QVERIFY(!query.canDelete());
    }

private:
    const gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestSavedQueries)
#include "tst_savedqueries.moc"
