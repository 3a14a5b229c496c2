// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/opendatabasedialog.h"

#include "core/databases/serverpasswords.h"
#include "core/target/printabletext.h"
#include "ui/dialogs/serverfields.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/jobs/inquiry.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <memory>
#include <optional>
#include <utility>

namespace ct {

namespace {

enum Kind { Server, File };

constexpr int kNumbers[] = {2, 3, 4};  ///< columns of the list

QString text(const std::string &value)
{
    return printable(QString::fromStdString(value));
}

}  // namespace

OpenDatabaseDialog::OpenDatabaseDialog(QWidget *parent)
    : QDialog(parent),
      m_inquiry(new Inquiry(this)),
      m_kind(new QComboBox(this)),
      m_connect(new QPushButton(this)),
      m_list(new QTreeWidget(this)),
      m_message(new QLabel(this))
{
    setObjectName(QStringLiteral("openDatabaseDialog"));
    setWindowTitle(tr("Open from database"));
    m_kind->setObjectName(QStringLiteral("databaseKind"));
    m_kind->addItems({tr("PostgreSQL server"), tr("SQLite file")});
    m_connect->setObjectName(QStringLiteral("databaseConnect"));
    m_connect->setAutoDefault(false);
    m_message->setObjectName(QStringLiteral("databaseMessage"));
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->setMinimumHeight(2 * m_message->fontMetrics().lineSpacing());
    makeList();
    auto *kinds = new QFormLayout;
    kinds->addRow(tr("&From"), m_kind);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_open = buttons->addButton(tr("&Open"), QDialogButtonBox::AcceptRole);
    m_open->setObjectName(QStringLiteral("databaseOpen"));
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("&Cancel"));
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(kinds);
    layout->addWidget(makeSource());
    layout->addWidget(m_connect, 0, Qt::AlignLeft);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_message);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &OpenDatabaseDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &OpenDatabaseDialog::submit);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &OpenDatabaseDialog::check);
    connect(m_server, &ServerFields::changed, this, &OpenDatabaseDialog::check);
    connect(m_path, &QLineEdit::textChanged, this, &OpenDatabaseDialog::check);
    connect(m_connect, &QPushButton::clicked, this, &OpenDatabaseDialog::list);
    check();
    resize(980, 560);
}

QWidget *OpenDatabaseDialog::makeSource()
{
    m_source = new QStackedWidget(this);
    m_server = new ServerFields(m_source);
    m_server->setForReading();
    m_source->addWidget(m_server);
    m_source->addWidget(makeFileRow());
    return m_source;
}

QWidget *OpenDatabaseDialog::makeFileRow()
{
    auto *page = new QWidget(m_source);
    m_path = new QLineEdit(page);
    m_path->setObjectName(QStringLiteral("databasePath"));
    auto *browseButton = new QToolButton(page);
    browseButton->setIcon(icons::icon(QStringLiteral("open")));
    browseButton->setToolTip(tr("Choose a file"));
    browseButton->setAccessibleName(tr("Choose a file"));
    browseButton->setFocusPolicy(Qt::StrongFocus);
    connect(browseButton, &QToolButton::clicked, this, &OpenDatabaseDialog::browse);
    auto *row = new QHBoxLayout;
    row->addWidget(m_path);
    row->addWidget(browseButton);
    auto *form = new QFormLayout(page);
    form->setContentsMargins(0, 0, 0, 0);
    form->addRow(tr("F&ile"), row);
    qobject_cast<QLabel *>(form->labelForField(row))->setBuddy(m_path);
    return page;
}

