// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/recordingsmodel.h"

#include "models/rowchanges.h"

#include <QFile>

#include <algorithm>

namespace ct {

void RecordingsModel::setRuns(const std::vector<RecordedRun> &runs)
{
    std::vector<RecordedRun> sorted = runs;
    const auto byPath = [](const RecordedRun &a, const RecordedRun &b) { return a.path < b.path; };
    std::sort(sorted.begin(), sorted.end(), byPath);
    const auto isGone = [&](std::size_t row) {
        return !std::binary_search(sorted.begin(), sorted.end(), m_runs[row], byPath);
    };
    const std::vector<RowRange> gone = rangesOf(m_runs.size(), isGone);
    for (auto range = gone.rbegin(); range != gone.rend(); ++range) {
        beginRemoveRows({}, range->first, range->last);
        m_runs.erase(m_runs.begin() + range->first, m_runs.begin() + range->last + 1);
        endRemoveRows();
    }
    // The remaining rows are a subset of `sorted`, in the same order.
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const int row = static_cast<int>(i);
        if (i == m_runs.size() || m_runs[i].path != sorted[i].path) {
            beginInsertRows({}, row, row);
            m_runs.insert(m_runs.begin() + row, sorted[i]);
            endInsertRows();
        } else if (m_runs[i] != sorted[i]) {
            m_runs[i] = sorted[i];
            Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
        }
    }
}

std::uint64_t RecordingsModel::bytes() const
{
    std::uint64_t sum = 0;
    for (const RecordedRun &run : m_runs)
        sum += run.bytes;
    return sum;
}

int RecordingsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RecordingsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RecordingsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role != Qt::DisplayRole && role != SortRole)
        return {};
    const RecordedRun &run = this->run(index.row());
    const auto number = [](std::uint64_t value) { return QVariant::fromValue<qulonglong>(value); };
    switch (index.column()) {
    case NameColumn: return QFile::decodeName(run.name.c_str());
    case BegunColumn: return number(run.begun);
    case DurationColumn: return number(run.duration);
    case BytesColumn: return number(run.bytes);
    case EventsColumn: return number(run.events);
    case StateColumn: return static_cast<int>(run.state);
    default: return {};
    }
}

QVariant RecordingsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn: return tr("Target");
    case BegunColumn: return tr("Began");
    case DurationColumn: return tr("Duration");
    case BytesColumn: return tr("Size");
    case EventsColumn: return tr("Events");
    case StateColumn: return tr("State");
    default: return {};
    }
}

}  // namespace ct
