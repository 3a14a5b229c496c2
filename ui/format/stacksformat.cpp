// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/stacksformat.h"

#include "ui/format/coroutinetooltip.h"
#include "ui/format/format.h"

#include <QFont>

namespace ct {

using Model = StacksModel;

namespace {

Model::Kind kindOf(const QModelIndex &index)
{
    return index.data(Model::KindRole).value<Model::Kind>();
}

}  // namespace

StacksFormat::StacksFormat(StacksModel *model, QObject *parent) : QIdentityProxyModel(parent), m_model(model)
{
    setSourceModel(model);
}

QVariant StacksFormat::text(const QModelIndex &source) const
{
    if (source.column() == Model::LongestColumn)
        return source.data().isValid() ? format::duration(source.data().toULongLong()) : QVariant();
    switch (kindOf(source)) {
    case Model::Kind::Group:
        return tr("%1 × %2").arg(format::count(source.data(Model::CountRole).toULongLong()), source.data().toString());
    case Model::Kind::Link: return source.data();
    case Model::Kind::Coroutine: break;
    }
    return format::coroutineTitle(*m_model->population(), source.data().toUInt(), m_resolver.get());
}

QVariant StacksFormat::toolTip(const QModelIndex &source) const
{
    if (kindOf(source) == Model::Kind::Coroutine) {
        const Population &population = *m_model->population();
        return coroutineToolTip(population, source.siblingAtColumn(0).data().toUInt(), population.now(),
                                m_resolver.get());
    }
    return format::verbatim(source.data(Model::StackTextRole).toString().trimmed());
}

QVariant StacksFormat::data(const QModelIndex &index, int role) const
{
    const QModelIndex source = mapToSource(index);
    if (!source.isValid() || !m_model->population())
        return {};
    switch (role) {
    case Qt::DisplayRole: return text(source);
    case Qt::ToolTipRole: return toolTip(source);
    case Qt::FontRole: {
        if (kindOf(source) != Model::Kind::Group)
            return {};
        QFont font;
        font.setBold(true);
        return font;
    }
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (index.column() == Model::StackColumn ? Qt::AlignLeft : Qt::AlignRight)));
    default: return QIdentityProxyModel::data(index, role);
    }
}

QVariant StacksFormat::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole)
        return section == Model::StackColumn ? tr("What the innermost coroutine does, and below it where it and those "
                                                  "that await it are suspended")
                                             : tr("How long the first of these coroutines has been in this state");
    return QIdentityProxyModel::headerData(section, orientation, role);
}

}  // namespace ct
