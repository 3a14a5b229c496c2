// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/findingsfilter.h"

#include "models/findingsmodel.h"

#include <utility>

namespace ct {

using Model = FindingsModel;

namespace {

qulonglong sinceOf(const QModelIndex &index)
{
    return index.data(Model::SinceRole).toULongLong();
}

}  // namespace

std::set<Rule> lostWakeupRules()
{
    return {Rule::LostWakeup, Rule::LostWakeRace};
}

FindingsFilter::FindingsFilter(QObject *parent) : QSortFilterProxyModel(parent)
{
    setSortRole(Model::SortRole);
}

void FindingsFilter::setRules(std::set<Rule> rules)
{
    m_rules = std::move(rules);
    invalidateFilter();
}

void FindingsFilter::setShowsInformation(bool shows)
{
    m_showsInformation = shows;
    invalidateFilter();
}

void FindingsFilter::setMuted(KnownFindings muted)
{
    m_muted = std::move(muted);
    invalidateFilter();
}

void FindingsFilter::setShowsMuted(bool shows)
{
    m_showsMuted = shows;
    invalidateFilter();
}

bool FindingsFilter::isMuted(const QModelIndex &source) const
{
    return !m_muted.isEmpty() && m_muted.cover(source.data(Model::FingerprintRole).toString().toStdString(),
                                               static_cast<Severity>(source.data(Model::SeverityRole).toInt()));
}

bool FindingsFilter::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    if (parent.isValid())
        return true;  // the coroutines of a shown finding
    const QModelIndex finding = sourceModel()->index(row, 0);
    if (!m_rules.empty() && m_rules.count(static_cast<Rule>(finding.data(Model::RuleRole).toInt())) == 0)
        return false;
    if (!m_showsInformation && finding.data(Model::SeverityRole).toInt() == static_cast<int>(Severity::Info))
        return false;
    return m_showsMuted || !isMuted(finding);
}

/// Findings of equal value are sorted by their number of coroutines. The coroutines of a finding come with the earliest
/// first, unless sorted by their ids or times.
bool FindingsFilter::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const bool isAscending = sortOrder() == Qt::AscendingOrder;
    if (!left.data(Model::IsFindingRole).toBool()) {
        const bool isOwn = left.column() == Model::WhereColumn || left.column() == Model::SinceColumn;
        if (isOwn)
            return left.data(Model::SortRole).toULongLong() < right.data(Model::SortRole).toULongLong();
        return isAscending ? sinceOf(left) < sinceOf(right) : sinceOf(right) < sinceOf(left);
    }
    const QVariant a = left.data(Model::SortRole);
    const QVariant b = right.data(Model::SortRole);
    if (a != b)
        return QVariant::compare(a, b) == QPartialOrdering::Less;
    const int countA = left.data(Model::CountRole).toInt();
    const int countB = right.data(Model::CountRole).toInt();
    if (countA != countB)
        return countA < countB;
    return isAscending ? sinceOf(left) < sinceOf(right) : sinceOf(right) < sinceOf(left);
}

}  // namespace ct
