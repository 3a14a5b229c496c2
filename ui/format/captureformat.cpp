// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/captureformat.h"

#include "ui/format/format.h"

namespace ct {

namespace {

QVariant aligned(bool right)
{
    return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft)));
}

QString sinceOrigin(std::uint64_t ts, std::uint64_t origin)
{
    return ts >= origin ? u'+' + format::duration(ts - origin) : QChar(0x2212) + format::duration(origin - ts);
}

bool isNumber(int column)
{
    return column != ProcessModel::NameColumn && column != ProcessModel::StateColumn;
}

}  // namespace

ProcessFormat::ProcessFormat(ProcessModel *model, QObject *parent) : QIdentityProxyModel(parent)
{
    setSourceModel(model);
}

QVariant ProcessFormat::data(const QModelIndex &index, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return aligned(isNumber(index.column()));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return QIdentityProxyModel::data(index, role);
    const QVariant raw = QIdentityProxyModel::data(index, Qt::DisplayRole);
    switch (index.column()) {
    case ProcessModel::PidColumn: return raw.toUInt() == 0 ? tr("unknown") : raw.toString();
    case ProcessModel::NameColumn: return format::targetName(raw.toString().toStdString());
    case ProcessModel::StateColumn:
        switch (static_cast<ProcessModel::State>(raw.toInt())) {
        case ProcessModel::State::Tracing: return tr("Tracing");
        case ProcessModel::State::SwitchedOff: return tr("Switched off");
        case ProcessModel::State::Ended: return tr("Ended");
        }
        return {};
    case ProcessModel::FirstColumn:
        return raw.toULongLong() == 0 ? QString() : sinceOrigin(raw.toULongLong(), m_origin);
    default: return format::count(raw.toULongLong());
    }
}

QVariant ProcessFormat::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return aligned(isNumber(section));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const bool tip = role == Qt::ToolTipRole;
    switch (section) {
    case ProcessModel::PidColumn: return tr("Process");
    case ProcessModel::NameColumn: return tip ? tr("Name of the executable") : tr("Program");
    case ProcessModel::StateColumn:
        return tip ? tr("Tracing, switched off (no events are published, and none are lost), or ended") : tr("State");
    case ProcessModel::AliveColumn: return tip ? tr("Coroutines born and not destroyed") : tr("Alive");
    case ProcessModel::CoroutinesColumn: return tip ? tr("Coroutines in all") : tr("Coroutines");
    case ProcessModel::FirstColumn:
        return tip ? tr("Time at which its tracing began, since the run began") : tr("Began");
    default: return {};
    }
}

DropFormat::DropFormat(DropModel *model, QObject *parent) : QIdentityProxyModel(parent)
{
    setSourceModel(model);
}

QVariant DropFormat::data(const QModelIndex &index, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return aligned(true);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return QIdentityProxyModel::data(index, role);
    const QVariant raw = QIdentityProxyModel::data(index, Qt::DisplayRole);
    switch (index.column()) {
    case DropModel::TimeColumn: return sinceOrigin(raw.toULongLong(), m_origin);
    case DropModel::LengthColumn: return format::duration(raw.toULongLong());
    case DropModel::RecordsColumn: return format::count(raw.toULongLong());
    case DropModel::ThreadColumn:
        return format::thread(m_population, index.data(DropModel::PidRole).toUInt(), raw.toUInt());
    case DropModel::ProcessColumn: return raw.toUInt() == 0 ? QString() : raw.toString();
    default: return {};
    }
}

QVariant DropFormat::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return aligned(true);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const bool tip = role == Qt::ToolTipRole;
    switch (section) {
    case DropModel::TimeColumn:
        return tip ? tr("Time of the first record that the full lane refused, "
                        "since the run began")
                   : tr("Time");
    case DropModel::LengthColumn: return tip ? tr("Time from the first to the last refused record") : tr("Length");
    case DropModel::RecordsColumn:
        return tip ? tr("Records of any kind that the full lane refused; transitions among "
                        "them are also counted as lost events")
                   : tr("Records");
    case DropModel::ThreadColumn: return tip ? tr("Thread whose lane was full") : tr("Thread");
    case DropModel::ProcessColumn: return tr("Process");
    default: return {};
    }
}

}  // namespace ct
