// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/recordingsdock.h"

#include "core/target/printabletext.h"
#include "ui/dialogs/capturesettings.h"
#include "ui/docks/dockstyle.h"
#include "ui/format/colors.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/format/recordingsformat.h"

#include <QAction>
#include <QDateTime>
#include <QDesktopServices>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace ct {

namespace {

constexpr int kRefreshMs = 1000;

enum Pages { EmptyPage, ListPage };

std::uint64_t realtimeNow()
{
    return static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch()) * 1'000'000;
}

QString recordings(std::uint64_t count)
{
    return count == 1 ? RecordingsDock::tr("1 recording")
                      : RecordingsDock::tr("%1 recordings").arg(format::count(count));
}

bool canBeDeleted(const RecordedRun &run)
{
    return run.state != RecordedRun::State::Recording && !run.isOpen;
}

/// Explains why none of the selected runs can be deleted.
QString whyKept(const std::vector<RecordedRun> &runs)
{
    if (runs.size() > 1)
        return RecordingsDock::tr(
            "These recordings cannot be deleted now: they are still being written, or open in a window; stop "
            "the captures, and close the windows");
    return runs.front().state == RecordedRun::State::Recording
               ? RecordingsDock::tr(
                     "This recording cannot be deleted now: it is still being written; stop the capture first")
               : RecordingsDock::tr(
                     "This recording cannot be deleted now: it is open in a window; close the window, or "
                     "open another recording there");
}

}  // namespace

RecordingsDock::RecordingsDock(const QString &directory, QWidget *parent)
    : QDockWidget(tr("Recordings"), parent),
      m_runsThread(new RecordedRunsThread(directory, this)),
      m_model(new RecordingsModel(this)),
      m_format(new RecordingsFormat(m_model, this)),
      m_pages(new QStackedWidget),
      m_table(new QTableView),
      m_empty(new QLabel),
      m_summary(new QLabel),
      m_freedSpace(new QLabel)
{
    setObjectName(QStringLiteral("recordingsDock"));
    setWhatsThis(tr("Recorded runs of this and other windows. The oldest recordings are "
                    "deleted to make room for new ones. To keep a recording, use Save As."));
    setUpTable();
    m_empty->setObjectName(QStringLiteral("recordingsEmpty"));
    styleEmptyText(*m_empty);
    m_freedSpace->setObjectName(QStringLiteral("recordingsFreedSpace"));
    m_freedSpace->setWordWrap(true);
    m_freedSpace->setMargin(6);
    m_freedSpace->hide();
    auto *list = new QWidget;
    auto *layout = new QVBoxLayout(list);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(m_freedSpace);
    layout->addWidget(m_table, 1);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(list);
    setWidget(m_pages);
    connect(m_runsThread, &RecordedRunsThread::listed, this, &RecordingsDock::onListed);
    connect(m_runsThread, &RecordedRunsThread::failedToList, this, [this](const QString &message) {
        m_empty->setText(message);
        m_pages->setCurrentIndex(EmptyPage);
    });
    connect(m_runsThread, &RecordedRunsThread::spaceFreed, this, &RecordingsDock::onSpaceFreed);
    connect(m_runsThread, &RecordedRunsThread::removed, this, [this](const QStringList &failures) {
        if (!failures.isEmpty())
            Q_EMIT failed(tr("Some recordings were not deleted"), failures.join(u'\n'));
    });
    m_timer.setInterval(kRefreshMs);
    connect(&m_timer, &QTimer::timeout, m_runsThread, &RecordedRunsThread::refresh);
    updateActions();
    updateTexts();
}

void RecordingsDock::setUpTable()
{
    m_table->setObjectName(QStringLiteral("recordingsTable"));
    m_table->setAccessibleName(tr("Recordings"));
    m_table->setModel(m_format);
    styleTable(*m_table);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    QHeaderView *header = m_table->horizontalHeader();
    header->setMinimumSectionSize(40);
    header->setStretchLastSection(false);
    header->setSectionResizeMode(RecordingsModel::NameColumn, QHeaderView::Stretch);
    const std::pair<int, QString> widest[] = {{RecordingsModel::BegunColumn, tr("%1 min ago").arg(59)},
                                              {RecordingsModel::DurationColumn, QStringLiteral("59 min 59 s")},
                                              {RecordingsModel::BytesColumn, QStringLiteral("99.9 MiB")},
                                              {RecordingsModel::EventsColumn, QStringLiteral("999.99 M")},
                                              {RecordingsModel::StateColumn, RecordingsFormat::tr("cannot be read")}};
    for (const auto &[column, text] : widest)
        header->resizeSection(column, fontMetrics().horizontalAdvance(text) + 16);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RecordingsModel::BegunColumn, Qt::DescendingOrder);
    connect(m_table, &QTableView::pressed, this, &RecordingsDock::hideFreedSpace);
    connect(m_table, &QTableView::doubleClicked, this, &RecordingsDock::open);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RecordingsDock::updateActions);
}

