// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fields for a server in the export dialog. tst_exportserver connects to real servers.
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/exportwindow.h"
#include "ui/dialogs/serverfields.h"

#include <QSpinBox>

using namespace ct;
using gui::choose;
using gui::ExportWindow;
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

private:
    gui::Sandbox m_sandbox;
};

}  // namespace

CT_QT_SUITE(TestServerFields)
#include "tst_serverfields.moc"
