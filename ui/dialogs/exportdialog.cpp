// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/exportdialog.h"

#include "core/base/fileending.h"
#include "core/databases/serveraddress.h"
#include "core/exporting/rowestimate.h"
#include "ui/dialogs/formatcontent.h"
#include "ui/dialogs/serverfields.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/widgets/spreadsheetbox.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <filesystem>
#include <utility>

namespace ct {

namespace {

QString text(std::string_view value)
{
    return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

constexpr const char *kFormatKey = "export/kind";
constexpr int kMostExpanded = 8;  ///< fewer top-level items are shown expanded
constexpr int kFollowIntervalMs = 1000;
constexpr const char *kFolderKey = "export/folder";

QString usualFolder()
{
    const QString kept = QSettings().value(QLatin1String(kFolderKey)).toString();
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    for (const QString &folder : {kept, documents, QDir::homePath()}) {
        if (QFileInfo(folder).isDir())
            return folder;
    }
    return QDir::currentPath();
}

void addItems(QTreeWidget &tree, const std::vector<ContentItem> &content)
{
    for (const ContentItem &item : content) {
        auto *const top = new QTreeWidgetItem(&tree, {item.name, item.what});
        for (const ContentItem &inner : item.items)
            new QTreeWidgetItem(top, {inner.name, inner.what});
    }
}

/// Makes rows as high as their wrapped text needs. A tree view itself asks for the height without a width.
class WrappingDelegate final : public QStyledItemDelegate {
public:
    explicit WrappingDelegate(QTreeView *tree) : QStyledItemDelegate(tree), m_tree(tree) {}

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem wrapped = option;
        wrapped.rect = {0, 0, m_tree->columnWidth(index.column()), 1};  // any height, but it has to be valid
        return QStyledItemDelegate::sizeHint(wrapped, index);
    }

private:
    const QTreeView *const m_tree;
};

}  // namespace

ExportDialog::ExportDialog(ExportedTrace trace, ExportChoices choices, QWidget *parent)
    : QDialog(parent),
      m_trace(std::move(trace)),
      m_format(new QComboBox(this)),
      m_estimate(new QLabel(this)),
      m_message(new QLabel(this))
{
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export"));
    m_estimate->setObjectName(QStringLiteral("exportEstimate"));
    m_message->setObjectName(QStringLiteral("exportMessage"));
    m_message->setWordWrap(true);
    m_message->setMinimumWidth(1);  // else a long word, such as a path, would widen the dialog
    m_message->setTextFormat(Qt::PlainText);
    m_message->setMinimumHeight(2 * m_message->fontMetrics().lineSpacing());
    auto *formats = new QFormLayout;
    formats->addRow(tr("F&ormat"), m_format);
    auto *left = new QVBoxLayout;
    left->addLayout(formats);
    left->addWidget(makeFile());
    m_server = new ServerFields(this);
    left->addWidget(m_server);
    m_selection = new SelectionFields(std::move(choices), this);
    left->addWidget(m_selection);
    left->addWidget(m_estimate);
    left->addStretch();
    auto *columns = new QHBoxLayout;
    columns->addLayout(left, 1);
    columns->addWidget(makeContent(), 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_export = buttons->addButton(tr("&Export"), QDialogButtonBox::AcceptRole);
    m_export->setObjectName(QStringLiteral("exportButton"));
    m_export->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("&Cancel"));
    auto *all = new QVBoxLayout(this);
    all->addLayout(columns, 1);
    all->addWidget(m_message);
    all->addWidget(buttons);
    addFormats();
    connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::submit);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::showFormat);
    connect(m_selection, &SelectionFields::changed, this, &ExportDialog::showEstimate);
    connect(m_server, &ServerFields::changed, this, [this] {
        if (m_eventsView != text(m_server->server().table))
            showContent();
        check();
    });
    connect(m_path, &QLineEdit::textChanged, this, &ExportDialog::check);
    showFormat();
    resize(900, 560);
    followTrace();
}

/// Updates the numbers and the end while the run lasts.
void ExportDialog::followTrace()
{
    auto *timer = new QTimer(this);
    timer->setInterval(kFollowIntervalMs);
    connect(timer, &QTimer::timeout, this, [this, timer] {
        if (!isGrowing())
            timer->stop();
        m_selection->setEnd(m_trace.history->lastTs());
        showEstimate();
    });
    if (isGrowing())
        timer->start();
}

ExportInput ExportDialog::input() const
{
    return {m_path->text(), m_selection->input()};
}