void OpenDatabaseDialog::makeList()
{
    m_list->setObjectName(QStringLiteral("databaseSessions"));
    m_list->setAccessibleName(tr("Sessions"));
    m_list->setHeaderLabels(
        {tr("Session"), tr("Stored"), tr("Events"), tr("Coroutines"), tr("Duration"), tr("Command"), tr("Program")});
    m_list->setRootIsDecorated(false);
    m_list->setAlternatingRowColors(true);
    m_list->setUniformRowHeights(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->header()->resizeSection(0, 210);
    m_list->header()->resizeSection(1, 150);
    m_list->header()->resizeSection(5, 220);
    for (const int column : kNumbers) {
        m_list->header()->resizeSection(column, 85);
        m_list->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    connect(m_list, &QTreeWidget::itemSelectionChanged, this, [this] {
        m_open->setEnabled(!m_list->selectedItems().isEmpty());
        m_open->setDefault(m_open->isEnabled());
    });
    connect(m_list, &QTreeWidget::itemActivated, this, &OpenDatabaseDialog::submit);
}

bool OpenDatabaseDialog::isOfServer() const
{
    return m_kind->currentIndex() == Server;
}

QString OpenDatabaseDialog::problem() const
{
    if (isOfServer())
        return m_server->problem();
    const QString path = m_path->text().trimmed();
    if (path.isEmpty())
        return tr("Enter the name of a file.");
    return QFileInfo(path).isFile() ? QString() : tr("The file %1 does not exist.").arg(path);
}

void OpenDatabaseDialog::browse()
{
    auto *dialog = new QFileDialog(this, tr("Open a database"), m_path->text());
    dialog->setObjectName(QStringLiteral("databaseFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Databases (*.sqlite *.db)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, m_path, &QLineEdit::setText);
    dialog->open();
}

/// Clears the list after a change of the fields: it belongs to another database.
void OpenDatabaseDialog::check()
{
    m_source->setCurrentIndex(m_kind->currentIndex());
    // Otherwise the short page would be as high as the other one.
    for (int i = 0; i < m_source->count(); ++i)
        m_source->widget(i)->setSizePolicy(
            QSizePolicy::Preferred, i == m_source->currentIndex() ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    m_inquiry->cancel();
    m_connect->setText(tr("List s&essions"));
    m_list->clear();
    m_sessions.clear();
    m_open->setEnabled(false);
    m_connect->setDefault(true);  // Enter in a field lists the sessions
    const QString wrong = problem();
    m_connect->setEnabled(wrong.isEmpty());
    m_message->setText(wrong);
}

void OpenDatabaseDialog::list()
{
    if (m_inquiry->isRunning()) {
        check();
        m_message->setText(tr("Listing was cancelled."));
        return;
    }
    if (isOfServer())
        m_server->commit();
    const std::string input = (isOfServer() ? m_server->address() : m_path->text().trimmed()).toStdString();
    const auto sessions = std::make_shared<std::optional<Result<std::vector<StoredSession>>>>();
    check();
    const Result<void> started =
        m_inquiry->start([sessions, input](const Inquiry::Stops &stops) { *sessions = storedSessions(input, stops); },
                         [this, sessions] { showSessions(**sessions); });
    if (!started)
        return showSessions(started.error());
    m_connect->setText(tr("&Stop"));
    m_connect->setDefault(false);  // a second Enter does not stop
    m_message->setText(tr("Connecting…"));
}

void OpenDatabaseDialog::showSessions(const Result<std::vector<StoredSession>> &sessions)
{
    check();
    if (!sessions) {
        m_message->setText(text(messageInDialog(sessions.error())));
        return;
    }
    m_sessions = *sessions;
    for (const StoredSession &session : m_sessions) {
        auto *item =
            new QTreeWidgetItem(m_list, {text(session.name), text(session.storedAt), format::count(session.events),
                                         format::count(session.coroutines), format::duration(session.ns),
                                         text(session.command), text(session.program)});
        for (int column = 0; column < m_list->columnCount(); ++column)
            item->setToolTip(column, format::verbatim(item->text(column)));
        for (const int column : kNumbers)
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    if (m_sessions.empty())
        m_message->setText(tr("This database has no sessions. Export a run to it first."));
    else
        m_list->setCurrentItem(m_list->topLevelItem(0));
    m_list->setFocus();
}

void OpenDatabaseDialog::submit()
{
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    if (row < 0 || m_list->selectedItems().isEmpty())
        return;
    Q_EMIT openRequested(QString::fromStdString(m_sessions[static_cast<std::size_t>(row)].input));
    accept();
}

void askForSession(QWidget *parent, std::function<void(const QString &input)> chosen)
{
    auto *dialog = new OpenDatabaseDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &OpenDatabaseDialog::openRequested, parent, std::move(chosen));
    dialog->open();
}

}  // namespace ct
