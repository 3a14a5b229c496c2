// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/findingsmodel.h"

#include "models/rowchanges.h"

#include <QMetaEnum>

#include <algorithm>
#include <utility>

namespace ct {

/// One lasting state of a coroutine; a later one of the same coroutine is another child. Sorted by start, the earliest
/// first: this order never changes.
struct FindingsModel::Child {
    std::uint64_t since = 0;
    CoroutineId id = kNoCoroutine;

    bool operator==(const Child &) const = default;
    bool operator<(const Child &other) const { return since != other.since ? since < other.since : id < other.id; }
};

struct FindingsModel::Row {
    QString key;
    Serial serial = 0;
    ReportedFinding finding;
    QString where;
    int growth = 0;
    std::vector<Child> children;  ///< sorted
};

namespace {

QVariant number(std::uint64_t value)
{
    return QVariant::fromValue<qulonglong>(value);
}

/// What makes a finding of the next judgement the same one.
QString keyOf(const ReportedFinding &reported)
{
    const Finding &finding = reported.finding;
    QString key = QStringLiteral("%1 %2 ").arg(static_cast<int>(finding.rule)).arg(static_cast<int>(finding.severity));
    if (finding.site != kUnknownSite)
        return key + QString::number(finding.site);
    if (reported.function.empty())
        return key + QLatin1Char('a') + QString::number(finding.addr, 16);
    return key + QStringLiteral("%1:%2:%3")
                     .arg(QString::fromStdString(reported.file))
                     .arg(reported.line)
                     .arg(QString::fromStdString(reported.function));
}

/// A key for each finding. Several findings of a rule at one site, such as deadlocks, differ by their first coroutines.
std::vector<QString> keysOf(const std::vector<ReportedFinding> &findings)
{
    std::vector<QString> keys;
    QHash<QString, int> ofSite;
    for (const ReportedFinding &reported : findings) {
        keys.push_back(keyOf(reported));
        ++ofSite[keys.back()];
    }
    QHash<QString, int> used;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::vector<CoroutineId> &coroutines = findings[i].finding.coroutines;
        if (ofSite.value(keys[i]) > 1 && !coroutines.empty())
            keys[i] += QLatin1Char('#') + QString::number(coroutines.front());
        if (const int number = used[keys[i]]++; number > 0)
            keys[i] += QLatin1Char('+') + QString::number(number);
    }
    return keys;
}

}  // namespace

// A finding has the internal id 0. A coroutine has the serial number of its finding, so its index stays valid when
// findings move.

FindingsModel::FindingsModel(QObject *parent) : QAbstractItemModel(parent) {}

FindingsModel::~FindingsModel() = default;

void FindingsModel::setPopulation(const Population *population)
{
    beginResetModel();
    m_population = population;
    m_judgement.reset();
    m_rows.clear();
    m_rowOfKey.clear();
    m_rowOfSerial.clear();
    endResetModel();
}

void FindingsModel::setJudgement(std::shared_ptr<const Judgement> judgement)
{
    if (!m_population || !judgement)
        return;
    m_judgement = std::move(judgement);
    QHash<QString, int> found;
    std::vector<std::pair<QString, const ReportedFinding *>> findings;
    const std::vector<QString> keys = keysOf(m_judgement->findings);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        found.insert(keys[i], static_cast<int>(i));
        findings.emplace_back(keys[i], &m_judgement->findings[i]);
    }
    removeGone(found);
    std::vector<std::pair<QString, const ReportedFinding *>> fresh;
    for (const auto &[key, finding] : findings) {
        const int row = m_rowOfKey.value(key, -1);
        if (row < 0)
            fresh.emplace_back(key, finding);
        else
            updateRow(row, *finding);
    }
    addRows(fresh);
}

std::vector<FindingsModel::Child> FindingsModel::childrenOf(const ReportedFinding &finding) const
{
    std::vector<Child> children;
    children.reserve(finding.finding.coroutines.size());
    for (const CoroutineId id : finding.finding.coroutines) {
        const auto described = m_judgement->circumstances.find(id);
        const std::uint64_t since = described != m_judgement->circumstances.end() ? described->second.coroutine.since
                                                                                  : m_population->at(id).since;
        children.push_back({since, id});
    }
    std::sort(children.begin(), children.end());
    children.erase(std::unique(children.begin(), children.end()), children.end());
    return children;
}

int FindingsModel::growthOf(const std::vector<Child> &children) const
{
    if (children.empty())
        return 0;
    const std::uint64_t judgedAt = m_judgement->judgedAt;
    const std::uint64_t begin = std::max(children.front().since, judgedAt - std::min(judgedAt, kGrowthNs));
    const auto later = std::upper_bound(children.begin(), children.end(), begin,
                                        [](std::uint64_t ts, const Child &child) { return ts < child.since; });
    return static_cast<int>(children.end() - later);
}

