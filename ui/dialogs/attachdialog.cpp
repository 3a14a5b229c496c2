// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/attachdialog.h"

#include "core/target/printabletext.h"
#include "ui/format/colors.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"

#include <QDateTime>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace ct {

namespace {

enum Columns { FileColumn, KindColumn, TargetColumn, OwnerColumn, StationsColumn, SizeColumn, AgeColumn, ColumnCount };

constexpr int kPathRole = Qt::UserRole;
constexpr int kLeftOverRole = Qt::UserRole + 1;
/// Most targets shown for one region. A hostile process table has 65,536 entries.
constexpr qsizetype kMostTargets = 8;

QString targetsText(const RegionInfo &region)
{
    QStringList texts;
    for (std::size_t i = 0; i < region.targets.size(); ++i) {
        const QString name = i < region.targetNames.size() ? printable(region.targetNames[i]) : QString();
        texts << (name.isEmpty() ? QString::number(region.targets[i])
                                 : QStringLiteral("%1 (%2)").arg(name).arg(region.targets[i]));
    }
    for (const RegionUser &user : region.unknownUsers)
        texts << AttachDialog::tr("%1 of another user or container, may be alive")
                     .arg(user.name.empty() ? QString::number(user.pid)
                                            : QStringLiteral("%1 (%2)").arg(printable(user.name)).arg(user.pid));
    if (const qsizetype further = texts.size() - kMostTargets; further > 0) {
        texts.resize(kMostTargets);
        texts << AttachDialog::tr("and %1 more").arg(further);
    }
    return texts.isEmpty() ? AttachDialog::tr("none alive") : texts.join(QStringLiteral(", "));
}

QString ownerText(const RegionInfo &region)
{
    if (region.owner == 0)
        return AttachDialog::tr("free");
    return region.owner < 0 ? AttachDialog::tr("in use") : AttachDialog::tr("process %1").arg(region.owner);
}

QString kindText(const RegionInfo &region)
{
    if (!region.flightRecorder)
        return region.hasExtension ? AttachDialog::tr("Capture") : AttachDialog::tr("Other engine");
    if (region.targets.empty() && !region.unknownUsers.empty())
        return AttachDialog::tr("Flight recorder, may be alive");
    return region.targets.empty() ? AttachDialog::tr("Flight recorder, ended")
                                  : AttachDialog::tr("Flight recorder, alive");
}

QString kindToolTip(const RegionInfo &region)
{
    if (!region.flightRecorder)
        return region.hasExtension ? AttachDialog::tr("Made by this program to capture a target")
                                   : AttachDialog::tr("Made by another program");
    return region.targets.empty() && region.unknownUsers.empty()
               ? AttachDialog::tr("Flight recorder of a target that has ended: attach to read "
                                  "its latest history")
               : AttachDialog::tr("Flight recorder of a target: attach to see its latest "
                                  "history and new events");
}

QString ageText(std::uint64_t modifiedRealtimeNs)
{
    const std::uint64_t now = static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch()) * 1'000'000;
    const std::uint64_t seconds = now > modifiedRealtimeNs ? (now - modifiedRealtimeNs) / 1'000'000'000 : 0;
    return seconds == 0 ? AttachDialog::tr("just now")
                        : AttachDialog::tr("%1 ago").arg(format::duration(seconds * 1'000'000'000));
}

}  // namespace

AttachDialog::AttachDialog(QWidget *parent)
    : QDialog(parent), m_table(new QTreeWidget(this)), m_message(new QLabel(this))
{
    setObjectName(QStringLiteral("attachDialog"));
    setWindowTitle(tr("Attach"));
    resize(1100, 360);
    setUpTable();
    m_message->setObjectName(QStringLiteral("attachMessage"));
    m_message->setWordWrap(true);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_attach = buttons->addButton(tr("&Attach"), QDialogButtonBox::AcceptRole);
    m_attach->setObjectName(QStringLiteral("attachButton"));
    m_attach->setDefault(true);
    m_delete = buttons->addButton(tr("&Delete unused"), QDialogButtonBox::ActionRole);
    m_delete->setObjectName(QStringLiteral("deleteButton"));
    m_delete->setIcon(icons::icon(QStringLiteral("delete")));
    auto *refreshButton = buttons->addButton(tr("&Refresh"), QDialogButtonBox::ActionRole);
    refreshButton->setObjectName(QStringLiteral("refreshButton"));
    refreshButton->setIcon(icons::icon(QStringLiteral("refresh")));
    auto *browseButton = buttons->addButton(tr("&Browse…"), QDialogButtonBox::ActionRole);
    browseButton->setObjectName(QStringLiteral("browseButton"));
    browseButton->setIcon(icons::icon(QStringLiteral("open")));

    auto *layout = new QVBoxLayout(this);
    layout->addWidget(new QLabel(tr("Regions on this machine. If you attach to a region "
                                    "without an owner, this window becomes its owner. The "
                                    "other regions are only read."),
                                 this));
    layout->addWidget(m_table);
    layout->addWidget(m_message);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &AttachDialog::attachSelected);
    connect(buttons, &QDialogButtonBox::rejected, this, &AttachDialog::reject);
    connect(m_delete, &QPushButton::clicked, this, &AttachDialog::deleteSelected);
    connect(refreshButton, &QPushButton::clicked, this, &AttachDialog::refresh);
    connect(browseButton, &QPushButton::clicked, this, &AttachDialog::browse);
    refresh();
}

