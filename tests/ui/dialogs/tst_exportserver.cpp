// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports through the dialog to real servers, which want a password.
#include "core/databases/serverpasswords.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/realserver.h"
#include "tests/ui/dialogs/startedwindow.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QTreeWidget>

using namespace ct;
using gui::ExportWindow;
using gui::kServerPassword;
using gui::labelOf;
using gui::RealServer;
using gui::ServerClient;
using gui::type;

namespace {

class TestExportServer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { setPasswordInput(PasswordInput::Window); }
    void init() { QSettings().clear(); }
    void exports_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("name");
        QTest::newRow("PostgreSQL") << QStringLiteral("postgresql") << QStringLiteral("PostgreSQL ");
        QTest::newRow("MariaDB") << QStringLiteral("mysql") << QStringLiteral("MariaDB ");
    }
    void exports();

private:
    static QString tested(QWidget *dialog);
    static void opensAgain(const QString &socket);
    void startsOnASession(const RealServer &server);
    void keepsTheWholeSession(const RealServer &server, const ServerClient &client);

    gui::Sandbox m_sandbox;
};

QString TestExportServer::tested(QWidget *dialog)
{
    if (!gui::click(dialog, "serverTest"))
        return QStringLiteral("no button");
    const bool hasEnded = QTest::qWaitFor(
        [dialog] { return !labelOf(dialog, "serverTestResult").startsWith(QLatin1String("Connecting")); },
        gui::kPatienceMs);
    return hasEnded ? labelOf(dialog, "serverTestResult") : QStringLiteral("no answer");
}

/// Opens the session through File > Open from database.
void TestExportServer::opensAgain(const QString &socket)
{
    MainWindow window;
    window.show();
    window.findChild<QAction *>(QStringLiteral("actionOpenDatabase"))->trigger();
    auto *dialog = gui::topLevel<QWidget>("openDatabaseDialog");
    QVERIFY(dialog);
    // The fields are those of the latest export.
    QCOMPARE(dialog->findChild<QLineEdit *>(QStringLiteral("serverSocket"))->text(), socket);
    QVERIFY(gui::press(dialog, "databaseConnect"));
    auto *list = dialog->findChild<QTreeWidget *>(QStringLiteral("databaseSessions"));
    QTRY_VERIFY2_WITH_TIMEOUT(list->topLevelItemCount() == 2, qPrintable(labelOf(dialog, "databaseMessage")),
                              gui::kPatienceMs);
    gui::takePicture(dialog, "open-database-server");
    QVERIFY(list->topLevelItem(0)->text(0).endsWith(QLatin1String(" (selection)")));
    QTest::keyClick(list, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, gui::kPatienceMs);
    QCOMPARE(window.run().population()->captured(), 400U);
    QCOMPARE(window.run().accounting().lost, 0U);
    // The session is not exported into its own database.
    dialog = gui::askForExport(window);
    QVERIFY(dialog);
    QCOMPARE(labelOf(dialog, "exportMessage"),
             QStringLiteral("The open session is in this database. Choose another one."));
    gui::takePicture(dialog, "export-into-the-open-database");
    QVERIFY(!dialog->findChild<QPushButton *>(QStringLiteral("exportButton"))->isEnabled());
    type(dialog, "serverDatabase", QStringLiteral("another"));
    QVERIFY(dialog->findChild<QPushButton *>(QStringLiteral("exportButton"))->isEnabled());
}

/// As `corotracer-gui --input ADDRESS` with the number of a session that is not the latest one.
void TestExportServer::startsOnASession(const RealServer &server)
{
    const ServerClient client(server, QStringLiteral("reader"));
    const QString first = client.value("SELECT max(session) FROM sessions");
    const QString address =
        QStringLiteral("postgresql://locked@localhost/window%20traces?socket=%1").arg(server.socket());
    ExportWindow opened(m_sandbox, gui::sampleRecording(2, 10, "later"), QStringLiteral("later.jsonl"));
    opened.window.exportTo(*exportFormatOfKind("postgresql"), address);
    QVERIFY(opened.hasEnded());
    QCOMPARE(client.value("SELECT count(*) FROM sessions"), QStringLiteral("3"));

    const auto window = gui::startedWindow({"--input", (address + QStringLiteral("&session=") + first).toStdString()});
    QVERIFY(window);
    QCOMPARE(gui::namesIn(*window, 4), (QSet<QString>{QStringLiteral("job 0"), QStringLiteral("job 1"),
                                                      QStringLiteral("job 2"), QStringLiteral("job 3")}));
    QCOMPARE(window->run().population()->captured(), 400U);
    gui::takePicture(window.get(), "started-on-a-server");
    const auto latest = gui::startedWindow({"--input", address.toStdString()});
    QVERIFY(latest);
    QCOMPARE(gui::namesIn(*latest, 2), (QSet<QString>{QStringLiteral("later 0"), QStringLiteral("later 1")}));
}

