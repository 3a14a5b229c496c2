// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/coroutineformat.h"

#include "ui/format/colors.h"
#include "ui/format/coroutinetooltip.h"
#include "ui/format/findingsformat.h"
#include "ui/format/format.h"
#include "ui/format/icons.h"
#include "ui/format/locationformat.h"
#include "ui/format/waitformat.h"

namespace ct {

namespace {

using Model = CoroutineTableModel;

CoroutineState stateOf(const QModelIndex &source)
{
    return static_cast<CoroutineState>(source.data(Model::StateRole).toInt());
}

bool isNumeric(int column)
{
    switch (column) {
    case Model::NameColumn:
    case Model::StateColumn:
    case Model::WhereColumn:
    case Model::WaitsOnColumn:
    case Model::ProcessColumn:
    case Model::ParentColumn: return false;
    default: return true;
    }
}

/// Indents the title of a text column that follows a number.
QString indented(const QString &title)
{
    return QStringLiteral("   ") + title;
}

std::uint64_t elapsed(std::uint64_t from, std::uint64_t to)
{
    return to > from ? to - from : 0;
}

}  // namespace

CoroutineFormat::CoroutineFormat(CoroutineTableModel *model, QObject *parent)
    : QIdentityProxyModel(parent), m_model(model), m_colors(&lightColors())
{
    setSourceModel(model);
}

void CoroutineFormat::setLook(const QPalette &palette, const QFont &digits)
{
    m_colors = &colorsFor(palette);
    m_digits = digits;
    for (std::size_t i = 0; i < m_dots.size(); ++i) {
        const QColor color = stateColor(*m_colors, static_cast<CoroutineState>(i));
        m_dots[i] = QIcon(icons::dot(color, 12, 1));
        m_dots[i].addPixmap(icons::dot(color, 12, 2));
    }
    m_stuckDot = QIcon(icons::dot(m_colors->stuck, 12, 1));
    m_stuckDot.addPixmap(icons::dot(m_colors->stuck, 12, 2));
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void CoroutineFormat::setTrace(std::shared_ptr<AddressResolver> resolver)
{
    m_resolver = std::move(resolver);
    m_model->setResolver(m_resolver);
    m_suspects.reset();
    m_processes.clear();
}

void CoroutineFormat::sample()
{
    if (!m_resolver || m_resolver->generation() == m_generationSeen)
        return;
    m_generationSeen = m_resolver->generation();
    m_model->locationsChanged();
}

void CoroutineFormat::setSuspects(std::shared_ptr<const Suspects> suspects)
{
    m_suspects = std::move(suspects);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, Model::StateColumn), index(rowCount() - 1, Model::SinceColumn));
}

const Suspects::Suspect *CoroutineFormat::suspect(const QModelIndex &source) const
{
    if (!m_suspects || !isSuspended(stateOf(source)))
        return nullptr;
    return m_suspects->find(m_model->snapshotOf(source.data(Model::CoroutineIdRole).toUInt()));
}

QVariant CoroutineFormat::data(const QModelIndex &index, int role) const
{
    const QModelIndex source = mapToSource(index);
    if (!source.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole: return text(source);
    case Qt::ForegroundRole: return foreground(source);
    case Qt::ToolTipRole: return toolTip(source);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isNumeric(index.column()) ? Qt::AlignRight : Qt::AlignLeft)));
    case Qt::FontRole: return isNumeric(index.column()) ? QVariant(m_digits) : QVariant();
    case Qt::DecorationRole:
        if (index.column() == Model::StateColumn && suspect(source))
            return m_stuckDot;
        if (index.column() == Model::StateColumn)
            return m_dots[std::min<std::size_t>(static_cast<std::size_t>(stateOf(source)), m_dots.size() - 1)];
        return {};
    default: return QIdentityProxyModel::data(index, role);
    }
}

