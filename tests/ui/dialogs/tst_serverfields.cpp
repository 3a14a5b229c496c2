// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fields for a server in the export dialog. tst_exportserver connects to real servers.
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/exportwindow.h"
#include "ui/dialogs/serverfields.h"

#include <QPushButton>
#include <QSpinBox>

using namespace ct;
using gui::choose;
using gui::ExportWindow;
using gui::labelOf;
using gui::type;

namespace {

class TestServerFields : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    /// The port is a part of the name of PostgreSQL's socket.
    void showsThePortOfASocket()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 2));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "postgresql");
        const auto *port = dialog->findChild<QSpinBox *>(QStringLiteral("serverPort"));
        auto *over = dialog->findChild<QComboBox *>(QStringLiteral("serverOver"));
        QVERIFY(port->isVisible());
        over->setCurrentIndex(1);
        QVERIFY(port->isVisible());
        gui::takePicture(dialog, "export-socket");
        choose(dialog, "mysql");
        QVERIFY(port->isVisible());
        over->setCurrentIndex(1);
        QVERIFY(!port->isVisible());
        // Each kind has its own server.
        choose(dialog, "postgresql");
        over->setCurrentIndex(1);
        QVERIFY(port->isVisible());
    }

    /// Another port of the socket is another server.
    void forgetsThePasswordOfAnotherPort()
    {
        QSettings().setValue(QStringLiteral("servers/postgresql"),
                             QStringLiteral("postgresql://anna@127.0.0.1:5433/x?socket=/run/postgresql"));
        {
            ServerFields fields;
            type(&fields, "serverPassword", QStringLiteral("geheim"));
            fields.commit();
        }
        ServerFields fields;
        const auto *password = fields.findChild<QLineEdit *>(QStringLiteral("serverPassword"));
        QCOMPARE(password->text(), QStringLiteral("geheim"));
        fields.findChild<QSpinBox *>(QStringLiteral("serverPort"))->setValue(5434);
        QCOMPARE(password->text(), QString());
    }

    void explainsInvalidFields_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("message");
        const QString pg = QStringLiteral("postgresql");
        const QString view = QStringLiteral("serverTable");
        const QString database = QStringLiteral("serverDatabase");
        const QString reserved =
            QStringLiteral("Every export makes a table or view %1. Choose another name for the view.");
        QTest::newRow("a table") << pg << view << QStringLiteral("sessions") << reserved.arg(QLatin1String("sessions"));
        QTest::newRow("a table of a session")
            << pg << view << QStringLiteral("e_of_session_3") << reserved.arg(QLatin1String("e_of_session_3"));
        QTest::newRow("a long view") << pg << view << QString(64, u'v')
                                     << QStringLiteral("The name of the view has 64 bytes, and the most is 63. Choose "
                                                       "a shorter one.");
        QTest::newRow("a long database")
            << pg << database << QString(64, u'd')
            << QStringLiteral("The name of the database has 64 bytes, and PostgreSQL allows 63; choose a shorter one.");
        QTest::newRow("a long database of MariaDB")
            << QStringLiteral("mysql") << database << QString(65, u'd')
            << QStringLiteral(
                   "The name of the database has 65 characters, and MariaDB allows 64; choose a shorter one.");
        QTest::newRow("a host") << pg << QStringLiteral("serverHost") << QStringLiteral("my host")
                                << QStringLiteral("my host is not the name or address of a host. Enter another one.");
    }
    /// An address that cannot be read would replace the fields by nothing.
    void explainsInvalidFields()
    {
        QFETCH(QString, kind);
        QFETCH(QString, field);
        QFETCH(QString, typed);
        QFETCH(QString, message);
        const QString key = QStringLiteral("servers/") + kind;
        const QString saved = kind + QStringLiteral("://anna@db.local:5433/traces");
        QSettings().setValue(key, saved);
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 2));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, qPrintable(kind));
        const auto *button = dialog->findChild<QPushButton *>(QStringLiteral("exportButton"));
        QVERIFY(button->isEnabled());
        type(dialog, qPrintable(field), typed);
        QCOMPARE(labelOf(dialog, "exportMessage"), message);
        QVERIFY(!button->isEnabled());
        QVERIFY(!dialog->findChild<QPushButton *>(QStringLiteral("serverTest"))->isEnabled());
        gui::takePicture(dialog, "export-invalid-server");
        dialog->findChild<ServerFields *>()->commit();
        QCOMPARE(QSettings().value(key).toString(), saved);
    }

private:
    gui::Sandbox m_sandbox;
};

}  // namespace

CT_QT_SUITE(TestServerFields)
#include "tst_serverfields.moc"
