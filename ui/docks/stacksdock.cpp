// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/stacksdock.h"

#include "ui/docks/dockstyle.h"
#include "ui/format/format.h"
#include "ui/format/stacksformat.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeView>

#include <utility>

namespace ct {

namespace {

constexpr qint64 kSampleIntervalMs = 1000;
/// With more groups, new ones are not expanded.
constexpr int kMostExpanded = 100;

enum Pages { EmptyPage, TreePage };

}  // namespace

StacksDock::StacksDock(QWidget *parent)
    : QDockWidget(tr("Stacks"), parent),
      m_model(new StacksModel(this)),
      m_format(new StacksFormat(m_model, this)),
      m_pages(new QStackedWidget),
      m_tree(new QTreeView),
      m_empty(new QLabel)
{
    setObjectName(QStringLiteral("stacksDock"));
    setWhatsThis(
        tr("<p>The stacks of all coroutines that are alive, as in a dump of goroutines: which coroutine awaits "
           "which, the innermost first. Stacks that look alike are one entry.</p><p>Expand a line to list its "
           "coroutines. A double click selects a coroutine in all views.</p>"));
    setUpTree();
    m_empty->setObjectName(QStringLiteral("stacksEmpty"));
    addPages(*m_pages, m_empty, makeBar(), m_tree);
    setWidget(m_pages);
    connect(m_model, &StacksModel::sampled, this, &StacksDock::showSample);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible)
            m_model->sample();
    });
    showSample();
}

QWidget *StacksDock::makeBar()
{
    auto *bar = new QWidget;
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(6, 2, 4, 2);
    m_filter = new QLineEdit(bar);
    m_filter->setObjectName(QStringLiteral("stacksFilter"));
    m_filter->setAccessibleName(tr("Filter stacks"));
    m_filter->setPlaceholderText(tr("Filter: function, file or state"));
    m_filter->setClearButtonEnabled(true);
    layout->addWidget(m_filter, 1);
    m_summary = new QLabel(bar);
    m_summary->setObjectName(QStringLiteral("stacksSummary"));
    m_summary->setMinimumWidth(40);
    layout->addWidget(m_summary);
    m_copy = new QPushButton(tr("&Copy all stacks"), bar);
    m_copy->setObjectName(QStringLiteral("stacksCopy"));
    m_copy->setToolTip(tr("Copy all stacks as text, as in a report"));
    layout->addWidget(m_copy);
    connect(m_filter, &QLineEdit::textChanged, m_model, &StacksModel::setFilterText);
    connect(m_copy, &QPushButton::clicked, this, &StacksDock::copyAll);
    return bar;
}

void StacksDock::setUpTree()
{
    m_tree->setObjectName(QStringLiteral("stacksTree"));
    m_tree->setAccessibleName(tr("Stacks"));
    m_tree->setModel(m_format);
    styleTree(*m_tree);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    QHeaderView *header = m_tree->header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(40);
    header->setSectionResizeMode(StacksModel::StackColumn, QHeaderView::Stretch);
    header->resizeSection(StacksModel::LongestColumn, fontMetrics().horizontalAdvance(QStringLiteral("59.9 min")) + 16);
    auto *copy = new QAction(tr("Copy stack"), m_tree);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    m_tree->addAction(copy);
    connect(copy, &QAction::triggered, this, &StacksDock::copyCurrent);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &StacksDock::showMenu);
    connect(m_tree, &QTreeView::activated, this, &StacksDock::activate);
    connect(m_format, &QAbstractItemModel::rowsInserted, this, &StacksDock::rememberGroups);
    // Not with each current row: it also changes when rows disappear.
    connect(m_tree, &QTreeView::clicked, this, [this](const QModelIndex &now) {
        const QVariant id = now.data(StacksModel::CoroutineIdRole);
        if (id.isValid() && id.toUInt() != kNoCoroutine)
            Q_EMIT coroutineSelected(id.toUInt());
    });
}

void StacksDock::setTrace(std::shared_ptr<Population> population, std::shared_ptr<AddressResolver> resolver)
{
    m_format->setResolver(resolver);
    m_population = population;
    m_model->setTrace(std::move(population), std::move(resolver));
    m_sinceSample.invalidate();
}

void StacksDock::sample()
{
    if (!isVisible() || !m_population || (m_sinceSample.isValid() && m_sinceSample.elapsed() < kSampleIntervalMs))
        return;
    m_sinceSample.start();
    m_model->sample();
}

void StacksDock::showSample()
{
    const std::uint64_t count = m_model->stackCount();
    m_pages->setCurrentIndex(count > 0 ? TreePage : EmptyPage);
    m_empty->setText(m_population && m_population->size() > 0
                         ? tr("No coroutine is alive")
                         : tr("When a program runs, this view shows the stacks of its coroutines: which one awaits "
                              "which, and what the innermost one waits for"));
    QString text = count == 1 ? tr("1 stack") : tr("%1 stacks").arg(format::count(count));
    text += m_model->groupCount() == 1 ? tr(", 1 kind") : tr(", %1 kinds").arg(format::count(m_model->groupCount()));
    if (m_model->hiddenGroups() > 0)
        text += tr("; %1 kinds not shown").arg(format::count(m_model->hiddenGroups()));
    m_summary->setText(text);
}

/// Expands new groups later, because rows must not be expanded while rows are inserted. By then they may have moved.
void StacksDock::rememberGroups(const QModelIndex &parent, int first, int last)
{
    if (parent.isValid())
        return;
    if (m_toExpand.isEmpty())
        QMetaObject::invokeMethod(this, &StacksDock::expandGroups, Qt::QueuedConnection);
    for (int row = first; row <= last && row < kMostExpanded; ++row)
        m_toExpand.append(m_format->index(row, 0));
}

void StacksDock::expandGroups()
{
    for (const QPersistentModelIndex &group : std::exchange(m_toExpand, {}))
        m_tree->expand(group);
}

void StacksDock::activate(const QModelIndex &index)
{
    const QVariant id = index.data(StacksModel::CoroutineIdRole);
    if (id.isValid() && id.toUInt() != kNoCoroutine)
        Q_EMIT coroutineActivated(id.toUInt());
    else
        m_tree->setExpanded(index.siblingAtColumn(0), !m_tree->isExpanded(index.siblingAtColumn(0)));
}

void StacksDock::showMenu(const QPoint &position)
{
    auto *menu = new QMenu(m_tree);
    menu->setObjectName(QStringLiteral("stacksMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(m_tree->actions());
    menu->addAction(tr("Copy all stacks"), this, &StacksDock::copyAll);
    menu->popup(m_tree->viewport()->mapToGlobal(position));
}

QString StacksDock::text() const
{
    return QString::fromStdString(stacksText(m_model->stacks())).trimmed();
}

void StacksDock::copyAll() const
{
    QGuiApplication::clipboard()->setText(text() + u'\n');
}

void StacksDock::copyCurrent() const
{
    const QVariant text = m_tree->currentIndex().data(StacksModel::StackTextRole);
    if (text.isValid())
        QGuiApplication::clipboard()->setText(text.toString());
}

}  // namespace ct