QVariant CoroutineFormat::text(const QModelIndex &source) const
{
    const QVariant raw = source.data();
    switch (source.column()) {
    case Model::IdColumn: return QString::number(raw.toUInt());
    case Model::NameColumn: return nameText(source);
    case Model::StateColumn: return suspect(source) ? tr("Stuck") : format::stateName(stateOf(source));
    case Model::SinceColumn:
        return format::duration(elapsed(raw.toULongLong(), source.data(Model::NowRole).toULongLong()));
    case Model::WhereColumn: {
        const Population *population = m_model->population();
        const CoroutineSnapshot coroutine = m_model->snapshotOf(source.data(Model::CoroutineIdRole).toUInt());
        return population ? format::location(shownLocation(*population, m_resolver.get(), coroutine)) : QString();
    }
    case Model::WaitsOnColumn: return waitText(source);
    case Model::ThreadColumn:
        return format::thread(m_model->population(), source.data(Model::PidRole).toUInt(), raw.toUInt());
    case Model::ProcessColumn: return processName(raw.toUInt());
    case Model::ParentColumn:
        return m_model->population() ? format::coroutineTitle(*m_model->population(), raw.toUInt(), m_resolver.get())
                                     : QString();
    case Model::EventsColumn:
    case Model::LostColumn: return format::briefCount(raw.toULongLong());
    case Model::RunTimeColumn:
    case Model::SuspendedTimeColumn: return format::duration(raw.toULongLong());
    case Model::BirthColumn: {
        const std::uint64_t birth = raw.toULongLong();
        if (birth == 0)
            return QString();
        return birth >= m_origin ? u'+' + format::duration(birth - m_origin)
                                 : QChar(0x2212) + format::duration(m_origin - birth);
    }
    default: return {};
    }
}

QString CoroutineFormat::nameText(const QModelIndex &source) const
{
    QString name = format::targetName(source.data().toString().toStdString());
    const auto id = source.data(Model::CoroutineIdRole).toUInt();
    if (const Population *population = m_model->population(); population && name.isEmpty())
        name = format::coroutineName(*population, m_model->snapshotOf(id), m_resolver.get());
    const std::uint32_t generators = m_model->groupSize(id);
    return generators == 1 ? name : tr("%1 ×%2").arg(name, format::count(generators));
}

QString CoroutineFormat::waitText(const QModelIndex &source) const
{
    const std::optional<WaitsOn> wait = m_model->waitOf(source.data(Model::CoroutineIdRole).toUInt());
    return wait && m_model->population() ? format::waitsOn(*m_model->population(), *wait, m_model->now()) : QString();
}

QString CoroutineFormat::processName(std::uint32_t pid) const
{
    if (pid == 0 || !m_model->population())
        return {};
    auto &name = m_processes[pid];
    if (name.isEmpty())
        name = processText(*m_model->population(), pid);
    return name;
}

QVariant CoroutineFormat::foreground(const QModelIndex &source) const
{
    if (source.column() == Model::LostColumn)
        return source.data().toULongLong() > 0 ? m_colors->lossText : m_colors->textMuted;
    const CoroutineState state = stateOf(source);
    const bool showsStuck = source.column() == Model::StateColumn || source.column() == Model::SinceColumn;
    if (showsStuck && suspect(source))
        return m_colors->warningText;
    if (state == CoroutineState::Destroyed || source.data(Model::EndedRole).toBool())
        return m_colors->textMuted;
    if (source.column() == Model::WhereColumn && !isSuspended(state))
        return m_colors->textMuted;  // its latest suspension point, where it is no longer
    if (source.column() == Model::NameColumn && source.data().toString().isEmpty())
        return m_colors->textMuted;  // the name of its function
    return {};
}

