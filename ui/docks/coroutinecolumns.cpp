// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/coroutinecolumns.h"

#include "models/coroutinetablemodel.h"

#include <QEvent>
#include <QFontMetrics>
#include <QHeaderView>
#include <QMenu>
#include <QMetaEnum>
#include <QScopedValueRollback>
#include <QSettings>
#include <QTableView>

#include <algorithm>

namespace ct {

namespace {

using Model = CoroutineTableModel;

constexpr int kPadding = 11;        // pixels
constexpr int kNarrowestName = 16;  // in digits; used if all columns fit
constexpr int kNarrowestLocation = 22;
constexpr int kUsualName = 24;  // in digits; used if the table must scroll anyway
constexpr int kUsualLocation = 28;

int digitsOf(int column)
{
    switch (column) {
    case Model::IdColumn: return 6;
    case Model::NameColumn: return kNarrowestName;
    case Model::StateColumn: return 13;
    case Model::WhereColumn: return kNarrowestLocation;
    case Model::WaitsOnColumn: return 19;
    case Model::ThreadColumn: return 8;
    case Model::ProcessColumn: return 20;
    case Model::ParentColumn: return 14;
    case Model::LostColumn: return 7;
    case Model::SuspendedTimeColumn: return 10;
    default: return 8;
    }
}

/// True for columns that are shown only if they have content.
bool isShy(int column)
{
    return column == Model::WaitsOnColumn || column == Model::ProcessColumn || column == Model::ParentColumn;
}

bool isWantedByFew(int column)
{
    return column == Model::BirthColumn;
}

bool sharesTheRest(int column)
{
    return column == Model::NameColumn || column == Model::WhereColumn;
}

QString settingOf(int column)
{
    return QStringLiteral("coroutineTable/") + QLatin1String(QMetaEnum::fromType<Model::Columns>().valueToKey(column));
}

}  // namespace

CoroutineColumns::CoroutineColumns(QTableView *table)
    : QObject(table), m_table(table), m_menu(new QMenu(tr("&Columns"), table))
{
    m_menu->setObjectName(QStringLiteral("columnsMenu"));
    const QAbstractItemModel *model = table->model();
    for (int column = 0; column < model->columnCount(); ++column) {
        QAction *action = m_menu->addAction(model->headerData(column, Qt::Horizontal).toString().trimmed());
        action->setCheckable(true);
        action->setToolTip(model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        action->setData(column);
        // The id column cannot be hidden, so that the table has at least one column.
        action->setEnabled(column != Model::IdColumn);
        connect(action, &QAction::triggered, this, [this, column](bool shown) { choose(column, shown); });
        apply(column);
    }
    m_menu->setToolTipsVisible(true);
    QHeaderView *header = table->horizontalHeader();
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QHeaderView::customContextMenuRequested, this,
            [this, header](QPoint position) { m_menu->popup(header->mapToGlobal(position)); });
    connect(header, &QHeaderView::sectionResized, this, &CoroutineColumns::onResized);
    table->viewport()->installEventFilter(this);
}

void CoroutineColumns::setDigits(const QFontMetrics &digits)
{
    m_digitWidth = digits.horizontalAdvance(u'0');
    m_sizedByUser.fill(false);
    const QScopedValueRollback fitting(m_fitting, true);
    for (int column = 0; column < Model::ColumnCount; ++column)
        m_table->horizontalHeader()->resizeSection(column, digitsOf(column) * m_digitWidth + kPadding);
    fit();
}

void CoroutineColumns::setHasParents(bool has)
{
    setHas(Model::ParentColumn, has);
}

void CoroutineColumns::setHasWaits(bool has)
{
    setHas(Model::WaitsOnColumn, has);
}

void CoroutineColumns::setHasProcesses(bool has)
{
    setHas(Model::ProcessColumn, has);
}

void CoroutineColumns::setHasThreadNames(bool has)
{
    const QScopedValueRollback fitting(m_fitting, true);
    m_table->setColumnWidth(Model::ThreadColumn, (has ? 17 : digitsOf(Model::ThreadColumn)) * m_digitWidth + kPadding);
    fit();
}

void CoroutineColumns::setHas(int column, bool has)
{
    m_hasContents[static_cast<std::size_t>(column)] = has;
    apply(column);
}

void CoroutineColumns::choose(int column, bool shown)
{
    QSettings().setValue(settingOf(column), shown);
    apply(column);
}

void CoroutineColumns::apply(int column)
{
    const QVariant chosen = QSettings().value(settingOf(column));
    const bool usual = !isWantedByFew(column) && (!isShy(column) || m_hasContents[static_cast<std::size_t>(column)]);
    const bool shown = column == Model::IdColumn || (chosen.isValid() ? chosen.toBool() : usual);
    m_menu->actions().at(column)->setChecked(shown);
    if (m_table->isColumnHidden(column) != !shown) {
        m_table->setColumnHidden(column, !shown);
        fit();
    }
}

void CoroutineColumns::onResized(int column)
{
    if (m_fitting)
        return;
    if (sharesTheRest(column))
        m_sizedByUser[static_cast<std::size_t>(column)] = true;
    fit();
}

void CoroutineColumns::fit()
{
    const QScopedValueRollback fitting(m_fitting, true);
    const auto isFree = [this](int column) {
        return sharesTheRest(column) && !m_sizedByUser[static_cast<std::size_t>(column)] &&
               !m_table->isColumnHidden(column);
    };
    int rest = m_table->viewport()->width();
    for (int column = 0; column < Model::ColumnCount; ++column)
        rest -= isFree(column) ? 0 : m_table->columnWidth(column);  // 0 if hidden
    const auto pixels = [this](int digits) { return digits * m_digitWidth + kPadding; };
    const bool name = isFree(Model::NameColumn);
    const bool location = isFree(Model::WhereColumn);
    const bool fits = rest >= (name ? pixels(kNarrowestName) : 0) + (location ? pixels(kNarrowestLocation) : 0);
    if (name) {
        const int share = location ? std::max(rest * 2 / 5, pixels(kNarrowestName)) : rest;
        const int width = fits ? share : pixels(kUsualName);
        m_table->setColumnWidth(Model::NameColumn, width);
        rest -= width;
    }
    if (location)
        m_table->setColumnWidth(Model::WhereColumn, fits ? rest : pixels(kUsualLocation));
}

bool CoroutineColumns::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize)
        fit();
    return QObject::eventFilter(watched, event);
}

}  // namespace ct
