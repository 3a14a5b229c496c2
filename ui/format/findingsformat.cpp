// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/findingsformat.h"

#include "core/analysis/ruledescriptions.h"
#include "ui/format/colors.h"
#include "ui/format/coroutinetooltip.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/format/waitformat.h"

#include <QCoreApplication>

namespace ct {

using Model = FindingsModel;

namespace format {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("FindingsFormat", text);
}

}  // namespace

QString severityName(Severity severity)
{
    switch (severity) {
    case Severity::Error: return tr("Error");
    case Severity::Warning: return tr("Warning");
    case Severity::Info: break;
    }
    return tr("Information");
}

/// The name of the rule in options and reports, as a title: "Lost wakeup".
QString ruleName(Rule rule)
{
    if (rule == Rule::LostWakeup)
        return tr("Lost wake-up");
    const std::string_view name = nameOf(rule);
    QString title = QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size())).replace(u'-', u' ');
    title[0] = title[0].toUpper();
    return title;
}

QString suspicion(const Suspects::Suspect &suspect)
{
    return tr("Stuck: %1 (%2)").arg(ruleName(suspect.rule).toLower(), severityName(suspect.severity).toLower());
}

QString location(const ReportedFinding &reported)
{
    Site site;
    site.function = reported.function;
    site.file = reported.file;
    site.line = reported.line;
    const bool isKnown = !site.function.empty() || !site.file.empty();
    const QString text = location(isKnown ? &site : nullptr, reported.finding.addr);
    if (!text.isEmpty())
        return text;
    return reported.finding.coroutines.empty() ? tr("the whole run") : tr("an unknown location");
}

}  // namespace format

FindingsFormat::FindingsFormat(FindingsModel *model, QObject *parent) : QIdentityProxyModel(parent), m_model(model)
{
    setSourceModel(model);
}

void FindingsFormat::setLook(const QPalette &palette)
{
    const Colors &colors = colorsFor(palette);
    m_warningText = colors.warningText;
    m_mutedText = colors.textMuted;
    const std::array<QColor, 3> dots = {colors.textMuted, colors.stuck, colors.stuck};
    for (std::size_t i = 0; i < dots.size(); ++i) {
        m_dots[i] = QIcon(icons::dot(dots[i], 12, 1));
        m_dots[i].addPixmap(icons::dot(dots[i], 12, 2));
    }
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

QVariant FindingsFormat::data(const QModelIndex &index, int role) const
{
    const QModelIndex source = mapToSource(index);
    if (!source.isValid())
        return {};
    const bool isFinding = source.data(Model::IsFindingRole).toBool();
    switch (role) {
    case Qt::DisplayRole: return text(source);
    case Qt::ToolTipRole: return toolTip(source);
    case Qt::ForegroundRole: return foreground(source);
    case Qt::DecorationRole:
        return isFinding && index.column() == Model::SeverityColumn
                   ? QVariant(m_dots.at(static_cast<std::size_t>(source.data(Model::SeverityRole).toInt())))
                   : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (index.column() < Model::CountColumn ? Qt::AlignLeft : Qt::AlignRight)));
    default: return QIdentityProxyModel::data(index, role);
    }
}

QString FindingsFormat::text(const QModelIndex &source) const
{
    const bool isFinding = source.data(Model::IsFindingRole).toBool();
    const QVariant raw = source.data();
    if (source.column() == Model::WhereColumn)
        return whereText(source);
    if (source.column() == Model::SinceColumn) {
        const std::uint64_t since = raw.toULongLong();
        return since < m_origin ? QString() : u'+' + format::duration(since - m_origin);
    }
    if (!isFinding)
        return {};
    switch (source.column()) {
    case Model::SeverityColumn:
        return raw.toInt() == static_cast<int>(Severity::Info)
                   ? tr("Info")
                   : format::severityName(static_cast<Severity>(raw.toInt()));
    case Model::RuleColumn: return format::ruleName(static_cast<Rule>(raw.toInt()));
    case Model::CountColumn: return format::count(static_cast<std::uint64_t>(raw.toInt()));
    case Model::ConfidenceColumn: return QString::fromStdString(confidenceText(raw.toDouble()));
    case Model::GrowthColumn:
        return raw.toInt() == 0 ? tr("no") : u'+' + format::count(static_cast<std::uint64_t>(raw.toInt()));
    default: return {};
    }
}

/// "parse #17, waits on lock 0x7ffd1234" for a coroutine.
QString FindingsFormat::whereText(const QModelIndex &source) const
{
    const Population *population = m_model->population();
    const ReportedFinding *reported = m_model->findingOf(source);
    if (!population || !reported)
        return {};
    if (source.data(Model::IsFindingRole).toBool())
        return format::location(*reported);
    const CoroutineId id = source.data(Model::CoroutineIdRole).toUInt();
    QString text = format::coroutineTitle(*population, id, m_resolver.get());
    if (population->at(id).since != source.data(Model::SinceRole).toULongLong())
        return tr("%1, has changed since").arg(text);
    const CoroutineNotes notes = population->notes(id);
    if (notes.waitsOn)
        text += tr(", waits on %1").arg(format::waitsOn(*population, *notes.waitsOn, population->now()));
    return notes.woken ? tr("%1, woken but not resumed").arg(text) : text;
}

QString FindingsFormat::toolTip(const QModelIndex &source) const
{
    const Population *population = m_model->population();
    const ReportedFinding *reported = m_model->findingOf(source);
    if (!population || !reported)
        return {};
    if (!source.data(Model::IsFindingRole).toBool())
        return coroutineToolTip(*population, source.data(Model::CoroutineIdRole).toUInt(), population->now(),
                                m_resolver.get());
    const std::string_view rule = descriptionOf(reported->finding.rule);
    switch (source.column()) {
    case Model::RuleColumn: return QString::fromLatin1(rule.data(), static_cast<qsizetype>(rule.size()));
    case Model::GrowthColumn:
        return tr("%1 joined in the 10 s before the judgement")
            .arg(format::coroutines(static_cast<std::uint64_t>(source.data().toInt())));
    default: return format::verbatim(QString::fromStdString(sentenceOf(*reported)));
    }
}

QVariant FindingsFormat::foreground(const QModelIndex &source) const
{
    if (source.data(Model::SeverityRole).toInt() == static_cast<int>(Severity::Info))
        return source.column() == Model::WhereColumn ? QVariant() : QVariant(m_mutedText);
    const bool isGrowing = source.column() == Model::GrowthColumn && source.data().toInt() > 0;
    return isGrowing ? QVariant(m_warningText) : QVariant();
}

QVariant FindingsFormat::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section < Model::CountColumn ? Qt::AlignLeft : Qt::AlignRight)));
    if (role != Qt::ToolTipRole)
        return QIdentityProxyModel::headerData(section, orientation, role);
    switch (section) {
    case Model::SeverityColumn:
        return tr("Error: a defect, if the reports of the target are true. Warning: probably a "
                  "defect. Information: unusual, but a healthy program may do this.");
    case Model::WhereColumn: return tr("Suspension point, and the coroutines that wait there");
    case Model::CountColumn: return tr("Coroutines");
    case Model::ConfidenceColumn: return tr("How sure the rule is");
    case Model::SinceColumn: return tr("Since when the first of the coroutines is in this state, from the start");
    case Model::GrowthColumn: return tr("Coroutines that joined in the 10 s before the judgement");
    default: return {};
    }
}

}  // namespace ct
