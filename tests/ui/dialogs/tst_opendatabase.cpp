// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens sessions of SQLite files through the dialog. tst_exportserver does so with a server.
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/exportwindow.h"
#include "tests/ui/dialogs/startedwindow.h"
#include "ui/format/runformat.h"

#include <QPushButton>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTreeWidget>

using namespace ct;
using gui::ExportWindow;
using gui::labelOf;
using gui::type;

namespace {

class TestOpenDatabase : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void opensASession()
    {
        const QString path = m_sandbox.path(QStringLiteral("stored.sqlite"));
        ExportWindow opened(m_sandbox, gui::sampleRecording(3, 100, "a name with <b>marks</b> and quite some length"));
        QVERIFY(opened.isOpen);
        QVERIFY(!opened.window.run().knowsDeaths());  // no line of the JSONL is about one
        opened.window.exportTo(*exportFormatFor("x.sqlite"), path);
        QVERIFY(opened.hasEnded());
        QWidget *dialog = ask(opened.window);
        QVERIFY(dialog);
        dialog->findChild<QComboBox *>(QStringLiteral("databaseKind"))->setCurrentIndex(1);
        type(dialog, "databasePath", path);
        auto *button = dialog->findChild<QPushButton *>(QStringLiteral("databaseOpen"));
        QVERIFY(!button->isEnabled());
        QTest::keyClick(dialog->findChild<QLineEdit *>(QStringLiteral("databasePath")), Qt::Key_Return);
        auto *list = dialog->findChild<QTreeWidget *>(QStringLiteral("databaseSessions"));
        QTRY_VERIFY2_WITH_TIMEOUT(list->topLevelItemCount() == 1, qPrintable(labelOf(dialog, "databaseMessage")),
                                  gui::kPatienceMs);
        QCOMPARE(list->topLevelItem(0)->text(0), QStringLiteral("stored.sqlite"));  // the run has no name
        QCOMPARE(list->topLevelItem(0)->text(2), QStringLiteral("300"));
        QCOMPARE(list->topLevelItem(0)->text(3), QStringLiteral("3"));
        QVERIFY(button->isEnabled());
        gui::takePicture(dialog, "open-database");
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_VERIFY(!gui::topLevel<QWidget>("openDatabaseDialog"));
        QTRY_COMPARE_WITH_TIMEOUT(opened.window.run().name(), QStringLiteral("stored.sqlite"), gui::kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(opened.window.run().state(), RunState::Ended, gui::kPatienceMs);
        QCOMPARE(opened.window.run().population()->captured(), 300U);
        // A database has a column for deaths, so all of these coroutines live.
        QVERIFY(opened.window.run().knowsDeaths());
        QVERIFY(
            format::judgedInstant(opened.window.run(), false).endsWith(QLatin1String("at the end of the recording")));
    }

