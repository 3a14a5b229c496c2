// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A window with a small trace, and its export dialog.
#pragma once

#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/dialogs/exportdialog.h"
#include "ui/mainwindow.h"
#include "ui/widgets/infobar.h"
#include "ui/widgets/jobbar.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>

namespace gui {

using ct::test::kPatienceMs;

/// `coroutines` with `events` each. Event n of coroutine c is at 1 s + n ms + c ns.
inline QByteArray sampleRecording(int coroutines, int events, const QByteArray &name = "job")
{
    QByteArray lines;
    for (int n = 0; n < events; ++n) {
        for (int c = 0; c < coroutines; ++c) {
            lines += "{\"probe_id\":" + QByteArray::number(100 + c) +
                     ",\"tid\":7,\"addr\":\"0x0000000000001234\",\"seq\":" + QByteArray::number((n / 8 + 1) * 2) +
                     ",\"is_active\":" + (n % 2 == 1 ? "true" : "false") +
                     ",\"ts\":" + QByteArray::number(1'000'000'000LL + n * 1'000'000LL + c) +
                     ",\"n\":" + QByteArray::number(n) + ",\"coroutine\":" + QByteArray::number(c);
            if (n == 0)
                lines += ",\"birth_ts\":1000000000,\"pid\":9,\"name\":\"" + name + " " + QByteArray::number(c) + "\"";
            lines += "}\n";
        }
    }
    return lines;
}

/// Opens the dialog as the user does, with the keyboard.
inline ct::ExportDialog *askForExport(ct::MainWindow &window)
{
    window.activateWindow();
    if (!QTest::qWaitForWindowActive(&window, ct::test::kPatienceMs))
        return nullptr;
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    return topLevel<ct::ExportDialog>("exportDialog");
}

struct ExportWindow {
    explicit ExportWindow(const Sandbox &sandbox, const QByteArray &content,
                          const QString &name = QStringLiteral("opened.jsonl"))
        : recording(sandbox.path(name))
    {
        QFile file(recording);
        if (file.open(QIODevice::WriteOnly))
            file.write(content);
        file.close();
        window.show();
        window.openFile(recording);
        isOpen = QTest::qWaitFor([this] { return window.run().state() == ct::RunState::Ended; }, kPatienceMs);
    }
    ~ExportWindow()
    {
        if (QWidget *dialog = topLevel<QWidget>("exportDialog"))
            dialog->close();
    }

    ct::ExportDialog *ask() { return askForExport(window); }
    bool hasEnded()
    {
        auto *bar = window.findChild<ct::JobBar *>(QStringLiteral("exportBar"));
        return QTest::qWaitFor([bar] { return !bar->isRunning(); }, kPatienceMs);
    }
    /// The text next to the progress bar.
    QString rate() const
    {
        return window.findChild<QLabel *>(QStringLiteral("exportRate"))->text().replace(QChar(QChar::Nbsp), u' ');
    }
    QString notice() const { return window.findChild<ct::InfoBar *>(QStringLiteral("noticeBar"))->text(); }

    const QString recording;
    ct::MainWindow window;
    bool isOpen = false;
};

inline void choose(QWidget *dialog, const char *kind)
{
    auto *box = dialog->findChild<QComboBox *>(QStringLiteral("exportFormat"));
    box->setCurrentIndex(box->findData(QLatin1String(kind)));
}

inline QString labelOf(QWidget *dialog, const char *name)
{
    return dialog->findChild<QLabel *>(QLatin1String(name))->text();
}

/// Presses a button with the space bar. Returns false if it is not visible or not enabled.
inline bool press(QWidget *dialog, const char *name)
{
    auto *button = dialog->findChild<QAbstractButton *>(QLatin1String(name));
    if (!button || !button->isVisible() || !button->isEnabled())
        return false;
    QTest::keyClick(button, Qt::Key_Space);
    return true;
}

/// Replaces the text of a line by typing.
inline void type(QWidget *dialog, const char *name, const QString &text)
{
    auto *line = dialog->findChild<QLineEdit *>(QLatin1String(name));
    line->selectAll();
    QTest::keyClick(line, Qt::Key_Delete);
    QTest::keyClicks(line, text);
}

}  // namespace gui