void FindingsModel::removeGone(const QHash<QString, int> &found)
{
    const auto isGone = [&](std::size_t row) { return !found.contains(m_rows[row].key); };
    const std::vector<RowRange> gone = rangesOf(m_rows.size(), isGone);
    if (gone.empty())
        return;
    if (gone.size() > kManyRanges) {
        std::vector<int> kept;
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            if (!isGone(row))
                kept.push_back(static_cast<int>(row));
        eraseRows(kept);
        return;
    }
    for (auto range = gone.rbegin(); range != gone.rend(); ++range) {
        beginRemoveRows({}, range->first, range->last);
        m_rows.erase(m_rows.begin() + range->first, m_rows.begin() + range->last + 1);
        rebuildRows();
        endRemoveRows();
    }
}

/// Removes all rows but these, with one change of the layout.
void FindingsModel::eraseRows(const std::vector<int> &kept)
{
    Q_EMIT layoutAboutToBeChanged();
    QHash<int, int> newRows;
    for (std::size_t i = 0; i < kept.size(); ++i)
        newRows.insert(kept[i], static_cast<int>(i));
    QModelIndexList before;
    QModelIndexList after;
    for (const QModelIndex &index : persistentIndexList()) {
        const bool isFinding = index.internalId() == 0;
        const int old = isFinding ? index.row() : m_rowOfSerial.value(index.internalId());
        const int row = newRows.value(old, -1);
        before.append(index);
        after.append(row < 0 ? QModelIndex() : isFinding ? createIndex(row, index.column(), quintptr{0}) : index);
    }
    std::vector<Row> rows;
    rows.reserve(kept.size());
    for (const int row : kept)
        rows.push_back(std::move(m_rows[static_cast<std::size_t>(row)]));
    m_rows = std::move(rows);
    rebuildRows();
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

void FindingsModel::rebuildRows()
{
    m_rowOfKey.clear();
    m_rowOfSerial.clear();
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        m_rowOfKey.insert(m_rows[row].key, static_cast<int>(row));
        m_rowOfSerial.insert(m_rows[row].serial, static_cast<int>(row));
    }
}

void FindingsModel::addRows(const std::vector<std::pair<QString, const ReportedFinding *>> &fresh)
{
    if (fresh.empty())
        return;
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
    for (const auto &[key, finding] : fresh) {
        std::vector<Child> children = childrenOf(*finding);
        const int growth = growthOf(children);
        m_rowOfKey.insert(key, static_cast<int>(m_rows.size()));
        m_rowOfSerial.insert(++m_latestSerial, static_cast<int>(m_rows.size()));
        m_rows.push_back({key, m_latestSerial, *finding, QString::fromStdString(locationText(*finding)), growth,
                          std::move(children)});
    }
    endInsertRows();
}

void FindingsModel::updateRow(int row, const ReportedFinding &finding)
{
    Row &present = m_rows[static_cast<std::size_t>(row)];
    const bool isSame = present.finding.finding.coroutines == finding.finding.coroutines &&
                        present.finding.finding.since == finding.finding.since;
    if (!isSame)
        updateChildren(row, childrenOf(finding));
    const int growth = growthOf(present.children);
    const bool hasChanged =
        !isSame || growth != present.growth || present.finding.finding.confidence != finding.finding.confidence;
    present.finding = finding;
    present.growth = growth;
    if (hasChanged)
        Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

// Both lists have the same order, so removals and insertions suffice.
void FindingsModel::updateChildren(int row, std::vector<Child> children)
{
    std::vector<Child> &present = m_rows[static_cast<std::size_t>(row)].children;
    const auto isIn = [](const std::vector<Child> &list, const Child &child) {
        return std::binary_search(list.begin(), list.end(), child);
    };
    const std::vector<RowRange> gone =
        rangesOf(present.size(), [&](std::size_t i) { return !isIn(children, present[i]); });
    const std::vector<RowRange> fresh =
        rangesOf(children.size(), [&](std::size_t i) { return !isIn(present, children[i]); });
    if (gone.size() + fresh.size() > kManyRanges) {
        replaceChildren(row, std::move(children));
        return;
    }
    for (auto range = gone.rbegin(); range != gone.rend(); ++range) {
        beginRemoveRows(findingIndex(row), range->first, range->last);
        present.erase(present.begin() + range->first, present.begin() + range->last + 1);
        endRemoveRows();
    }
    for (const RowRange &range : fresh) {
        beginInsertRows(findingIndex(row), range.first, range.last);
        present.insert(present.begin() + range.first, children.begin() + range.first,
                       children.begin() + range.last + 1);
        endInsertRows();
    }
}

void FindingsModel::replaceChildren(int row, std::vector<Child> children)
{
    const QModelIndex parent = findingIndex(row);
    Q_EMIT layoutAboutToBeChanged({parent});
    std::vector<Child> &present = m_rows[static_cast<std::size_t>(row)].children;
    const Serial serial = m_rows[static_cast<std::size_t>(row)].serial;
    QModelIndexList before;
    QModelIndexList after;
    for (const QModelIndex &index : persistentIndexList()) {
        if (index.internalId() != serial)
            continue;
        const Child &child = present[static_cast<std::size_t>(index.row())];
        const auto at = std::lower_bound(children.begin(), children.end(), child);
        const bool stays = at != children.end() && *at == child;
        before.append(index);
        after.append(stays ? createIndex(static_cast<int>(at - children.begin()), index.column(), serial)
                           : QModelIndex());
    }
    present = std::move(children);
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({parent});
}

QModelIndex FindingsModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    if (!parent.isValid())
        return createIndex(row, column, quintptr{0});
    return createIndex(row, column, m_rows[static_cast<std::size_t>(parent.row())].serial);
}