    /// The facts are those of the session, not of this program and this machine.
    void exportsTheFactsOfTheSession()
    {
        const QString first = m_sandbox.path(QStringLiteral("facts.sqlite"));
        ExportWindow opened(m_sandbox, gui::sampleRecording(2, 10));
        opened.window.exportTo(*exportFormatFor("x.sqlite"), first);
        QVERIFY(opened.hasEnded());
        const QString tool = QCoreApplication::applicationName();
        QVERIFY(value(first, QStringLiteral("SELECT info FROM sessions")).contains(tool));
        value(first, QStringLiteral("UPDATE sessions SET info = replace(info, '%1', 'another tool')").arg(tool));
        opened.window.openFile(first);
        QTRY_COMPARE_WITH_TIMEOUT(opened.window.run().name(), QStringLiteral("facts.sqlite"), gui::kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(opened.window.run().state(), RunState::Ended, gui::kPatienceMs);
        const QString second = m_sandbox.path(QStringLiteral("again.sqlite"));
        opened.window.exportTo(*exportFormatFor("x.sqlite"), second);
        QVERIFY(opened.hasEnded());
        QCOMPARE(value(second, QStringLiteral("SELECT program FROM sessions")), QStringLiteral("another tool"));
    }

    /// As after a lost connection: what was read before the error is a part, and so is its export.
    void anErrorLeavesAPart()
    {
        const QString whole = m_sandbox.path(QStringLiteral("whole.sqlite"));
        ExportWindow opened(m_sandbox, gui::sampleRecording(2, 10'000));
        opened.window.exportTo(*exportFormatFor("x.sqlite"), whole);
        QVERIFY(opened.hasEnded());
        value(whole, QStringLiteral("UPDATE sessions SET info = json_set(info, '$.exit', json('{\"status\":0}'))"));
        opens(opened.window, whole);
        QVERIFY(!opened.window.run().isPart());
        QVERIFY2(opened.window.windowTitle().contains(QLatin1String("Recording; target exited with status 0")),
                 qPrintable(opened.window.windowTitle()));

        value(whole, QStringLiteral("UPDATE coro_trace_events SET tid = 'x' WHERE id = 15000"));
        opens(opened.window, whole);
        QWidget *const box = gui::topLevel<QWidget>("errorBox");
        QVERIFY(box);
        box->close();
        QCOMPARE(opened.window.run().accounting().captured, 14'999U);
        showsAPart(opened.window);
        const QString part = m_sandbox.path(QStringLiteral("part.sqlite"));
        opened.window.exportTo(*exportFormatFor("x.sqlite"), part);
        QVERIFY(opened.hasEnded());
        QTRY_VERIFY2(opened.notice().contains(QLatin1String("; only a part of the recording was read")),
                     qPrintable(opened.notice()));
        const QString row = QStringLiteral("SELECT value FROM trace_info WHERE name = 'part_of_a_recording'");
        QCOMPARE(value(part, row), QStringLiteral("1"));
        QCOMPARE(value(whole, row), QString());

        opens(opened.window, part);
        QCOMPARE(opened.window.run().accounting().captured, 14'999U);
        showsAPart(opened.window);
        QVERIFY(!gui::topLevel<QWidget>("errorBox"));
    }

    void startsTheWindowOnASession_data()
    {
        QTest::addColumn<QString>("option");
        QTest::newRow("--input FILE") << QStringLiteral("--input");
        QTest::newRow("FILE") << QString();
    }
    void startsTheWindowOnASession()
    {
        QFETCH(QString, option);
        const QString path = m_sandbox.path(QStringLiteral("started.sqlite"));
        {
            ExportWindow opened(m_sandbox, gui::sampleRecording(3, 100));
            opened.window.exportTo(*exportFormatFor("x.sqlite"), path);
            QVERIFY(opened.hasEnded());
        }
        std::vector<std::string> options{path.toStdString()};
        if (!option.isEmpty())
            options.insert(options.begin(), option.toStdString());
        const auto window = gui::startedWindow(options);
        QVERIFY(window);
        QCOMPARE(gui::namesIn(*window, 3),
                 (QSet<QString>{QStringLiteral("job 0"), QStringLiteral("job 1"), QStringLiteral("job 2")}));
        QCOMPARE(window->run().population()->captured(), 300U);
        gui::takePicture(window.get(), "started-on-a-database");
    }

    void explainsInvalidFields()
    {
        MainWindow window;
        window.show();
        QWidget *dialog = ask(window);
        QVERIFY(dialog);
        dialog->findChild<QComboBox *>(QStringLiteral("databaseKind"))->setCurrentIndex(1);
        type(dialog, "databasePath", QStringLiteral("/no/such.sqlite"));
        QVERIFY(labelOf(dialog, "databaseMessage").contains(QLatin1String("/no/such.sqlite")));
        QVERIFY(!gui::press(dialog, "databaseConnect"));
        const QString path = m_sandbox.path(QStringLiteral("text.sqlite"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is no database, but a text of some length\n");
        file.close();
        type(dialog, "databasePath", path);
        QVERIFY(gui::press(dialog, "databaseConnect"));
        QTRY_COMPARE_WITH_TIMEOUT(labelOf(dialog, "databaseMessage"),
                                  path + QLatin1String(" is not a SQLite database; choose another file"),
                                  gui::kPatienceMs);
        gui::takePicture(dialog, "open-database-wrong");
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!gui::topLevel<QWidget>("openDatabaseDialog"));
    }

private:
    /// The first column of the first row.
    static QString value(const QString &path, const QString &statement)
    {
        QString result;
        {
            QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("value"));
            database.setDatabaseName(path);
            database.open();
            QSqlQuery query(statement, database);
            if (query.next())
                result = query.value(0).toString();
        }
        QSqlDatabase::removeDatabase(QStringLiteral("value"));
        return result;
    }
    static void opens(MainWindow &window, const QString &path)
    {
        window.openFile(path);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().name(), QFileInfo(path).fileName(), gui::kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, gui::kPatienceMs);
    }
    static void showsAPart(const MainWindow &window)
    {
        QVERIFY(window.run().isPart());
        QVERIFY2(window.windowTitle().contains(QString::fromUtf8(" – Part of a recording – ")),
                 qPrintable(window.windowTitle()));
        QVERIFY(format::judgedInstant(window.run(), false).endsWith(QLatin1String("at the last event that was read")));
    }
    static QWidget *ask(MainWindow &window)
    {
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window, ct::test::kPatienceMs))
            return nullptr;
        QTest::keyClick(&window, Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        return gui::topLevel<QWidget>("openDatabaseDialog");
    }

    gui::Sandbox m_sandbox;
};

}  // namespace

CT_QT_SUITE(TestOpenDatabase)
#include "tst_opendatabase.moc"
