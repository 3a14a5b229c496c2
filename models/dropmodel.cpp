// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/dropmodel.h"

#include <algorithm>

namespace ct {

void DropModel::setPopulation(const Population *population)
{
    beginResetModel();
    m_population = population;
    m_drops.clear();
    m_total = 0;
    endResetModel();
    sample();
}

void DropModel::sample()
{
    if (!m_population || m_population->dropCount() == m_total)
        return;
    std::uint64_t total = 0;
    std::vector<Drop> drops;
    do {  // repeat until the count matches the copy; drops are rare
        total = m_population->dropCount();
        drops = m_population->drops();
    } while (total != m_population->dropCount());
    const std::size_t fresh = std::min(static_cast<std::size_t>(total - m_total), drops.size());
    const std::size_t kept = std::min(m_drops.size(), drops.size() - fresh);
    m_total = total;
    if (fresh == 0)
        return;
    if (kept < m_drops.size()) {
        beginRemoveRows({}, static_cast<int>(kept), static_cast<int>(m_drops.size()) - 1);
        m_drops.resize(kept);
        endRemoveRows();
    }
    beginInsertRows({}, 0, static_cast<int>(fresh) - 1);
    for (auto drop = drops.end() - static_cast<std::ptrdiff_t>(fresh); drop != drops.end(); ++drop)
        m_drops.push_front(*drop);
    endInsertRows();
}

int DropModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_drops.size());
}

int DropModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DropModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Drop &drop = m_drops[static_cast<std::size_t>(index.row())];
    const auto number = [](std::uint64_t value) { return QVariant::fromValue<qulonglong>(value); };
    if (role == ThreadRole)
        return drop.tid;
    if (role == PidRole)
        return drop.pid;
    if (role != Qt::DisplayRole && role != SortRole)
        return {};
    switch (index.column()) {
    case TimeColumn: return number(drop.firstTs);
    case LengthColumn: return number(drop.lastTs > drop.firstTs ? drop.lastTs - drop.firstTs : 0);
    case RecordsColumn: return number(drop.records);
    case ThreadColumn: return drop.tid;
    case ProcessColumn: return drop.pid;
    default: return {};
    }
}

QVariant DropModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case TimeColumn: return tr("Time");
    case LengthColumn: return tr("Length");
    case RecordsColumn: return tr("Records");
    case ThreadColumn: return tr("Thread");
    case ProcessColumn: return tr("Process");
    default: return {};
    }
}

}  // namespace ct
