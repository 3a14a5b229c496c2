// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/processmodel.h"

#include <algorithm>

namespace ct {

namespace {

ProcessModel::State stateOf(const ProcessSnapshot &process)
{
    if (process.endTs != 0)
        return ProcessModel::State::Ended;
    return process.tracing ? ProcessModel::State::Tracing : ProcessModel::State::SwitchedOff;
}

bool isSame(const ProcessSnapshot &a, const ProcessSnapshot &b)
{
    return a.pid == b.pid && a.name == b.name && a.firstTs == b.firstTs && a.endTs == b.endTs &&
           a.tracing == b.tracing && a.alive == b.alive && a.coroutines == b.coroutines;
}

}  // namespace

void ProcessModel::setPopulation(const Population *population)
{
    beginResetModel();
    m_population = population;
    m_processes = population ? population->processes() : std::vector<ProcessSnapshot>();
    endResetModel();
}

void ProcessModel::sample()
{
    if (!m_population)
        return;
    std::vector<ProcessSnapshot> processes = m_population->processes();
    const std::size_t known = std::min(m_processes.size(), processes.size());
    for (std::size_t i = 0; i < known; ++i) {
        if (isSame(m_processes[i], processes[i]))
            continue;
        m_processes[i] = processes[i];
        const int row = static_cast<int>(i);
        Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
    if (processes.size() == known)
        return;
    beginInsertRows({}, static_cast<int>(known), static_cast<int>(processes.size()) - 1);
    m_processes = std::move(processes);
    endInsertRows();
}

int ProcessModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_processes.size());
}

int ProcessModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProcessModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const ProcessSnapshot &process = m_processes[static_cast<std::size_t>(index.row())];
    const auto number = [](std::uint64_t value) { return QVariant::fromValue<qulonglong>(value); };
    if (role == EndRole)
        return number(process.endTs);
    if (role != Qt::DisplayRole && role != SortRole)
        return {};
    switch (index.column()) {
    case PidColumn: return process.pid;
    case NameColumn: return QString::fromStdString(process.name);
    case StateColumn: return static_cast<int>(stateOf(process));
    case AliveColumn: return number(process.alive);
    case CoroutinesColumn: return number(process.coroutines);
    case FirstColumn: return number(process.firstTs);
    default: return {};
    }
}

QVariant ProcessModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case PidColumn: return tr("Process");
    case NameColumn: return tr("Program");
    case StateColumn: return tr("State");
    case AliveColumn: return tr("Alive");
    case CoroutinesColumn: return tr("Coroutines");
    case FirstColumn: return tr("Since");
    default: return {};
    }
}

}  // namespace ct