QWidget *RecordingsDock::makeBar()
{
    m_open = makeAction("recordingOpen", "open", tr("Open"), Qt::Key_Return, tr("Open the recording in this window"));
    m_open->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    m_save = makeAction("recordingSave", "export", tr("Save As…"), {}, tr("Save the recording as another file"));
    m_delete = makeAction("recordingDelete", "delete", tr("Delete"), QKeySequence::Delete,
                          tr("Delete the selected recordings"));
    m_folder = makeAction("recordingFolder", nullptr, tr("Show Folder"), {}, QString());
    m_folder->setToolTip(tr("Show %1").arg(directory()));
    m_deleteTip = m_delete->toolTip();
    connect(m_open, &QAction::triggered, this, &RecordingsDock::open);
    connect(m_save, &QAction::triggered, this, &RecordingsDock::save);
    connect(m_delete, &QAction::triggered, this, &RecordingsDock::askToDelete);
    connect(m_folder, &QAction::triggered, this, &RecordingsDock::showFolder);
    auto *bar = new QWidget;
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(6, 2, 6, 2);
    layout->setSpacing(4);
    m_summary->setObjectName(QStringLiteral("recordingsSummary"));
    layout->addWidget(m_summary, 1);
    for (QAction *action : {m_open, m_save, m_delete, m_folder}) {
        auto *button = new QToolButton(bar);
        button->setObjectName(action->objectName() + QStringLiteral("Button"));
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        layout->addWidget(button);
    }
    return bar;
}

/// Adds an action to the table: its shortcut works while the table has the focus.
QAction *RecordingsDock::makeAction(const char *name, const char *icon, const QString &text,
                                    const QKeySequence &shortcut, const QString &toolTip)
{
    auto *action = new QAction(text, m_table);
    action->setObjectName(QLatin1String(name));
    if (icon)
        action->setIcon(icons::icon(QLatin1String(icon)));
    action->setShortcut(shortcut);
    action->setShortcutContext(Qt::WidgetShortcut);
    action->setToolTip(shortcut.isEmpty()
                           ? toolTip
                           : QStringLiteral("%1 (%2)").arg(toolTip, shortcut.toString(QKeySequence::NativeText)));
    m_table->addAction(action);
    return action;
}

void RecordingsDock::freeSpace(std::uint64_t limit, std::uint64_t most)
{
    m_most = most;
    hideFreedSpace();
    m_runsThread->freeSpace(most - std::min(limit, most));
}

void RecordingsDock::showEvent(QShowEvent *event)
{
    QDockWidget::showEvent(event);
    m_runsThread->refresh();
    m_timer.start();
}

void RecordingsDock::hideEvent(QHideEvent *event)
{
    QDockWidget::hideEvent(event);
    m_timer.stop();
}

void RecordingsDock::changeEvent(QEvent *event)
{
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateTexts();
}

void RecordingsDock::onListed(const std::vector<RecordedRun> &runs)
{
    m_listed = true;
    m_model->setRuns(runs);
    m_format->setNow(realtimeNow());
    updateTexts();
    updateActions();
}

void RecordingsDock::onSpaceFreed(const FreedSpace &freed)
{
    if (!freed.failures.empty()) {
        QStringList texts;
        for (const std::string &failure : freed.failures)
            texts << printable(failure);
        m_freedSpace->setText(
            tr("Older recordings could not be deleted to make room: %1").arg(texts.join(QStringLiteral("; "))));
    } else if (freed.runs > 0) {
        const QDateTime latest = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(freed.latest / 1'000'000));
        m_freedSpace->setText(tr("%1 from %2 and before (%3) were deleted to stay below %4.")
                                  .arg(recordings(freed.runs),
                                       QLocale().toString(latest, QStringLiteral("yyyy-MM-dd HH:mm")),
                                       format::bytes(freed.bytes), format::bytes(m_most)));
    } else {
        return;
    }
    m_freedSpace->show();
}

