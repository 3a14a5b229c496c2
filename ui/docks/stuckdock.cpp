// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/stuckdock.h"

#include "core/target/printabletext.h"
#include "ui/docks/dockstyle.h"
#include "ui/format/colors.h"
#include "ui/format/format.h"
#include "ui/format/stuckformat.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

namespace ct {

namespace {

constexpr qint64 kSampleIntervalMs = 500;

}  // namespace

StuckDock::StuckDock(QWidget *parent)
    : QDockWidget(tr("Lost wake-ups"), parent),
      m_model(new StuckModel(this)),
      m_format(new StuckFormat(m_model, this)),
      m_pages(new QStackedWidget),
      m_tree(new QTreeView),
      m_empty(new QLabel),
      m_summary(new QLabel),
      m_notice(new QLabel(tr("This recording does not say which coroutines were destroyed: "
                             "some of the listed coroutines may no longer exist.")))
{
    setObjectName(QStringLiteral("stuckDock"));
    setUpTree();
    m_empty->setObjectName(QStringLiteral("stuckEmpty"));
    styleEmptyText(*m_empty);
    m_summary->setObjectName(QStringLiteral("stuckSummary"));
    m_summary->setMargin(6);
    m_summary->setWordWrap(true);
    m_notice->setObjectName(QStringLiteral("stuckNotice"));
    m_notice->setWordWrap(true);
    m_notice->setMargin(6);
    m_notice->hide();

    auto *list = new QWidget;
    auto *listLayout = new QVBoxLayout(list);
    listLayout->setContentsMargins(0, 0, 0, 0);
    listLayout->setSpacing(0);
    listLayout->addWidget(m_summary);
    listLayout->addWidget(m_notice);
    listLayout->addWidget(m_tree, 1);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(list);
    setWidget(m_pages);
    connect(m_model, &StuckModel::stuckCountChanged, this, &StuckDock::updateSummary);
}

void StuckDock::setUpTree()
{
    m_tree->setObjectName(QStringLiteral("stuckTree"));
    m_tree->setAccessibleName(tr("Lost wake-ups"));
    m_tree->setModel(m_format);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(14);
    m_tree->setAlternatingRowColors(true);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setColumnHidden(StuckModel::CountColumn, true);
    QHeaderView *header = m_tree->header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(40);
    header->setSectionResizeMode(StuckModel::WhereColumn, QHeaderView::Stretch);
    const int width = fontMetrics().horizontalAdvance(QStringLiteral("59.9 min")) + 8;
    header->resizeSection(StuckModel::LongestColumn, width);
    header->resizeSection(StuckModel::UsualColumn, width);
    // Expand the first group, the one with most coroutines.
    connect(m_format, &QAbstractItemModel::rowsInserted, m_tree, [this](const QModelIndex &parent, int first) {
        if (parent.isValid() && parent.row() == 0 && first == 0 && m_format->rowCount() == 1)
            m_tree->expand(parent);
        else if (!parent.isValid() && m_format->rowCount() == 1)
            m_tree->expand(m_format->index(0, 0));
    });
    connect(m_tree, &QTreeView::doubleClicked, this, &StuckDock::activate);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &now) {
        const QVariant id = now.data(StuckModel::CoroutineIdRole);
        if (!m_selecting && id.isValid() && id.toUInt() != kNoCoroutine)
            Q_EMIT coroutineSelected(id.toUInt());
    });
}

void StuckDock::setTrace(std::shared_ptr<Population> population, bool deathsKnown,
                         std::shared_ptr<AddressResolver> resolver)
{
    m_model->setResolver(resolver);
    m_format->setResolver(std::move(resolver));
    m_model->setPopulation(population.get());
    m_population = std::move(population);
    m_notice->setVisible(!deathsKnown);
    m_sinceSample.invalidate();
    updateSummary();
}

void StuckDock::sample()
{
    if (!m_population || (m_sinceSample.isValid() && m_sinceSample.elapsed() < kSampleIntervalMs))
        return;
    m_sinceSample.start();
    m_model->sample();
}

void StuckDock::updateSummary()
{
    const int count = m_model->stuckCount();
    m_pages->setCurrentIndex(count > 0 ? 1 : 0);
    setWindowTitle(count > 0 ? tr("Lost wake-ups (%1)").arg(format::count(static_cast<std::uint64_t>(count)))
                             : tr("Lost wake-ups"));
    const QString text =
        count == 1 ? tr("1 coroutine waits suspiciously long")
                   : tr("%1 coroutines wait suspiciously long").arg(format::count(static_cast<std::uint64_t>(count)));
    const QString before = m_before.isEmpty() ? QString() : tr("; %1").arg(m_before);
    m_summary->setText(QStringLiteral("<b style=\"color:%1\">%2</b> %3%4")
                           .arg(colorsFor(palette()).warningText.name(), text, m_instant, before));
    m_empty->setText(tr("No coroutine waits suspiciously long %1%2").arg(m_instant, before));
}

void StuckDock::setInstant(const QString &instant, const QString &before)
{
    if (instant == m_instant && before == m_before)
        return;
    m_instant = instant;
    m_before = before;
    m_sinceSample.invalidate();  // judge again soon: the count must match the text
    updateSummary();
}

void StuckDock::activate(const QModelIndex &index)
{
    if (!index.data(StuckModel::IsGroupRole).toBool())
        return;
    const std::optional<Site> site = m_format->shownLocationOf(m_format->mapToSource(index)).site;
    if (!site)
        return;
    QString text = format::fileName(*site);
    if (site->line != 0)
        text += u':' + QString::number(site->line);
    Q_EMIT siteActivated(text.isEmpty() ? printable(site->function) : text);
}

void StuckDock::select(CoroutineId coroutine)
{
    if (m_tree->currentIndex().data(StuckModel::CoroutineIdRole).toUInt() == coroutine)
        return;
    m_selecting = true;
    m_tree->selectionModel()->clearCurrentIndex();
    m_tree->clearSelection();
    m_selecting = false;
}

void StuckDock::changeEvent(QEvent *event)
{
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateSummary();
}

}  // namespace ct
