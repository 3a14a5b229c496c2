// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/stuckformat.h"

#include "ui/format/coroutinetooltip.h"
#include "ui/format/format.h"
#include "ui/format/waitformat.h"

namespace ct {

using Model = StuckModel;

StuckFormat::StuckFormat(StuckModel *model, QObject *parent) : QIdentityProxyModel(parent), m_model(model)
{
    setSourceModel(model);
}

ShownLocation StuckFormat::shownLocationOf(const QModelIndex &source) const
{
    const Population *population = m_model->population();
    if (!population)
        return {};
    const SiteId site = source.data(Model::SiteIdRole).toUInt();
    ShownLocation shown = shownLocation(*population, nullptr, site, {});
    shown.addr = source.data(Model::AddressRole).toULongLong();
    shown.answer = m_model->locationOf(source);
    if (shown.answer)
        shown.site = format::siteOf(shown.answer->frames.front());
    return shown;
}

QString StuckFormat::where(const QModelIndex &source) const
{
    if (!source.data(Model::IsGroupRole).toBool())
        return coroutine(source.data(Model::CoroutineIdRole).toUInt());
    const int count = source.siblingAtColumn(Model::CountColumn).data().toInt();
    const ShownLocation shown = shownLocationOf(source);
    const QString location = shown.site ? format::location(shown) : tr("an unknown site");
    return count == 1 ? tr("1 coroutine at %1").arg(location)
                      : tr("%1 coroutines at %2").arg(format::count(static_cast<std::uint64_t>(count)), location);
}

/// "parse #17, waits on lock 0x7ffd1234".
QString StuckFormat::coroutine(CoroutineId id) const
{
    const Population *population = m_model->population();
    if (!population)
        return {};
    const CoroutineNotes notes = population->notes(id);
    QString text = format::coroutineTitle(*population, id, m_resolver.get());
    if (notes.waitsOn)
        text += tr(", waits on %1").arg(format::waitsOn(*population, *notes.waitsOn, population->now()));
    if (notes.woken)
        text += tr(", woken but not resumed");
    return text;
}

QString StuckFormat::toolTip(const QModelIndex &source) const
{
    const Population *population = m_model->population();
    if (population && !source.data(Model::IsGroupRole).toBool())
        return coroutineToolTip(*population, source.data(Model::CoroutineIdRole).toUInt(), population->now(),
                                m_resolver.get());
    const QVariant usual = source.siblingAtColumn(Model::UsualColumn).data();
    const QString location = format::locationDetails(shownLocationOf(source));
    const bool named = source.data(Model::SiteIdRole).toUInt() != kUnknownSite;
    const QString time = format::duration(usual.toULongLong());
    const QString baseline = named ? usual.isValid() ? tr("99 of 100 suspensions here end within %1.").arg(time)
                                                     : tr("No suspension here has ever ended.")
                             : usual.isValid()
                                 ? tr("99 of 100 suspensions at all sites that the target does not name end within "
                                      "%1.")
                                       .arg(time)
                                 : tr("No suspension at a site that the target does not name has ever ended.");
    return location + u'\n' + baseline;
}

QVariant StuckFormat::data(const QModelIndex &index, int role) const
{
    const QModelIndex source = mapToSource(index);
    if (!source.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Model::WhereColumn)
            return where(source);
        if (index.column() == Model::UsualColumn && !source.data().isValid())
            return tr("never");
        if (index.column() == Model::LongestColumn || index.column() == Model::UsualColumn)
            return format::duration(source.data().toULongLong());
        return QIdentityProxyModel::data(index, role);
    case Qt::ToolTipRole: return toolTip(source);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (index.column() == Model::WhereColumn ? Qt::AlignLeft : Qt::AlignRight)));
    default: return QIdentityProxyModel::data(index, role);
    }
}

QVariant StuckFormat::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section == Model::WhereColumn ? Qt::AlignLeft : Qt::AlignRight)));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const bool tip = role == Qt::ToolTipRole;
    switch (section) {
    case Model::WhereColumn:
        return tip ? tr("Suspension point, and the coroutines that wait "
                        "there")
                   : tr("Suspended at");
    case Model::CountColumn: return tr("Coroutines");
    case Model::LongestColumn: return tip ? tr("Longest suspension that still lasts") : tr("Longest");
    case Model::UsualColumn:
        return tip ? tr("99 of 100 suspensions at this site end within "
                        "this time")
                   : tr("Usual");
    default: return {};
    }
}

}  // namespace ct
