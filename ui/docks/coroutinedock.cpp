// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/coroutinedock.h"

#include "ui/docks/coroutinecolumns.h"
#include "ui/docks/dockstyle.h"
#include "ui/format/colors.h"
#include "ui/format/coroutineformat.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/widgets/startpage.h"

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace ct {

namespace {

/// Separates a left-aligned text from the right-aligned number before it.
class IndentedDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->decorationSize = QSize(4, 1);
        if (index.column() == CoroutineTableModel::NameColumn)
            option->textElideMode = Qt::ElideLeft;  // names often begin with the same scopes
    }
};

constexpr CoroutineState kStates[] = {CoroutineState::Created,   CoroutineState::Runnable, CoroutineState::Running,
                                      CoroutineState::Suspended, CoroutineState::Finished, CoroutineState::Destroyed,
                                      CoroutineState::Unknown};

}  // namespace

CoroutineDock::CoroutineDock(StartPage *startPage, QWidget *parent)
    : QDockWidget(tr("Coroutines"), parent),
      m_model(new CoroutineTableModel(this)),
      m_format(new CoroutineFormat(m_model, this)),
      m_table(new QTableView),
      m_pages(new QStackedWidget)
{
    setObjectName(QStringLiteral("coroutineDock"));
    auto *content = new QWidget(this);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    setUpTable();
    auto *tablePage = new QWidget;
    auto *tableLayout = new QVBoxLayout(tablePage);
    tableLayout->setContentsMargins(0, 0, 0, 0);
    tableLayout->setSpacing(0);
    tableLayout->addWidget(makeFilterBar());
    tableLayout->addWidget(m_table);
    m_pages->addWidget(startPage);
    m_pages->addWidget(tablePage);
    layout->addWidget(m_pages);
    setWidget(content);
    connect(m_model, &CoroutineTableModel::orderChanged, this, &CoroutineDock::rowsChanged);
    applyLook();
}

void CoroutineDock::setUpTable()
{
    m_table->setObjectName(QStringLiteral("coroutineTable"));
    m_table->setAccessibleName(tr("Coroutines"));
    m_table->setModel(m_format);
    styleTable(*m_table);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    for (const int column : {CoroutineTableModel::NameColumn, CoroutineTableModel::WhereColumn,
                             CoroutineTableModel::ProcessColumn, CoroutineTableModel::ParentColumn})
        m_table->setItemDelegateForColumn(column, new IndentedDelegate(m_table));
    QHeaderView *header = m_table->horizontalHeader();
    header->setSectionsMovable(true);
    header->setMinimumSectionSize(32);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(CoroutineTableModel::IdColumn, Qt::AscendingOrder);
    m_columns = new CoroutineColumns(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &now) {
        if (m_selecting || !now.isValid())
            return;
        m_awaited = kNoCoroutine;  // the user chose another one
        Q_EMIT coroutineSelected(m_model->idAt(now.row()));
    });
}

