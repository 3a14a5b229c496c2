// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/creationdock.h"

#include "ui/docks/dockstyle.h"
#include "ui/format/colors.h"
#include "ui/format/creationformat.h"
#include "ui/format/format.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QTreeView>

namespace ct {

namespace {

constexpr qint64 kSampleIntervalMs = 100;

enum Pages { EmptyPage, TreePage };

}  // namespace

CreationDock::CreationDock(QWidget *parent)
    : QDockWidget(tr("Creation tree"), parent),
      m_model(new CreationTreeModel(this)),
      m_format(new CreationFormat(m_model, this)),
      m_pages(new QStackedWidget),
      m_tree(new QTreeView),
      m_empty(new QLabel)
{
    setObjectName(QStringLiteral("creationDock"));
    setWhatsThis(tr("<p>Each coroutine is below the one that created it: the coroutine that ran on the "
                    "thread of its birth, or the one that the target reports (<tt>set_parent</tt> "
                    "of the probe).</p><p>Press Right "
                    "or Left to open or close a row. Press Enter on the last row of a long "
                    "list to show more.</p>"));
    setUpTree();
    m_empty->setObjectName(QStringLiteral("creationEmpty"));
    addPages(*m_pages, m_empty, makeBar(), m_tree);
    setWidget(m_pages);
    connect(this, &QDockWidget::visibilityChanged, this, &CreationDock::onVisibilityChanged);
    applyLook();
    updateSummary();
}

QWidget *CreationDock::makeBar()
{
    auto *bar = new QWidget;
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(6, 2, 4, 2);
    m_summary = new QLabel(bar);
    m_summary->setObjectName(QStringLiteral("creationSummary"));
    m_summary->setMinimumWidth(40);
    m_summary->setToolTip(tr("Coroutines without a known parent or child are in no tree."));
    layout->addWidget(m_summary, 1);
    m_destroyed = new QCheckBox(tr("&Destroyed"), bar);
    m_destroyed->setObjectName(QStringLiteral("creationDestroyed"));
    m_destroyed->setToolTip(tr("Show destroyed coroutines as well"));
    layout->addWidget(m_destroyed);
    connect(m_destroyed, &QCheckBox::toggled, this, [this](bool shown) {
        m_model->setShowDestroyed(shown);
        m_revealed = kNoCoroutine;
        refresh();
    });
    return bar;
}

void CreationDock::setUpTree()
{
    m_tree->setObjectName(QStringLiteral("creationTree"));
    m_tree->setAccessibleName(tr("Creation tree"));
    m_tree->setModel(m_format);
    styleTree(*m_tree);
    m_tree->setExpandsOnDoubleClick(true);
    QHeaderView *header = m_tree->header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(40);
    header->setSectionResizeMode(CreationTreeModel::IdColumn, QHeaderView::Stretch);
    const auto width = [this](const QString &text) { return fontMetrics().horizontalAdvance(text) + 16; };
    header->resizeSection(CreationTreeModel::StateColumn, width(format::stateName(CoroutineState::Suspended)) + 12);
    header->resizeSection(CreationTreeModel::SinceColumn, width(QStringLiteral("59.9 min")));
    header->resizeSection(CreationTreeModel::ChildrenColumn, width(QStringLiteral("100 000")));
    // Expand the first tree. The connection is queued, because rows must not be loaded while rows are inserted.
    connect(
        m_format, &QAbstractItemModel::rowsInserted, m_tree,
        [this](const QModelIndex &parent) {
            if (!parent.isValid() && m_format->rowCount() == 1)
                m_tree->expand(m_format->index(0, 0));
        },
        Qt::QueuedConnection);
    connect(m_tree, &QTreeView::activated, this, &CreationDock::activate);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &now) {
        const QVariant id = now.data(CreationTreeModel::CoroutineIdRole);
        if (m_selecting || !id.isValid() || id.toUInt() == kNoCoroutine)
            return;
        m_selected = m_revealed = id.toUInt();
        Q_EMIT coroutineSelected(id.toUInt());
    });
}

void CreationDock::setTrace(std::shared_ptr<Population> population, bool runEnded,
                            std::shared_ptr<AddressResolver> resolver)
{
    m_format->setResolver(std::move(resolver));
    m_selected = m_revealed = kNoCoroutine;
    {
        const QScopedValueRollback selecting(m_selecting, true);
        m_model->setPopulation(population.get());
    }
    m_population = std::move(population);
    m_sinceSample.invalidate();
    m_destroyed->setChecked(runEnded);
    updateSummary();
}

void CreationDock::setRunEnded(bool runEnded)
{
    if (runEnded)
        m_destroyed->setChecked(true);
}

void CreationDock::sample()
{
    if (isVisible() && m_population && (!m_sinceSample.isValid() || m_sinceSample.elapsed() >= kSampleIntervalMs))
        refresh();
}

void CreationDock::refresh()
{
    m_sinceSample.start();
    m_model->sample();
    updateSummary();
    revealSelected();
}

void CreationDock::onVisibilityChanged(bool visible)
{
    if (visible && m_population)
        refresh();
}

void CreationDock::select(CoroutineId coroutine)
{
    m_selected = coroutine;
    if (isVisible())
        revealSelected();
}

void CreationDock::showCoroutine(CoroutineId coroutine)
{
    show();
    raise();
    m_selected = coroutine;
    m_revealed = kNoCoroutine;
    refresh();
    m_tree->setFocus(Qt::OtherFocusReason);
}

/// Reveals each selection once, so that the user can scroll and collapse the tree afterwards. Tries again while the
/// coroutine is not in the tree yet.
void CreationDock::revealSelected()
{
    if (m_selected == m_revealed)
        return;
    const QScopedValueRollback selecting(m_selecting, true);
    const QModelIndex index = m_format->mapFromSource(m_model->reveal(m_selected));
    if (!index.isValid()) {
        m_tree->selectionModel()->clear();
        return;
    }
    m_revealed = m_selected;
    for (QModelIndex up = index.parent(); up.isValid(); up = up.parent())
        m_tree->expand(up);
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
}

void CreationDock::activate(const QModelIndex &index)
{
    if (index.data(CreationTreeModel::MoreRole).toUInt() > 0)
        m_model->showMore(m_format->mapToSource(index));
}

void CreationDock::updateSummary()
{
    const std::uint64_t trees = m_model->treeCount();
    const std::uint64_t members = m_model->memberCount();
    const bool rows = m_format->rowCount() > 0;
    m_pages->setCurrentIndex(trees > 0 ? TreePage : EmptyPage);
    const std::uint64_t size = m_population ? m_population->size() : 0;
    QString empty = tr("When a program runs, this view shows which coroutine created which");
    if (size > 0)
        empty = m_model->isCaughtUp() ? tr("No coroutine was created by another one, as far as "
                                           "the probe has seen. To report creators that it "
                                           "does not see, call set_parent() of the probe.")
                                      : tr("Looking for parents…");
    if (m_empty->text() != empty)
        m_empty->setText(empty);
    QString text = trees == 1 ? tr("1 tree of %1").arg(format::coroutines(members))
                              : tr("%1 trees of %2").arg(format::count(trees), format::coroutines(members));
    if (!rows && trees > 0)
        text += tr(", all destroyed");
    if (size > members)
        text += tr("; %1 in none").arg(format::count(size - members));
    if (m_summary->text() != text)
        m_summary->setText(text);
}

void CreationDock::changeEvent(QEvent *event)
{
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyLook();
}

void CreationDock::applyLook()
{
    m_format->setLook(palette());
    m_tree->viewport()->update();
}

}  // namespace ct
