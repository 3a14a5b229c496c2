// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/spreadsheetbox.h"

#include "core/exporting/exportformat.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGridLayout>
#include <QSettings>

namespace ct {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("SpreadsheetBox", text);
}

QString key()
{
    return QStringLiteral("export/csvForSpreadsheets");
}

}  // namespace

QCheckBox *makeSpreadsheetBox(QWidget *parent)
{
    auto *box = new QCheckBox(tr("CSV for a s&preadsheet: escape what looks like a formula"), parent);
    box->setObjectName(QStringLiteral("spreadsheetBox"));
    box->setToolTip(tr("The target chooses the names in the file. A spreadsheet runs a name that begins "
                       "with = + - or @ as a formula, unless an apostrophe precedes it. Leave this off "
                       "for other programs: they get the names unchanged."));
    box->setChecked(QSettings().value(key()).toBool());
    QObject::connect(box, &QCheckBox::toggled, box, [](bool checked) { QSettings().setValue(key(), checked); });
    return box;
}

void addSpreadsheetBox(QFileDialog &dialog)
{
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    if (auto *grid = qobject_cast<QGridLayout *>(dialog.layout()))
        grid->addWidget(makeSpreadsheetBox(&dialog), grid->rowCount(), 0, 1, grid->columnCount());
}

const ExportFormat &formatAsChosen(const ExportFormat &format)
{
    return QSettings().value(key()).toBool() ? forSpreadsheets(format) : format;
}

}  // namespace ct