QString CoroutineFormat::coroutineTip(const QModelIndex &source) const
{
    if (!m_model->population())
        return {};
    const auto id = source.data(Model::CoroutineIdRole).toUInt();
    const QString tip = coroutineToolTip(*m_model->population(), id, m_model->now(), m_resolver.get());
    const std::uint32_t generators = m_model->groupSize(id);
    if (generators == 1)
        return tip;
    return QStringLiteral("<p>%1</p>")
               .arg(tr("This row is of %1 generators of one function. Its events, losses and durations are "
                       "sums. The rest is of the first generator.")
                        .arg(format::count(generators))) +
           tip;
}

QString CoroutineFormat::locationToolTip(const QModelIndex &source) const
{
    const Population *population = m_model->population();
    if (!population)
        return {};
    const CoroutineSnapshot coroutine = m_model->snapshotOf(source.data(Model::CoroutineIdRole).toUInt());
    QString text = format::locationDetails(shownLocation(*population, m_resolver.get(), coroutine));
    if (text.isEmpty())
        return tr("Not suspended yet");
    text += u'\n' + format::pointKindName(static_cast<PointKind>(source.data(Model::KindRole).toInt()));
    if (stateOf(source) == CoroutineState::Running)
        text.prepend(tr("Latest suspension:") + u'\n');
    return text;
}

QString CoroutineFormat::toolTip(const QModelIndex &source) const
{
    switch (source.column()) {
    case Model::IdColumn:
    case Model::NameColumn:
    case Model::WaitsOnColumn:
    case Model::ParentColumn: return coroutineTip(source);
    case Model::StateColumn:
        if (source.data(Model::FlaggedRole).toBool())
            return format::contradiction();
        if (stateOf(source) == CoroutineState::Unknown)
            return tr("The latest transition was lost.");
        if (const Suspects::Suspect *found = suspect(source))
            return format::suspicion(*found);
        return stateOf(source) == CoroutineState::Runnable ? tr("Woken, and no thread has resumed it yet")
                                                           : format::stateName(stateOf(source));
    case Model::WhereColumn: return locationToolTip(source);
    case Model::SinceColumn: {
        const QString lasted = data(mapFromSource(source), Qt::DisplayRole).toString();
        return source.data(Model::EndedRole).toBool() ? tr("%1, until its process ended").arg(lasted) : lasted;
    }
    case Model::LostColumn:
        return tr("Events that were overwritten before they could be captured, or that a full lane refused.");
    default: return data(mapFromSource(source), Qt::DisplayRole).toString();
    }
}

QVariant CoroutineFormat::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isNumeric(section) ? Qt::AlignRight : Qt::AlignLeft)));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const bool tip = role == Qt::ToolTipRole;
    switch (section) {
    case Model::IdColumn: return tip ? tr("Number of the coroutine in this run") : tr("Id");
    case Model::NameColumn:
        return tip ? tr("The name that the target gave it, else the function that it runs") : indented(tr("Name"));
    case Model::StateColumn: return tip ? tr("Present state") : tr("State");
    case Model::SinceColumn: return tip ? tr("How long it has been in this state") : tr("For");
    case Model::WhereColumn: return tip ? tr("Latest suspension point") : indented(tr("Where"));
    case Model::WaitsOnColumn: return tip ? format::waitsOnToolTip() : tr("Waits on");
    case Model::ProcessColumn: return tip ? tr("Process of the coroutine") : indented(tr("Process"));
    case Model::ParentColumn:
        return tip ? tr("Coroutine that created it, if the target reported one") : indented(tr("Parent"));
    case Model::ThreadColumn: return tip ? tr("Thread of the latest transition") : tr("Thread");
    case Model::EventsColumn: return tip ? tr("Transitions captured") : tr("Events");
    case Model::LostColumn: return tip ? tr("Transitions not captured") : tr("Lost");
    case Model::RunTimeColumn: return tip ? tr("Time spent running so far") : tr("Run time");
    case Model::SuspendedTimeColumn: return tip ? tr("Time spent suspended so far") : tr("Suspended");
    case Model::BirthColumn: return tip ? tr("Time of its birth, since the run began") : tr("Born");
    default: return {};
    }
}

}  // namespace ct
