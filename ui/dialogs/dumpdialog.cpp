// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/dumpdialog.h"

#include "ui/format/icons.h"
#include "ui/widgets/spreadsheetbox.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QToolButton>

namespace ct {

namespace {

QString textOf(std::string_view text)
{
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

/// Replaces characters that some file systems do not allow.
QString harmless(const QString &name)
{
    QString text;
    for (const QChar c : name.left(60))
        text += c.isLetterOrNumber() || c == u'.' || c == u'_' || c == u'-' ? c : QChar(u'_');
    while (text.startsWith(u'.') || text.startsWith(u'-'))
        text.remove(0, 1);
    return text.isEmpty() ? QStringLiteral("coroutines") : text;
}

}  // namespace

DumpSettings DumpSettings::load(const QSettings &settings)
{
    DumpSettings dump;
    dump.folder = settings.value(QStringLiteral("dump/folder")).toString();
    dump.format = settings.value(QStringLiteral("dump/format"), QStringLiteral("sqlite")).toString();
    return dump;
}

void DumpSettings::save(QSettings &settings) const
{
    settings.setValue(QStringLiteral("dump/folder"), folder);
    settings.setValue(QStringLiteral("dump/format"), format);
}

bool DumpSettings::isUsable() const
{
    const QFileInfo info(folder);
    return !folder.isEmpty() && info.isDir() && info.isWritable() && exportFormat();
}

const ExportFormat *DumpSettings::exportFormat() const
{
    return exportFormatFor("dump." + format.toStdString());
}

QString DumpSettings::path(const QString &name, const QDateTime &time) const
{
    const QString base = QDir(folder).filePath(QStringLiteral("%1-%2").arg(
        harmless(QFileInfo(name).completeBaseName()), time.toString(QStringLiteral("yyyyMMdd-HHmmss"))));
    QString path = base + u'.' + format;
    for (int number = 2; QFileInfo::exists(path); ++number)
        path = QStringLiteral("%1-%2.%3").arg(base).arg(number).arg(format);
    return path;
}

DumpDialog::DumpDialog(const DumpSettings &settings, QWidget *parent)
    : QDialog(parent), m_folder(new QLineEdit(this)), m_format(new QComboBox(this)), m_message(new QLabel(this))
{
    setObjectName(QStringLiteral("dumpDialog"));
    setWindowTitle(tr("Dump"));
    auto *text = new QLabel(tr("A dump writes all events in memory to a new file, named after "
                               "the target and the time. The next dump takes one click."),
                            this);
    text->setWordWrap(true);
    m_folder->setObjectName(QStringLiteral("dumpFolder"));
    m_folder->setText(settings.folder.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)
                                                : settings.folder);
    m_format->setObjectName(QStringLiteral("dumpFormat"));
    for (const ExportFormat &format : exportFormats())
        m_format->addItem(textOf(format.name), textOf(format.extension));
    m_format->setCurrentIndex(std::max(0, m_format->findData(settings.format)));
    m_format->setToolTip(tr("Recordings and SQLite files contain everything, including names and locations. They "
                            "and JSONL files can be opened again in this window."));
    auto *box = makeSpreadsheetBox(this);
    const auto showBox = [this, box] { box->setVisible(m_format->currentData().toString() == QLatin1String("csv")); };
    connect(m_format, &QComboBox::currentIndexChanged, this, showBox);
    showBox();
    auto *browseButton = new QToolButton(this);
    browseButton->setObjectName(QStringLiteral("dumpBrowse"));
    browseButton->setIcon(icons::icon(QStringLiteral("open")));
    browseButton->setToolTip(tr("Choose a folder"));
    browseButton->setAccessibleName(tr("Choose a folder"));
    auto *row = new QHBoxLayout;
    row->addWidget(m_folder);
    row->addWidget(browseButton);
    m_message->setObjectName(QStringLiteral("dumpMessage"));
    m_message->setForegroundRole(QPalette::PlaceholderText);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_dump = buttons->addButton(tr("Dump"), QDialogButtonBox::AcceptRole);
    m_dump->setObjectName(QStringLiteral("dumpButton"));
    m_dump->setDefault(true);
    auto *form = new QFormLayout(this);
    form->addRow(text);
    form->addRow(tr("&Folder"), row);
    form->addRow(tr("F&ormat"), m_format);
    form->addRow(QString(), box);
    form->addRow(m_message);
    form->addRow(buttons);
    qobject_cast<QLabel *>(form->labelForField(row))->setBuddy(m_folder);
    connect(browseButton, &QToolButton::clicked, this, &DumpDialog::browse);
    connect(m_folder, &QLineEdit::textChanged, this, &DumpDialog::check);
    connect(buttons, &QDialogButtonBox::rejected, this, &DumpDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT dumpRequested(this->settings());
        accept();
    });
    check();
    resize(520, form->heightForWidth(520));
}

DumpSettings DumpDialog::settings() const
{
    return {m_folder->text().trimmed(), m_format->currentData().toString()};
}

void DumpDialog::browse()
{
    auto *dialog = new QFileDialog(this, tr("Folder for dumps"), m_folder->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
    dialog->open();
}

void DumpDialog::check()
{
    const bool usable = settings().isUsable();
    m_dump->setEnabled(usable);
    m_message->setText(usable ? QString()
                              : tr("This folder does not exist, or is not "
                                   "writable. Choose another folder."));
}

}  // namespace ct