QModelIndex FindingsModel::parent(const QModelIndex &index) const
{
    if (!index.isValid() || index.internalId() == 0)
        return {};
    const int row = m_rowOfSerial.value(index.internalId(), -1);
    return row < 0 ? QModelIndex() : findingIndex(row);
}

int FindingsModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_rows.size());
    if (parent.internalId() != 0 || parent.column() != 0)
        return 0;
    const Row *row = rowOf(parent);
    return row ? static_cast<int>(row->children.size()) : 0;
}

int FindingsModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

const FindingsModel::Row *FindingsModel::rowOf(const QModelIndex &index) const
{
    if (!index.isValid())
        return nullptr;
    const int row = index.internalId() == 0 ? index.row() : m_rowOfSerial.value(index.internalId(), -1);
    return row >= 0 && row < rowCount() ? &m_rows[static_cast<std::size_t>(row)] : nullptr;
}

const ReportedFinding *FindingsModel::findingOf(const QModelIndex &index) const
{
    const Row *row = rowOf(index);
    return row ? &row->finding : nullptr;
}

Qt::ItemFlags FindingsModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    // Without this flag, QTreeView::expandAll() keeps a persistent index for each of 100,000 leaves.
    return index.isValid() && index.internalId() != 0 ? flags | Qt::ItemNeverHasChildren : flags;
}

QVariant FindingsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row *row = rowOf(index);
    if (!row || (role != Qt::DisplayRole && role < Qt::UserRole))
        return {};
    const Child *child = index.internalId() == 0 ? nullptr : &row->children[static_cast<std::size_t>(index.row())];
    const Finding &finding = row->finding.finding;
    switch (role) {
    case IsFindingRole: return child == nullptr;
    case CoroutineIdRole:
        return child ? child->id : finding.coroutines.empty() ? kNoCoroutine : finding.coroutines.front();
    case SeverityRole: return static_cast<int>(finding.severity);
    case RuleRole: return static_cast<int>(finding.rule);
    case CountRole: return child ? 1 : static_cast<int>(finding.coroutines.size());
    case SinceRole: return number(child ? child->since : finding.since);
    case FingerprintRole: return QString::fromStdString(row->finding.fingerprint);
    default: return valueOf(*row, child, index.column());
    }
}

QVariant FindingsModel::valueOf(const Row &row, const Child *child, int column) const
{
    const Finding &finding = row.finding.finding;
    switch (column) {
    case SeverityColumn: return static_cast<int>(finding.severity);
    case RuleColumn: return static_cast<int>(finding.rule);
    case WhereColumn: return child ? QVariant(child->id) : QVariant(row.where);
    case CountColumn: return child ? 1 : static_cast<int>(finding.coroutines.size());
    case ConfidenceColumn: return finding.confidence;
    case SinceColumn: return number(child ? child->since : finding.since);
    case GrowthColumn: return child ? QVariant() : QVariant(row.growth);
    default: return {};
    }
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case SeverityColumn: return tr("Severity");
    case RuleColumn: return tr("Rule");
    case WhereColumn: return tr("Where");
    case CountColumn: return tr("Count");
    case ConfidenceColumn: return tr("Confidence");
    case SinceColumn: return tr("Since");
    case GrowthColumn: return tr("Growth");
    default: return {};
    }
}

QHash<int, QByteArray> FindingsModel::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractItemModel::roleNames();
    const QMetaEnum roles = QMetaEnum::fromType<Roles>();
    for (int i = 0; i < roles.keyCount(); ++i)
        names.insert(roles.value(i), roles.key(i));
    return names;
}

}  // namespace ct
