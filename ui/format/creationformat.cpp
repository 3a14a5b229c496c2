// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/creationformat.h"

#include "ui/format/colors.h"
#include "ui/format/coroutinetooltip.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"

#include <algorithm>

namespace ct {

using Model = CreationTreeModel;

namespace {

Qt::Alignment alignmentOf(int column)
{
    const bool number = column == Model::SinceColumn || column == Model::ChildrenColumn;
    return Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft);
}

}  // namespace

CreationFormat::CreationFormat(CreationTreeModel *model, QObject *parent)
    : QIdentityProxyModel(parent), m_model(model), m_colors(&lightColors())
{
    setSourceModel(model);
}

void CreationFormat::setLook(const QPalette &palette)
{
    m_colors = &colorsFor(palette);
    for (std::size_t i = 0; i < m_dots.size(); ++i) {
        const QColor color = stateColor(*m_colors, static_cast<CoroutineState>(i));
        m_dots[i] = QIcon(icons::dot(color, 12, 1));
        m_dots[i].addPixmap(icons::dot(color, 12, 2));
    }
}

QVariant CreationFormat::text(const QModelIndex &source) const
{
    const QVariant raw = source.data();
    const std::uint32_t more = source.data(Model::MoreRole).toUInt();
    if (more > 0)
        return source.column() == Model::IdColumn ? tr("%1 more (Enter)").arg(format::count(more)) : QString();
    switch (source.column()) {
    case Model::IdColumn: return format::coroutineTitle(*m_model->population(), raw.toUInt(), m_resolver.get());
    case Model::StateColumn: return format::stateName(static_cast<CoroutineState>(raw.toInt()));
    case Model::SinceColumn: {
        const std::uint64_t since = raw.toULongLong();
        const std::uint64_t now = source.data(Model::NowRole).toULongLong();
        return format::duration(now > since ? now - since : 0);
    }
    case Model::ChildrenColumn: return raw.toUInt() == 0 ? QString() : format::count(raw.toUInt());
    default: return {};
    }
}

QVariant CreationFormat::data(const QModelIndex &index, int role) const
{
    const QModelIndex source = mapToSource(index);
    if (!source.isValid() || !m_model->population())
        return {};
    const bool stands = source.data(Model::MoreRole).toUInt() == 0;
    const int state = source.data(Model::StateRole).toInt();
    switch (role) {
    case Qt::DisplayRole: return text(source);
    case Qt::ToolTipRole:
        return stands ? coroutineToolTip(*m_model->population(), source.data(Model::CoroutineIdRole).toUInt(),
                                         source.data(Model::NowRole).toULongLong(), m_resolver.get())
                      : tr("Children are shown a thousand at a time. Press Enter or "
                           "double-click to show more. Some of these may be destroyed.");
    case Qt::TextAlignmentRole: return QVariant::fromValue(alignmentOf(index.column()));
    case Qt::ForegroundRole:
        if (!stands)
            return m_colors->accent;
        return static_cast<CoroutineState>(state) == CoroutineState::Destroyed ? QVariant(m_colors->textMuted)
                                                                               : QVariant();
    case Qt::DecorationRole:
        if (index.column() != Model::StateColumn || !stands)
            return {};
        return m_dots[std::min<std::size_t>(static_cast<std::size_t>(state), m_dots.size() - 1)];
    default: return QIdentityProxyModel::data(index, role);
    }
}

QVariant CreationFormat::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(alignmentOf(section));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const bool tip = role == Qt::ToolTipRole;
    switch (section) {
    case Model::IdColumn: return tip ? tr("Each coroutine, below the coroutine that created it") : tr("Coroutine");
    case Model::StateColumn: return tip ? tr("Present state") : tr("State");
    case Model::SinceColumn: return tip ? tr("How long it has been in this state") : tr("For");
    case Model::ChildrenColumn: return tip ? tr("Coroutines that it created, destroyed ones too") : tr("Children");
    default: return {};
    }
}

}  // namespace ct
