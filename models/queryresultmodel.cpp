// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/queryresultmodel.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ct {

namespace {

/// Bytes. SQLite uses the expression as the title of a column without a name.
constexpr std::size_t kMostTitle = 100;

bool holdsCoroutines(const std::string &column)
{
    return column == "coroutine" || column == "by_coroutine" || column == "parent" || column == "target";
}

bool isNumber(const QueryValue &value)
{
    return value.index() == 1 || value.index() == 2;
}

double numberOf(const QueryValue &value)
{
    const auto *integer = std::get_if<std::int64_t>(&value);
    return integer ? static_cast<double>(*integer) : std::get<double>(value);
}

/// NULL, then numbers, then texts.
bool isLess(const QueryValue &one, const QueryValue &other)
{
    if (isNumber(one) && isNumber(other) && one.index() != other.index())
        return numberOf(one) < numberOf(other);
    return isNumber(one) && isNumber(other)   ? one < other
           : isNumber(one) || isNumber(other) ? (isNumber(one) ? other.index() == 3 : one.index() == 0)
                                              : one < other;
}

QVariant variantOf(const QueryValue &value)
{
    switch (value.index()) {
    case 1: return QVariant::fromValue<qlonglong>(std::get<std::int64_t>(value));
    case 2: return std::get<double>(value);
    case 3: return QString::fromStdString(std::get<std::string>(value));
    default: return {};
    }
}

/// The text, or its beginning and its size: the layout of a long text would block the window.
QString shortened(const std::string &text, std::size_t most)
{
    if (text.size() <= most)
        return QString::fromStdString(text);
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;  // not within a character
    return QueryResultModel::tr("%1… (%2 bytes)")
        .arg(QString::fromUtf8(text.data(), static_cast<qsizetype>(end)))
        .arg(text.size());
}

QVariant displayOf(const QueryValue &value)
{
    constexpr std::size_t kMost = 300;  // bytes
    if (const auto *text = std::get_if<std::string>(&value))
        return shortened(*text, kMost);
    // All digits that a decimal number keeps as a double: six would hide the nanoseconds of a time.
    if (const auto *number = std::get_if<double>(&value))
        return QString::number(*number, 'g', std::numeric_limits<double>::digits10);
    return variantOf(value);
}

/// More of the text, if a column may cut it off.
QVariant toolTipOf(const QueryValue &value)
{
    constexpr qsizetype kUsuallyVisible = 30;  // characters
    constexpr std::size_t kMost = 5000;        // bytes
    const auto *full = std::get_if<std::string>(&value);
    const QString text = full ? shortened(*full, kMost) : QString();
    if (text.size() <= kUsuallyVisible && !text.contains(u'\n'))
        return {};
    // As rich text, it wraps.
    return QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped().replace(u'\n', QLatin1String("<br>")));
}

}  // namespace

void QueryResultModel::setRows(std::shared_ptr<const QueryRows> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_order.resize(m_rows ? m_rows->count() : 0);
    std::iota(m_order.begin(), m_order.end(), 0U);
    m_hasCoroutines.clear();
    m_coroutineColumn.reset();
    for (std::size_t column = 0; m_rows && column < m_rows->columns.size(); ++column) {
        m_hasCoroutines.push_back(holdsCoroutines(m_rows->columns[column]));
        if (!m_coroutineColumn && m_rows->columns[column] == "coroutine")
            m_coroutineColumn = static_cast<int>(column);
    }
    endResetModel();
}

int QueryResultModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int QueryResultModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_rows ? 0 : static_cast<int>(m_rows->columns.size());
}

const QueryValue &QueryResultModel::valueAt(int row, int column) const
{
    return m_rows->at(m_order[static_cast<std::size_t>(row)], static_cast<std::size_t>(column));
}

QVariant QueryResultModel::coroutineAt(int row, int column) const
{
    if (!m_hasCoroutines[static_cast<std::size_t>(column)]) {
        if (!m_coroutineColumn)
            return {};
        column = *m_coroutineColumn;
    }
    const auto *id = std::get_if<std::int64_t>(&valueAt(row, column));
    return id && *id >= 0 && *id < kNoCoroutine ? QVariant(static_cast<uint>(*id)) : QVariant();
}

QVariant QueryResultModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole: return displayOf(valueAt(index.row(), index.column()));
    case SortRole: return variantOf(valueAt(index.row(), index.column()));
    case Qt::TextAlignmentRole:
        return isNumber(valueAt(index.row(), index.column())) ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                                              : QVariant();
    case Qt::ToolTipRole: return toolTipOf(valueAt(index.row(), index.column()));
    case CoroutineIdRole: return coroutineAt(index.row(), index.column());
    default: return {};
    }
}

QVariant QueryResultModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    // Aligned like the numbers below.
    if (role == Qt::TextAlignmentRole && rowCount() != 0 && isNumber(valueAt(0, section)))
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return shortened(m_rows->columns[static_cast<std::size_t>(section)], kMostTitle);
}

void QueryResultModel::sort(int column, Qt::SortOrder order)
{
    if (column >= columnCount())
        return;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<std::uint32_t> rows;
    for (const QModelIndex &index : before)
        rows.push_back(m_order[static_cast<std::size_t>(index.row())]);
    std::iota(m_order.begin(), m_order.end(), 0U);
    if (column >= 0) {
        const auto at = static_cast<std::size_t>(column);
        std::stable_sort(m_order.begin(), m_order.end(), [&](std::uint32_t one, std::uint32_t other) {
            return order == Qt::AscendingOrder ? isLess(m_rows->at(one, at), m_rows->at(other, at))
                                               : isLess(m_rows->at(other, at), m_rows->at(one, at));
        });
    }
    std::vector<int> rowOf(m_order.size());
    for (std::size_t row = 0; row < m_order.size(); ++row)
        rowOf[m_order[row]] = static_cast<int>(row);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after << index(rowOf[rows[static_cast<std::size_t>(i)]], before[i].column());
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

}  // namespace ct
