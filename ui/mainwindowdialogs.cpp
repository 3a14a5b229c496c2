// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of MainWindow for dialogs and for the warning when no coroutine is seen.
#include "core/target/instructions.h"
#include "ui/actions.h"
#include "ui/capture.h"
#include "ui/dialogs/attachdialog.h"
#include "ui/dialogs/dumpdialog.h"
#include "ui/dialogs/rundialog.h"
#include "ui/dialogs/symboldialog.h"
#include "ui/format/colors.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/mainwindow.h"
#include "ui/widgets/exportbar.h"
#include "ui/widgets/infobar.h"
#include "ui/widgets/spreadsheetbox.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <QSettings>

namespace ct {

void MainWindow::showRunDialog()
{
    if (!m_runDialog) {
        m_runDialog = new RunDialog(this);
        connect(m_runDialog, &RunDialog::startRequested, this, [this](const StartRequest &request) {
            settleTarget(tr("A new capture replaces this one. Leave the target running, or terminate it?"),
                         [this, request] {
                             if (const Result<void> begun = begin(request); !begun)
                                 m_runDialog->showError(QString::fromStdString(begun.error().message));
                             else if (std::holds_alternative<ListenRequest>(request.what))
                                 showInstructions();
                             else
                                 m_runDialog->accept();
                         });
        });
    }
    m_runDialog->showLaunch();
}

void MainWindow::showInstructions()
{
    if (!m_capture->isListening())
        return;
    if (!m_runDialog || !m_runDialog->isVisible())
        showRunDialog();
    const Session *session = m_capture->session();
    m_runDialog->showListening({session->regionPath(), session->socketPath(), session->stations()});
}

void MainWindow::showAttachDialog()
{
    auto *dialog = new AttachDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &AttachDialog::attachRequested, this, [this](const QString &path) {
        StartRequest request;
        request.what = AttachRequest{path.toStdString()};
        start(request);
    });
    dialog->open();
}

void MainWindow::showOpenDialog()
{
    auto *dialog = new QFileDialog(this, tr("Open a recording"));
    dialog->setObjectName(QStringLiteral("openFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Recordings and regions (*.ctr *.jsonl *.json *.shm)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openFile);
    dialog->open();
}

void MainWindow::showExportDialog(const ExportFormat &format)
{
    if (isBusy(*m_exportBar))
        return;
    const QString name = QString::fromLatin1(format.name.data(), static_cast<qsizetype>(format.name.size()));
    const QString extension =
        QString::fromLatin1(format.extension.data(), static_cast<qsizetype>(format.extension.size()));
    auto *dialog = new QFileDialog(this, tr("Export to %1").arg(name));
    dialog->setObjectName(QStringLiteral("exportFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setDefaultSuffix(extension);
    dialog->setNameFilters({QStringLiteral("%1 (*.%2)").arg(name, extension), tr("All files (*)")});
    dialog->selectFile(QFileInfo(m_capture->name()).completeBaseName() + u'.' + extension);
    if (&forSpreadsheets(format) != &format)
        addSpreadsheetBox(*dialog);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, &format](const QString &path) { exportTo(formatAsChosen(format), path); });
    dialog->open();
}

void MainWindow::saveThisRecording()
{
    const QString recording = QFile::decodeName(m_capture->recordingPath().c_str());
    if (!recording.isEmpty() && !isBusy(*m_saveBar))
        showSaveDialog(recording, QFileInfo(recording).completeBaseName() + QStringLiteral(".ctr"));
}

void MainWindow::showSaveDialog(const QString &recording, const QString &name)
{
    auto *dialog = new QFileDialog(this, tr("Save the recording as"));
    dialog->setObjectName(QStringLiteral("saveFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setDefaultSuffix(QStringLiteral("ctr"));
    dialog->setNameFilters({tr("Recordings (*.ctr)"), tr("All files (*)")});
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, recording](const QString &path) { saveRecording(recording, path); });
    dialog->open();
}

void MainWindow::dump()
{
    if (!m_capture->population())
        return;
    const DumpSettings settings = DumpSettings::load(QSettings());
    if (!settings.isUsable())
        showDumpDialog();
    else
        exportTo(formatAsChosen(*settings.exportFormat()),
                 settings.path(m_capture->name(), QDateTime::currentDateTime()));
}

void MainWindow::showDumpDialog()
{
    auto *dialog = new DumpDialog(DumpSettings::load(QSettings()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &DumpDialog::dumpRequested, this, [this](const DumpSettings &chosen) {
        QSettings settings;
        chosen.save(settings);
        dump();
    });
    dialog->open();
}

void MainWindow::showSymbolDialog()
{
    auto *dialog = new SymbolDialog(SymbolSettings::load(QSettings()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SymbolDialog::chosen, this, [this](const SymbolSettings &chosen) {
        QSettings settings;
        chosen.save(settings);
        applyDebugSearchPath();
    });
    dialog->open();
}

void MainWindow::setDebugFolders(const QStringList &folders)
{
    m_debugFolders = folders;
    applyDebugSearchPath();
}

void MainWindow::applyDebugSearchPath()
{
    SymbolSettings settings = SymbolSettings::load(QSettings());
    settings.folders = m_debugFolders + settings.folders;
    m_capture->setDebugSearchPath(settings.searchPath());
    m_reportedNoSymbols = false;
}

void MainWindow::showAbout()
{
    auto *box = new QMessageBox(QMessageBox::NoIcon, tr("About corotracer-gui"),
                                tr("<h3>corotracer-gui %1</h3><p>Live coroutine inspection over cTP shared memory.</p>"
                                   "<p>Free software under the GNU General Public License, version 3 or later. "
                                   "The probe is under the MIT licence.</p>")
                                    .arg(QCoreApplication::applicationVersion()),
                                QMessageBox::Close, this);
    box->setIconPixmap(windowIcon().pixmap(64, 64));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

/// Shows the probable cause, with a link to the whole checklist.
void MainWindow::onNothingTraced(const QString &why)
{
    m_whyUntraced = why;
    m_warning->showText(
        QStringLiteral("<b>%1</b> <a href=\"checklist\">%2</a>").arg(why.toHtmlEscaped(), tr("What to check…")));
}

void MainWindow::showChecklist()
{
    QString html = QStringLiteral("<b>%1</b><ul style=\"margin:2px 0 2px -20px\">").arg(m_whyUntraced.toHtmlEscaped());
    for (const QString &point : Instructions::nothingTracedChecklist())
        html += QStringLiteral("<li>%1</li>").arg(point.toHtmlEscaped());
    html += QStringLiteral("</ul>%1<pre style=\"margin:4px 0 0 0\">%2</pre>")
                .arg(tr("The five lines to add:"), Instructions::fiveLines().toHtmlEscaped());
    m_warning->showText(html);
}

void MainWindow::showError(const QString &title, const QString &message)
{
    Q_EMIT failed(message);
    auto *box = new QMessageBox(QMessageBox::Warning, title, title, QMessageBox::Ok, this);
    box->setObjectName(QStringLiteral("errorBox"));
    box->setInformativeText(format::verbatim(format::printableLines(message)));
    box->setIconPixmap(icons::icon(QStringLiteral("warning"), colorsFor(palette()).warningText).pixmap(QSize(40, 40)));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace ct