QWidget *CoroutineDock::makeFilterBar()
{
    auto *bar = new QWidget;
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->setSpacing(4);
    m_filter = new QLineEdit(bar);
    m_filter->setObjectName(QStringLiteral("coroutineFilter"));
    m_filter->setPlaceholderText(tr("Filter by name, function, file or id"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(icons::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_filter->setMinimumWidth(120);
    layout->addWidget(m_filter, 1);
    for (const CoroutineState state : kStates) {
        QToolButton *button = addToggle(bar, format::stateName(state),
                                        tr("Show coroutines in the state “%1”").arg(format::stateName(state)));
        button->setObjectName(QStringLiteral("stateFilter%1").arg(static_cast<int>(state)));
        connect(button, &QToolButton::toggled, this, &CoroutineDock::applyStates);
        m_states.push_back(button);
    }
    m_generators =
        addToggle(bar, tr("Expand generators"),
                  tr("Show each generator in a row of its own, and not one row for each generator function"));
    m_generators->setObjectName(QStringLiteral("expandGenerators"));
    m_generators->setChecked(false);
    connect(m_generators, &QToolButton::toggled, this, &CoroutineDock::applyNoteKinds);
    m_count = new QLabel(bar);
    m_count->setObjectName(QStringLiteral("coroutineCount"));
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layout->addWidget(m_count);
    connect(m_filter, &QLineEdit::textChanged, m_model, &CoroutineTableModel::setTextFilter);
    return bar;
}

QToolButton *CoroutineDock::addToggle(QWidget *bar, const QString &text, const QString &toolTip)
{
    auto *button = new QToolButton(bar);
    button->setText(text);
    button->setToolTip(toolTip);
    button->setCheckable(true);
    button->setChecked(true);
    button->setAutoRaise(true);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->layout()->addWidget(button);
    return button;
}

void CoroutineDock::applyStates()
{
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < m_states.size(); ++i)
        if (m_states[i]->isChecked())
            mask |= stateBit(kStates[i]);
    m_model->setStateMask(mask);
}

void CoroutineDock::setTrace(std::shared_ptr<Population> population, std::shared_ptr<AddressResolver> resolver)
{
    m_model->setPopulation(population.get());
    m_format->setTrace(std::move(resolver));
    m_noteKinds.setPopulation(population.get());
    m_awaited = kNoCoroutine;
    m_population = std::move(population);  // the model no longer uses the old population
    applyNoteKinds();
    m_pages->setCurrentIndex(0);
    updateCount();
    Q_EMIT rowsChanged();
}

void CoroutineDock::setSuspects(std::shared_ptr<const Suspects> suspects)
{
    m_format->setSuspects(std::move(suspects));
}

void CoroutineDock::setOrigin(std::uint64_t origin)
{
    m_format->setOrigin(origin);
}

void CoroutineDock::setPaused(bool paused)
{
    m_model->setPaused(paused);
}

void CoroutineDock::sample()
{
    m_format->sample();
    m_model->sample();
    if (m_awaited != kNoCoroutine)
        select(m_awaited);
    if (m_noteKinds.sample())
        applyNoteKinds();
    if (m_pages->currentIndex() == 0 && m_population && m_population->size() > 0)
        m_pages->setCurrentIndex(1);
    updateCount();
}

void CoroutineDock::applyNoteKinds()
{
    m_columns->setHasParents(m_noteKinds.foundParents());
    m_columns->setHasWaits(m_noteKinds.foundWaits());
    m_columns->setHasProcesses(m_noteKinds.foundProcesses());
    m_columns->setHasThreadNames(m_noteKinds.foundThreadNames());
    // A table without groups does not have to be ordered again when coroutines change.
    m_generators->setVisible(m_noteKinds.foundGenerators());
    m_model->setGeneratorsGrouped(m_noteKinds.foundGenerators() && !m_generators->isChecked());
}

std::vector<CoroutineId> CoroutineDock::selectedCoroutines() const
{
    std::vector<CoroutineId> ids;
    for (const QModelIndex &row : m_table->selectionModel()->selectedRows())
        ids.push_back(m_model->idAt(row.row()));
    std::sort(ids.begin(), ids.end());
    return ids;
}

QMenu *CoroutineDock::columnsMenu() const
{
    return m_columns->menu();
}

void CoroutineDock::updateCount()
{
    const std::uint64_t total = m_population ? m_population->size() : 0;
    const auto shown = static_cast<std::uint64_t>(m_model->rowCount());
    const QString text =
        shown == total ? format::coroutines(total) : tr("%1 of %2").arg(format::count(shown), format::count(total));
    if (m_count->text() != text)
        m_count->setText(text);
}

void CoroutineDock::select(CoroutineId coroutine)
{
    const int row = coroutine == kNoCoroutine ? -1 : m_model->rowShowing(coroutine);
    m_awaited = row < 0 ? coroutine : kNoCoroutine;
    const QModelIndex index = row < 0 ? QModelIndex() : m_format->index(row, CoroutineTableModel::IdColumn);
    if (index.row() == m_table->currentIndex().row())
        return;
    m_selecting = true;
    m_table->setCurrentIndex(index);
    if (index.isValid())
        m_table->scrollTo(index);
    else
        m_table->clearSelection();
    m_selecting = false;
}

void CoroutineDock::setFilterText(const QString &text)
{
    m_filter->setText(text);
}

void CoroutineDock::focusFilter()
{
    show();
    raise();
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void CoroutineDock::changeEvent(QEvent *event)
{
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        applyLook();
}

void CoroutineDock::applyLook()
{
    if (m_states.empty())
        return;  // still being constructed
    QFont digits = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    digits.setPointSizeF(font().pointSizeF());
    m_format->setLook(palette(), digits);
    const Colors &colors = colorsFor(palette());
    for (std::size_t i = 0; i < m_states.size(); ++i)
        m_states[i]->setIcon(QIcon(icons::dot(stateColor(colors, kStates[i]), 12, devicePixelRatioF())));
    const QFontMetrics metrics(digits);
    m_table->verticalHeader()->setDefaultSectionSize(std::max(metrics.height(), fontMetrics().height()) + 6);
    m_columns->setDigits(metrics);
    applyNoteKinds();
}

}  // namespace ct
