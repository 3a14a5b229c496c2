// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/symboldialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

namespace ct {

namespace {

const QString kFolders = QStringLiteral("symbols/folders");

}  // namespace

SymbolSettings SymbolSettings::load(const QSettings &settings)
{
    return {settings.value(kFolders).toStringList()};
}

void SymbolSettings::save(QSettings &settings) const
{
    settings.setValue(kFolders, folders);
}

DebugSearchPath SymbolSettings::searchPath() const
{
    DebugSearchPath searchPath;
    for (const QString &folder : folders)
        searchPath.folders.push_back(folder.toStdString());
    return searchPath;
}

SymbolDialog::SymbolDialog(const SymbolSettings &settings, QWidget *parent)
    : QDialog(parent), m_folders(new QListWidget), m_remove(new QPushButton(tr("&Remove")))
{
    setObjectName(QStringLiteral("symbolDialog"));
    setWindowTitle(tr("Debug files"));
    auto *layout = new QVBoxLayout(this);
    auto *text = new QLabel(tr("Functions and lines come from the debug information of the "
                               "programs that ran. The files of the programs, /usr/lib/debug, "
                               "and these folders are searched for it: by the name of the "
                               "program or its debug file, or by build id below .build-id."));
    text->setWordWrap(true);
    layout->addWidget(text);
    m_folders->setObjectName(QStringLiteral("symbolFolders"));
    m_folders->setAccessibleName(tr("Folders"));
    m_folders->setTextElideMode(Qt::ElideMiddle);
    m_folders->addItems(settings.folders);
    auto *add = new QPushButton(tr("&Add…"));
    add->setObjectName(QStringLiteral("addFolderButton"));
    m_remove->setObjectName(QStringLiteral("removeFolderButton"));
    auto *buttons = new QVBoxLayout;
    buttons->addWidget(add);
    buttons->addWidget(m_remove);
    buttons->addStretch();
    auto *row = new QHBoxLayout;
    row->addWidget(m_folders, 1);
    row->addLayout(buttons);
    layout->addLayout(row, 1);
    auto *box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    box->button(QDialogButtonBox::Ok)->setObjectName(QStringLiteral("symbolOkButton"));
    layout->addWidget(box);
    resize(560, 320);
    connect(add, &QPushButton::clicked, this, &SymbolDialog::browse);
    connect(m_remove, &QPushButton::clicked, this, &SymbolDialog::remove);
    connect(m_folders, &QListWidget::currentRowChanged, this, &SymbolDialog::check);
    connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(box, &QDialogButtonBox::accepted, this, [this] {
        SymbolSettings chosenOnes;
        for (int i = 0; i < m_folders->count(); ++i)
            chosenOnes.folders << m_folders->item(i)->text();
        Q_EMIT chosen(chosenOnes);
        accept();
    });
    check();
}

void SymbolDialog::browse()
{
    auto *dialog = new QFileDialog(this, tr("A folder with debug files"));
    dialog->setObjectName(QStringLiteral("debugFolderDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &SymbolDialog::addFolder);
    dialog->open();
}

void SymbolDialog::addFolder(const QString &path)
{
    const QString folder = QDir::cleanPath(path);
    if (folder.isEmpty() || !m_folders->findItems(folder, Qt::MatchExactly).isEmpty())
        return;
    m_folders->addItem(folder);
    m_folders->setCurrentRow(m_folders->count() - 1);
}

void SymbolDialog::remove()
{
    delete m_folders->takeItem(m_folders->currentRow());
    check();
}

void SymbolDialog::check()
{
    m_remove->setEnabled(m_folders->currentRow() >= 0);
}

}  // namespace ct