/// Hides the message about deleted recordings.
void RecordingsDock::hideFreedSpace()
{
    m_freedSpace->hide();
    updateTexts();
}

std::vector<RecordedRun> RecordingsDock::selected() const
{
    std::vector<RecordedRun> runs;
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    for (const QModelIndex &row : rows)
        runs.push_back(m_model->run(m_format->mapToSource(row).row()));
    return runs;
}

void RecordingsDock::open()
{
    hideFreedSpace();
    const std::vector<RecordedRun> runs = selected();
    if (runs.size() == 1)
        Q_EMIT openRequested(QFile::decodeName(runs.front().files.front().c_str()));
}

void RecordingsDock::save()
{
    hideFreedSpace();
    const std::vector<RecordedRun> runs = selected();
    if (runs.size() != 1)
        return;
    const QString path = QFile::decodeName(runs.front().path.c_str());
    Q_EMIT saveRequested(path, QFileInfo(path).fileName());
}

void RecordingsDock::askToDelete()
{
    hideFreedSpace();
    std::vector<std::string> paths;
    std::uint64_t bytes = 0;
    QString name;
    for (const RecordedRun &run : selected()) {
        if (!canBeDeleted(run))
            continue;
        paths.push_back(run.path);
        bytes += run.bytes;
        name = format::shortened(format::targetName(run.name), 60);
    }
    if (paths.empty())
        return;
    auto *box = new QMessageBox(QMessageBox::Question, tr("Delete recordings"),
                                paths.size() == 1 ? tr("Delete the recording of %1?").arg(name)
                                                  : tr("Delete %1?").arg(recordings(paths.size())),
                                QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("deleteRecordingsBox"));
    box->setTextFormat(Qt::PlainText);
    box->setIconPixmap(icons::icon(QStringLiteral("delete"), colorsFor(palette()).accent).pixmap(QSize(40, 40)));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("This frees %1. It cannot be undone.").arg(format::bytes(bytes)));
    QPushButton *yes = box->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
    yes->setObjectName(QStringLiteral("deleteButton"));
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(box, &QMessageBox::buttonClicked, this, [this, yes, paths](const QAbstractButton *button) {
        if (button == yes)
            m_runsThread->remove(paths);
    });
    box->open();
}

void RecordingsDock::showFolder()
{
    QString existing = directory();
    while (!existing.isEmpty() && !QFileInfo::exists(existing) && existing != QLatin1String("/"))
        existing = QFileInfo(existing).path();
    if (existing.isEmpty() || !QDesktopServices::openUrl(QUrl::fromLocalFile(existing)))
        Q_EMIT failed(tr("No file manager could be started"), tr("The recordings are in %1").arg(directory()));
}

void RecordingsDock::updateActions()
{
    const std::vector<RecordedRun> runs = selected();
    const bool one = runs.size() == 1;
    m_open->setEnabled(one && runs.front().state != RecordedRun::State::Unreadable);
    m_save->setEnabled(m_open->isEnabled());
    m_delete->setEnabled(std::any_of(runs.begin(), runs.end(), canBeDeleted));
    m_delete->setToolTip(runs.empty() || m_delete->isEnabled() ? m_deleteTip : whyKept(runs));
}

void RecordingsDock::updateTexts()
{
    const auto count = static_cast<std::uint64_t>(m_model->rowCount());
    m_summary->setText(tr("%1, %2").arg(recordings(count), format::bytes(m_model->bytes())));
    m_pages->setCurrentIndex(count > 0 || m_freedSpace->isVisibleTo(m_pages) ? ListPage : EmptyPage);
    if (!m_listed)
        return;
    m_empty->setText(CaptureSettings::load(QSettings()).record
                         ? tr("No run was recorded yet.\nThis window writes its recordings to "
                              "%1.")
                               .arg(directory())
                         : tr("No run was recorded: recording is switched off.\nTo switch it "
                              "on, use Run… > Capture."));
}

}  // namespace ct
