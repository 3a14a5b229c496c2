// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/filedialogs.h"

#include "ui/widgets/spreadsheetbox.h"

#include <QCoreApplication>
#include <QFileDialog>

#include <utility>

namespace ct {

namespace {

struct FileText {
    Q_DECLARE_TR_FUNCTIONS(FileText)
};

QFileDialog *makeDialog(QWidget *parent, const QString &title, const char *objectName)
{
    auto *dialog = new QFileDialog(parent, title);
    dialog->setObjectName(QLatin1String(objectName));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

void letSave(QFileDialog &dialog, const QString &suffix, const QString &filter, const QString &name)
{
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.setDefaultSuffix(suffix);
    dialog.setNameFilters({filter, FileText::tr("All files (*)")});
    dialog.selectFile(name);
}

}  // namespace

void askForRecording(QWidget *parent, std::function<void(const QString &path)> chosen)
{
    QFileDialog *dialog = makeDialog(parent, FileText::tr("Open a recording"), "openFileDialog");
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({FileText::tr("Recordings and regions (*.ctr *.jsonl *.jsonl.gz *.jsonl.zst *.json *.shm)"),
                            FileText::tr("All files (*)")});
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(chosen));
    dialog->open();
}

void askForExport(QWidget *parent, const ExportFormat &format, const QString &name,
                  std::function<void(const ExportFormat &format, const QString &path)> chosen)
{
    const QString kind = QString::fromLatin1(format.name.data(), static_cast<qsizetype>(format.name.size()));
    const QString extension =
        QString::fromLatin1(format.extension.data(), static_cast<qsizetype>(format.extension.size()));
    QFileDialog *dialog = makeDialog(parent, FileText::tr("Export to %1").arg(kind), "exportFileDialog");
    letSave(*dialog, extension, QStringLiteral("%1 (*.%2)").arg(kind, extension), name + u'.' + extension);
    if (&forSpreadsheets(format) != &format)
        addSpreadsheetBox(*dialog);
    QObject::connect(
        dialog, &QFileDialog::fileSelected, parent,
        [&format, chosen = std::move(chosen)](const QString &path) { chosen(formatAsChosen(format), path); });
    dialog->open();
}

void askForSave(QWidget *parent, const QString &name, std::function<void(const QString &path)> chosen)
{
    QFileDialog *dialog = makeDialog(parent, FileText::tr("Save the recording as"), "saveFileDialog");
    letSave(*dialog, QStringLiteral("ctr"), FileText::tr("Recordings (*.ctr)"), name);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(chosen));
    dialog->open();
}

void askForGraphFile(QWidget *parent, const QString &name, const QString &suffix,
                     std::function<void(const QString &path)> chosen)
{
    QFileDialog *dialog = makeDialog(parent, FileText::tr("Export the wait graph"), "graphFileDialog");
    const QString kind = suffix == QLatin1String("svg") ? FileText::tr("Pictures") : FileText::tr("Graphs");
    letSave(*dialog, suffix, QStringLiteral("%1 (*.%2)").arg(kind, suffix), name + u'.' + suffix);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(chosen));
    dialog->open();
}

}  // namespace ct