void AttachDialog::setUpTable()
{
    m_table->setObjectName(QStringLiteral("regionTable"));
    m_table->setAccessibleName(tr("Regions"));
    m_table->setRootIsDecorated(false);
    m_table->setAlternatingRowColors(true);
    m_table->setUniformRowHeights(true);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->headerItem()->setToolTip(StationsColumn, tr("Stations used, of all stations that the "
                                                         "region has now"));
    m_table->setHeaderLabels(
        {tr("File"), tr("Kind"), tr("Targets"), tr("Owner"), tr("Coroutines"), tr("Size"), tr("Last change")});
    for (const int column : {StationsColumn, SizeColumn, AgeColumn})
        m_table->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    QHeaderView *header = m_table->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(FileColumn, QHeaderView::Stretch);
    const auto width = [this](int characters) { return fontMetrics().horizontalAdvance(u'0') * characters + 16; };
    header->resizeSection(KindColumn, width(20));
    header->resizeSection(TargetColumn, width(19));
    header->resizeSection(OwnerColumn, width(12));
    header->resizeSection(StationsColumn, width(18));
    header->resizeSection(SizeColumn, width(8));
    header->resizeSection(AgeColumn, width(13));
    connect(m_table, &QTreeWidget::itemSelectionChanged, this, &AttachDialog::applySelection);
    connect(m_table, &QTreeWidget::itemDoubleClicked, this, &AttachDialog::attachSelected);
}

void AttachDialog::refresh()
{
    const QString selected = selectedPath();
    m_table->clear();
    for (const RegionInfo &region : listRegions())
        showRegion(region);
    for (int row = 0; row < m_table->topLevelItemCount(); ++row)
        if (row == 0 || m_table->topLevelItem(row)->data(0, kPathRole).toString() == selected)
            m_table->setCurrentItem(m_table->topLevelItem(row));
    m_message->setText(m_table->topLevelItemCount() == 0
                           ? tr("No region was found. A target makes a region by itself only "
                                "as a flight recorder (CTP_FLIGHT_RECORDER=1). Use Run to "
                                "start a target, or Browse to choose a file.")
                           : QString());
    applySelection();
}

void AttachDialog::showRegion(const RegionInfo &region)
{
    auto *item = new QTreeWidgetItem(m_table);
    const QString path = QString::fromStdString(region.path);
    const QString targets = targetsText(region);
    item->setText(FileColumn, printable(path));
    item->setText(KindColumn, kindText(region));
    item->setToolTip(KindColumn, kindToolTip(region));
    item->setText(TargetColumn, targets);
    item->setText(OwnerColumn, ownerText(region));
    // Compact stations are added on demand, so only version-1 stations have a useful maximum.
    const bool compact = region.compactStations != 0 || region.stationsMax == 0;
    const QString stationCount =
        format::count(compact ? region.compactStations + region.stationsAllocated : region.stationsAllocated);
    item->setText(StationsColumn,
                  compact ? stationCount : tr("%1 of %2").arg(stationCount, format::count(region.stationsMax)));
    item->setText(SizeColumn, format::bytes(region.bytesUsed));
    item->setText(AgeColumn, ageText(region.modifiedRealtimeNs));
    item->setToolTip(FileColumn, format::verbatim(printable(path)));
    item->setToolTip(TargetColumn, format::verbatim(targets));
    for (const int column : {StationsColumn, SizeColumn, AgeColumn})
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    item->setData(0, kPathRole, path);
    item->setData(0, kLeftOverRole,
                  region.hasExtension && region.owner == 0 && region.targets.empty() && region.unknownUsers.empty());
}

QString AttachDialog::selectedPath() const
{
    const QTreeWidgetItem *item = m_table->currentItem();
    return item ? item->data(0, kPathRole).toString() : QString();
}

void AttachDialog::applySelection()
{
    const QTreeWidgetItem *item = m_table->currentItem();
    m_attach->setEnabled(item);
    m_delete->setEnabled(item && item->data(0, kLeftOverRole).toBool());
    m_delete->setToolTip(m_delete->isEnabled() ? QString()
                                               : tr("Only a region that this program made, and "
                                                    "that no process uses, can be deleted."));
}

void AttachDialog::attachSelected()
{
    const QString path = selectedPath();
    if (path.isEmpty())
        return;
    Q_EMIT attachRequested(path);
    accept();
}

void AttachDialog::deleteSelected()
{
    const QString path = selectedPath();
    const Result<void> deleted = deleteRegion(path.toStdString());
    refresh();
    if (!deleted)
        m_message->setText(
            QStringLiteral("<span style=\"color:%1\">%2</span>")
                .arg(colorsFor(palette()).warningText.name(), printable(deleted.error().message).toHtmlEscaped()));
}

void AttachDialog::browse()
{
    auto *dialog = new QFileDialog(this, tr("Attach to a region file"));
    dialog->setObjectName(QStringLiteral("attachFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("cTP regions (*.shm)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        Q_EMIT attachRequested(path);
        accept();
    });
    dialog->open();
}

}  // namespace ct