void ExportDialog::setInput(const ExportInput &input)
{
    m_path->setText(input.path);
    m_selection->setInput(input.selection);
}

void ExportDialog::addFormats()
{
    m_format->setObjectName(QStringLiteral("exportFormat"));
    const auto add = [this](const ExportFormat &format, const QString &name) {
        m_format->addItem(name, text(format.kind));
    };
    for (const ExportFormat &format : exportFormats())
        add(format, text(format.name));
    add(*exportFormatOfKind("postgresql"), tr("PostgreSQL server"));
    add(*exportFormatOfKind("mysql"), tr("MariaDB or MySQL server"));
    m_format->setCurrentIndex(std::max(0, m_format->findData(QSettings().value(QLatin1String(kFormatKey)))));
}

QWidget *ExportDialog::makeFile()
{
    auto *page = new QWidget(this);
    m_file = page;
    m_path = new QLineEdit(page);
    m_path->setObjectName(QStringLiteral("exportPath"));
    auto *browseButton = new QToolButton(page);
    browseButton->setObjectName(QStringLiteral("exportBrowse"));
    browseButton->setIcon(icons::icon(QStringLiteral("open")));
    browseButton->setToolTip(tr("Choose a file"));
    browseButton->setAccessibleName(tr("Choose a file"));
    browseButton->setFocusPolicy(Qt::StrongFocus);
    connect(browseButton, &QToolButton::clicked, this, &ExportDialog::browse);
    auto *row = new QHBoxLayout;
    row->addWidget(m_path);
    row->addWidget(browseButton);
    m_spreadsheet = makeSpreadsheetBox(page);
    m_packing = new QLabel(tr("End the name in .gz or .zst to compress the file."), page);
    m_packing->setWordWrap(true);
    m_packing->setForegroundRole(QPalette::PlaceholderText);
    auto *form = new QFormLayout(page);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(tr("F&ile"), row);
    form->addRow(m_packing);
    form->addRow(m_spreadsheet);
    qobject_cast<QLabel *>(form->labelForField(row))->setBuddy(m_path);
    const QString name = m_trace.name.isEmpty() ? QStringLiteral("coroutines") : m_trace.name;
    m_path->setText(QDir(usualFolder()).filePath(name));
    return page;
}

QWidget *ExportDialog::makeContent()
{
    m_content = new QTreeWidget(this);
    m_content->setObjectName(QStringLiteral("exportContent"));
    m_content->setAccessibleName(tr("Content of the format"));
    m_content->setHeaderLabels({tr("Content"), QString()});
    m_content->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_content->setAlternatingRowColors(true);
    m_content->setWordWrap(true);
    m_content->setItemDelegateForColumn(1, new WrappingDelegate(m_content));
    connect(m_content->header(), &QHeaderView::sectionResized, m_content, &QTreeWidget::doItemsLayout,
            Qt::QueuedConnection);
    return m_content;
}

const ExportFormat &ExportDialog::format() const
{
    return *exportFormatOfKind(m_format->currentData().toString().toStdString());
}

QString ExportDialog::path() const
{
    const QString typed = m_path->text().trimmed();
    if (typed.isEmpty())
        return typed;
    const QFileInfo file(QDir(usualFolder()), typed);
    const bool hasEnding = file.isDir() || !file.suffix().isEmpty();
    return hasEnding ? file.filePath() : file.filePath() + u'.' + text(format().extension);
}

/// What the user may not expect of the file; empty: nothing.
QString ExportDialog::fileWarning() const
{
    const QString name = QFileInfo(path()).fileName();
    QStringList warnings;
    const ExportFormat *const ofName = exportFormatFor(path().toStdString());
    if (ofName && ofName->extension != format().extension)
        warnings << tr("%1 will have the format %2, although its name ends like that of %3.")
                        .arg(name, text(format().name), text(ofName->name));
    if (QFileInfo::exists(path()))
        warnings << tr("%1 exists and will be replaced.").arg(name);
    return warnings.join(u' ');
}

void ExportDialog::showFormat()
{
    const ExportFormat &chosen = format();
    m_file->setVisible(!chosen.isOfServer());
    m_server->setVisible(chosen.isOfServer());
    if (chosen.isOfServer())
        m_server->setKind(chosen.kind == "mysql" ? ServerAddress::Kind::MySql : ServerAddress::Kind::PostgreSql);
    else
        renameFor(chosen);
    m_packing->setVisible(chosen.isText);
    m_spreadsheet->setVisible(&forSpreadsheets(chosen) != &chosen);
    m_selection->setVisible(chosen.allowsSelections());
    showContent();
    showEstimate();
}

