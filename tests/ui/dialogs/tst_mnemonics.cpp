// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// No two visible controls of a dialog, and no two entries of a menu, have the same mnemonic.
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/exportwindow.h"
#include "ui/dialogs/opendatabasedialog.h"

#include <QAction>
#include <QCheckBox>
#include <QGroupBox>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>

using namespace ct;
using gui::choose;
using gui::ExportWindow;

namespace {

/// The texts whose mnemonic an earlier one has; empty: none.
QStringList collisionsOf(const QStringList &texts)
{
    QMap<QKeySequence, QString> first;
    QStringList collisions;
    for (const QString &text : texts) {
        const QKeySequence mnemonic = QKeySequence::mnemonic(text);
        if (mnemonic.isEmpty())
            continue;
        if (first.contains(mnemonic))
            collisions << first[mnemonic] + QStringLiteral(" | ") + text;
        first.insert(mnemonic, text);
    }
    return collisions;
}

QStringList visibleTexts(const QWidget &dialog)
{
    QStringList texts;
    for (const auto *label : dialog.findChildren<QLabel *>())
        if (label->isVisible() && label->buddy())
            texts << label->text();
    for (const auto *button : dialog.findChildren<QAbstractButton *>())
        if (button->isVisible() && !button->text().isEmpty())
            texts << button->text();
    for (const auto *box : dialog.findChildren<QGroupBox *>())
        if (box->isVisible())
            texts << box->title();
    return texts;
}

/// The visible buttons, and labels of fields, that no mnemonic reaches.
QStringList unreachable(const QWidget &dialog)
{
    QStringList texts = visibleTexts(dialog);
    texts.removeOne(QStringLiteral("Selection"));  // a title
    texts.removeIf([](const QString &text) { return !QKeySequence::mnemonic(text).isEmpty(); });
    return texts;
}

class TestMnemonics : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void ofTheExportDialog()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(2, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        const auto *formats = dialog->findChild<QComboBox *>(QStringLiteral("exportFormat"));
        for (int i = 0; i < formats->count(); ++i) {
            choose(dialog, qPrintable(formats->itemData(i).toString()));
            QCOMPARE(collisionsOf(visibleTexts(*dialog)), QStringList());
            QCOMPARE(unreachable(*dialog), QStringList());
        }
        // A test that runs can be stopped. The loop ended at a server.
        dialog->findChild<QAbstractButton *>(QStringLiteral("serverTest"))->click();
        QCOMPARE(collisionsOf(visibleTexts(*dialog)), QStringList());
    }

    void ofTheDialogForDatabases()
    {
        OpenDatabaseDialog dialog;
        dialog.show();
        for (const int kind : {0, 1}) {
            dialog.findChild<QComboBox *>(QStringLiteral("databaseKind"))->setCurrentIndex(kind);
            QCOMPARE(collisionsOf(visibleTexts(dialog)), QStringList());
            QCOMPARE(unreachable(dialog), QStringList());
        }
    }

    void ofTheMenus()
    {
        MainWindow window;
        window.show();
        QStringList bar;
        for (const QAction *action : window.menuBar()->actions())
            bar << action->text();
        QCOMPARE(collisionsOf(bar), QStringList());
        const auto menus = window.findChildren<QMenu *>();
        QVERIFY(menus.size() > bar.size());
        for (const QMenu *menu : menus) {
            QStringList texts;
            for (const QAction *action : menu->actions())
                texts << action->text();
            QCOMPARE(collisionsOf(texts), QStringList());
        }
    }

private:
    gui::Sandbox m_sandbox;
};

}  // namespace

CT_QT_SUITE(TestMnemonics)
#include "tst_mnemonics.moc"
