// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The name of the file in the export dialog: its folder, its ending, and what is wrong with it.
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/exportwindow.h"

#include <QDir>
#include <QFileInfo>
#include <QPushButton>

using namespace ct;
using gui::choose;
using gui::ExportWindow;
using gui::labelOf;
using gui::type;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class TestExportedName : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void theFormatSetsTheEndingOfTheName()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 2));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        auto *path = dialog->findChild<QLineEdit *>(QStringLiteral("exportPath"));
        choose(dialog, "jsonl");
        QVERIFY2(path->text().endsWith(QLatin1String("/opened.jsonl")), qPrintable(path->text()));
        path->setText(QStringLiteral("/tmp/run.v2.jsonl.gz"));
        choose(dialog, "perfetto");
        QCOMPARE(path->text(), QStringLiteral("/tmp/run.v2.pftrace"));
        choose(dialog, "sqlite");
        QCOMPARE(path->text(), QStringLiteral("/tmp/run.v2.sqlite"));
    }

    void compressesByTheName()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(2, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "jsonl");
        const QString path = m_sandbox.path(QStringLiteral("packed.jsonl.gz"));
        type(dialog, "exportPath", path);
        QVERIFY(gui::click(dialog, "exportButton"));
        QVERIFY(opened.hasEnded());
        QVERIFY(contentOf(path).startsWith("\x1f\x8b"));
    }

    void explainsAnInvalidFileName()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "jsonl");
        auto *button = dialog->findChild<QPushButton *>(QStringLiteral("exportButton"));
        const auto messageFor = [&](const QString &path) {
            type(dialog, "exportPath", path);
            return labelOf(dialog, "exportMessage");
        };
        QCOMPARE(messageFor(QStringLiteral("/no/such/folder/x.jsonl")),
                 QStringLiteral("The folder /no/such/folder does not exist. Create it, or choose another one."));
        QVERIFY(!button->isEnabled());
        QVERIFY(messageFor({}).contains(QLatin1String("Enter the name")));
        QVERIFY(!button->isEnabled());
        QVERIFY(messageFor(QStringLiteral("/tmp")).contains(QLatin1String("Enter the name")));
        QVERIFY(messageFor(opened.recording).contains(QLatin1String("the open recording")));
        QVERIFY(!button->isEnabled());
        const QString link = m_sandbox.path(QStringLiteral("link.jsonl"));
        QVERIFY(QFile::link(opened.recording, link));
        QVERIFY(messageFor(link).contains(QLatin1String("the open recording")));
        const QString other = m_sandbox.path(QStringLiteral("older.jsonl"));
        QFile file(other);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(messageFor(other).contains(QLatin1String("will be replaced")));
        QVERIFY(button->isEnabled());
        choose(dialog, "sqlite");
        QVERIFY(
            messageFor(m_sandbox.path(QStringLiteral("x.sqlite.gz"))).contains(QLatin1String("Only JSONL and CSV")));
        QVERIFY(!button->isEnabled());
    }

    void proposesAFolderThatExists()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        const QByteArray home = qgetenv("HOME");
        for (const QString &folder : {m_sandbox.path(QStringLiteral("home")), QDir::currentPath()}) {
            QVERIFY(folder == QDir::currentPath() || QDir().mkpath(folder));  // without a folder for documents
            qputenv("HOME", folder == QDir::currentPath() ? "/no/such/home" : folder.toUtf8());
            const Run &run = opened.window.run();
            const ExportDialog dialog({QStringLiteral("run"), {}, run.population(), run.history(), false, {}}, {});
            QCOMPARE(QFileInfo(dialog.input().path).path(), folder);
            QVERIFY(dialog.findChild<QPushButton *>(QStringLiteral("exportButton"))->isEnabled());
        }
        qputenv("HOME", home);
    }

    void addsAMissingEnding()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "csv");
        type(dialog, "exportPath", m_sandbox.path(QStringLiteral("without")));
        QCOMPARE(labelOf(dialog, "exportMessage"), QString());
        QVERIFY(gui::click(dialog, "exportButton"));
        QVERIFY(opened.hasEnded());
        QCOMPARE(contentOf(m_sandbox.path(QStringLiteral("without.csv"))).count('\n'), qsizetype{11});
        QVERIFY(!QFile::exists(m_sandbox.path(QStringLiteral("without"))));
    }

    void warnsOfTheEndingOfAnotherFormat()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "sqlite");
        type(dialog, "exportPath", m_sandbox.path(QStringLiteral("x.csv")));
        QVERIFY2(labelOf(dialog, "exportMessage").startsWith(QLatin1String("x.csv will have the format SQLite")),
                 qPrintable(labelOf(dialog, "exportMessage")));
        QVERIFY(dialog->findChild<QPushButton *>(QStringLiteral("exportButton"))->isEnabled());
        type(dialog, "exportPath", m_sandbox.path(QStringLiteral("x.db")));
        QCOMPARE(labelOf(dialog, "exportMessage"), QString());
    }

    void remembersFormatAndFolder()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "chrome");
        type(dialog, "exportPath", m_sandbox.path(QStringLiteral("run.json")));
        QVERIFY(gui::click(dialog, "exportButton"));
        QVERIFY(opened.hasEnded());
        QTRY_VERIFY(!gui::topLevel<QWidget>("exportDialog"));
        dialog = opened.ask();
        QVERIFY(dialog);
        QCOMPARE(dialog->findChild<QLineEdit *>(QStringLiteral("exportPath"))->text(),
                 m_sandbox.path(QStringLiteral("opened.json")));
    }

private:
    gui::Sandbox m_sandbox;
};

}  // namespace

CT_QT_SUITE(TestExportedName)
#include "tst_exportedname.moc"