void ExportDialog::showContent()
{
    m_eventsView = text(m_server->server().table);
    m_content->clear();
    addItems(*m_content, contentOf(format(), m_eventsView));
    if (m_content->topLevelItemCount() < kMostExpanded)
        m_content->expandAll();
}

/// Replaces the extension of another format.
void ExportDialog::renameFor(const ExportFormat &chosen)
{
    std::string path = m_path->text().toStdString();
    const ExportFormat *const present = exportFormatFor(path);
    if (present == &chosen)
        return;
    if (present) {
        path = std::string(present->isText ? withoutPacking(path) : path);
        path.resize(path.size() - present->extension.size() - 1);
    }
    m_path->setText(QString::fromStdString(path) + u'.' + text(chosen.extension));
}

QString ExportDialog::fileProblem() const
{
    const QFileInfo file(path());
    const QFileInfo folder(file.path());
    if (path().isEmpty() || file.isDir())
        return tr("Enter the name of a file.");
    if (!folder.isDir())
        return tr("The folder %1 does not exist. Create it, or choose another one.").arg(folder.filePath());
    if (!folder.isWritable())
        return tr("The folder %1 is not writable. Choose another one.").arg(folder.filePath());
    std::error_code failed;
    if (std::filesystem::equivalent(QFile::encodeName(path()).toStdString(),
                                    QFile::encodeName(m_trace.recording).toStdString(), failed))
        return tr("This file is the open recording. Choose another one.");
    if (format().isMisnamed(path().toStdString()))
        return tr("Only JSONL and CSV can be compressed. Choose a name without .gz and .zst.");
    return {};
}

QString ExportDialog::serverProblem() const
{
    const Result<ServerAddress> target = parseServerAddress(m_server->address().toStdString());
    const Result<ServerAddress> opened = parseServerAddress(m_trace.recording.toStdString());
    if (target && opened && areSameDatabase(*target, *opened))
        return tr("The open session is in this database. Choose another one.");
    return m_server->problem();
}

QString ExportDialog::problem() const
{
    const QString ofTarget = format().isOfServer() ? serverProblem() : fileProblem();
    return ofTarget.isEmpty() && format().allowsSelections() ? m_selection->problem() : ofTarget;
}

TraceSelection ExportDialog::selection() const
{
    return format().allowsSelections() ? m_selection->selection() : TraceSelection();
}

void ExportDialog::check()
{
    const QString wrong = problem();
    m_export->setEnabled(wrong.isEmpty());
    m_message->setText(!wrong.isEmpty() || format().isOfServer() ? wrong : fileWarning());
}

void ExportDialog::showEstimate()
{
    const RowEstimate estimate = estimateRows(*m_trace.population, *m_trace.history, selection(), m_trace.hasRecording);
    const QString causes = estimate.causes == 1
                               ? tr("1 cause such as a wake or a wait")
                               : tr("%1 causes such as wakes and waits").arg(format::count(estimate.causes));
    const QString counts = (estimate.isExact && !estimate.areCausesExact ? tr("%1, %2, about %3") : tr("%1, %2, %3"))
                               .arg(format::events(estimate.events), format::coroutines(estimate.coroutines), causes);
    const QString known = estimate.isExact ? counts : tr("About %1").arg(counts);
    m_estimate->setText(isGrowing() ? tr("So far: %1").arg(known) : known);
    check();
}

void ExportDialog::browse()
{
    auto *dialog = new QFileDialog(this, tr("Export to a file"), path());
    dialog->setObjectName(QStringLiteral("exportFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setDefaultSuffix(text(format().extension));
    dialog->setNameFilters(
        {QStringLiteral("%1 (*.%2)").arg(text(format().name), text(format().extension)), tr("All files (*)")});
    dialog->selectFile(path());
    connect(dialog, &QFileDialog::fileSelected, m_path, &QLineEdit::setText);
    dialog->open();
}

void ExportDialog::submit()
{
    if (!problem().isEmpty())
        return;
    QSettings settings;
    settings.setValue(QLatin1String(kFormatKey), m_format->currentData());
    const bool isOfServer = format().isOfServer();
    if (isOfServer)
        m_server->commit();
    else
        settings.setValue(QLatin1String(kFolderKey), QFileInfo(path()).path());
    Q_EMIT exportRequested(formatAsChosen(format()), isOfServer ? m_server->address() : path(), selection());
    accept();
}

}  // namespace ct