/// The export of a part does not replace the session of the whole run, but that of another part.
void TestExportServer::keepsTheWholeSession(const RealServer &server, const ServerClient &client)
{
    const int sessions = client.value("SELECT count(*) FROM sessions").toInt();
    const int events = client.value("SELECT count(*) FROM all_events").toInt();
    for (const int read : {1000, 1200}) {
        QByteArray lines = gui::sampleRecording(4, read / 4) + "broken\n" + gui::sampleRecording(4, 1);
        ExportWindow opened(m_sandbox, lines);
        QWidget *const box = gui::topLevel<QWidget>("errorBox");
        QVERIFY(opened.isOpen && box);
        box->close();
        opened.window.exportTo(
            *exportFormatOfKind(server.kind().toStdString()),
            QStringLiteral("%1://locked@localhost/window%20traces?socket=%2").arg(server.kind(), server.socket()));
        QVERIFY(opened.hasEnded());
        QTRY_VERIFY2(opened.notice().contains(QLatin1String("; only a part of the recording was read")),
                     qPrintable(opened.notice()));
        QCOMPARE(client.value("SELECT count(*) FROM sessions").toInt(), sessions + 1);
        QCOMPARE(client.value("SELECT count(*) FROM all_events").toInt(), events + read);
        QCOMPARE(client.value("SELECT value FROM trace_info WHERE name = 'part_of_a_recording'"), QStringLiteral("1"));
        QCOMPARE(client.value("SELECT count(*) FROM all_trace_info WHERE name = 'part_of_a_recording'"),
                 QStringLiteral("1"));
    }
}

void TestExportServer::exports()
{
    QFETCH(QString, kind);
    QFETCH(QString, name);
    const RealServer server(kind);
    if (server.socket().startsWith(QLatin1String("SKIP")))
        CT_QSKIP(qPrintable(server.socket()));
    QVERIFY(!server.socket().isEmpty());
    ExportWindow opened(m_sandbox, gui::sampleRecording(4, 500));
    QVERIFY(opened.isOpen);
    ExportDialog *dialog = opened.ask();
    QVERIFY(dialog);
    gui::fillServer(dialog, server);

    const QString refused = tested(dialog);
    QVERIFY2(refused.endsWith(QLatin1String("; enter the password of the user locked")), qPrintable(refused));
    type(dialog, "serverPassword", QStringLiteral("another"));
    QVERIFY(tested(dialog).contains(QLatin1String("enter the password of the user locked")));
    gui::takePicture(dialog, qPrintable(QStringLiteral("export-wrong-password-") + kind));
    type(dialog, "serverPassword", QString::fromUtf8(kServerPassword));
    const QString missing = tested(dialog);
    QVERIFY2(missing.startsWith(name) &&
                 missing.contains(QLatin1String("the database window traces does not exist yet")),
             qPrintable(missing));
    gui::takePicture(dialog, qPrintable(QStringLiteral("export-tested-") + kind));

    QVERIFY(gui::click(dialog, "exportButton"));
    QVERIFY(opened.hasEnded());
    QVERIFY2(opened.notice().contains(QLatin1String("written to ")), qPrintable(opened.notice()));
    QVERIFY(!opened.notice().contains(QLatin1String("secret")));
    const ServerClient client(server, QStringLiteral("client"));
    QCOMPARE(client.value("SELECT count(*) FROM coro_trace_events"), QStringLiteral("2000"));
    QCOMPARE(client.value("SELECT value FROM trace_info WHERE name = 'events'"), QStringLiteral("2000"));

    // Once more, where the existing collector has its table.
    client.query(QStringLiteral("DROP VIEW coro_trace_events"));
    client.query(
        QStringLiteral("CREATE TABLE coro_trace_events (id bigint, probe_id bigint, tid bigint, addr varchar(18),"
                       " seq bigint, is_active boolean, ts bigint)"));
    dialog = opened.ask();
    QVERIFY(dialog && gui::click(dialog, "exportButton"));
    QVERIFY(opened.hasEnded());
    QVERIFY2(opened.notice().contains(QLatin1String("is now named coro_trace_events_of_collector")),
             qPrintable(opened.notice()));
    QCOMPARE(client.value("SELECT count(*) FROM coro_trace_events"), QStringLiteral("2000"));

    // Selections. They replace each other, and not the session of the whole run.
    for (const int events : {800, 400}) {
        dialog = opened.ask();
        QVERIFY(dialog);
        QVERIFY(tested(dialog).contains(QLatin1String("the database window traces exists")));
        QVERIFY(gui::press(dialog, "selectTimes"));
        dialog->findChild<QDoubleSpinBox *>(QStringLiteral("selectTo"))->setValue(events / 4000.0);
        QVERIFY(gui::click(dialog, "exportButton"));
        QVERIFY(opened.hasEnded());
        QCOMPARE(client.value("SELECT count(*) FROM coro_trace_events").toInt(), events);
        QCOMPARE(client.value("SELECT value FROM trace_info WHERE name = 'events_not_selected'").toInt(),
                 2000 - events);
        QCOMPARE(client.value("SELECT count(*) FROM sessions"), QStringLiteral("2"));
        QCOMPARE(client.value("SELECT count(*) FROM all_events").toInt(), 2000 + events);
    }
    if (kind == QLatin1String("postgresql")) {
        opensAgain(server.socket());
        startsOnASession(server);
    }
    keepsTheWholeSession(server, client);
}

}  // namespace

CT_QT_SUITE(TestExportServer)
#include "tst_exportserver.moc"
