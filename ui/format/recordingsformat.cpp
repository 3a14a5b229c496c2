// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/recordingsformat.h"

#include "core/target/printabletext.h"
#include "ui/format/format.h"

#include <QDateTime>
#include <QFile>
#include <QLocale>

namespace ct {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
/// Most characters of a command in a tooltip.
constexpr qsizetype kMostOfCommand = 400;

bool isNumber(int column)
{
    return column == RecordingsModel::DurationColumn || column == RecordingsModel::BytesColumn ||
           column == RecordingsModel::EventsColumn;
}

QString stateName(const RecordedRun &run)
{
    switch (run.state) {
    case RecordedRun::State::Complete: return run.isOpen ? RecordingsFormat::tr("open") : QString();
    case RecordedRun::State::Recording: return RecordingsFormat::tr("recording…");
    case RecordedRun::State::Interrupted: return RecordingsFormat::tr("interrupted");
    case RecordedRun::State::Unreadable: return RecordingsFormat::tr("cannot be read");
    }
    return {};
}

QString stateDetails(const RecordedRun &run)
{
    switch (run.state) {
    case RecordedRun::State::Complete:
        return run.isOpen ? RecordingsFormat::tr("Complete, and open in a window") : RecordingsFormat::tr("Complete");
    case RecordedRun::State::Recording: return RecordingsFormat::tr("The recording is being written now");
    case RecordedRun::State::Interrupted:
        return RecordingsFormat::tr("The recording is incomplete: the window was killed, or "
                                    "the disk was full. The part written before can be "
                                    "opened.");
    case RecordedRun::State::Unreadable: return format::verbatim(printable(run.error));
    }
    return {};
}

QString commandLine(const RecordedRun &run)
{
    QStringList words;
    for (const std::string &word : run.command)
        words << printable(word);
    return words.join(u' ');
}

}  // namespace

RecordingsFormat::RecordingsFormat(RecordingsModel *model, QObject *parent)
    : QSortFilterProxyModel(parent), m_model(model)
{
    setSourceModel(model);
    setSortRole(RecordingsModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void RecordingsFormat::setNow(std::uint64_t now)
{
    m_now = now;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, RecordingsModel::BegunColumn), index(rowCount() - 1, RecordingsModel::BegunColumn),
                           {Qt::DisplayRole});
}

QString RecordingsFormat::age(std::uint64_t begun, std::uint64_t now)
{
    const std::uint64_t seconds = now > begun ? (now - begun) / kSecond : 0;
    if (seconds < 5)
        return tr("just now");
    if (seconds < 60)
        return tr("%1 s ago").arg(seconds);
    if (seconds < 3600)
        return tr("%1 min ago").arg(seconds / 60);
    if (seconds < 86400)
        return tr("%1 h ago").arg(seconds / 3600);
    return tr("%1 d ago").arg(seconds / 86400);
}

QString RecordingsFormat::text(const RecordedRun &run, int column) const
{
    const bool isKnown = run.state != RecordedRun::State::Unreadable;
    switch (column) {
    case RecordingsModel::NameColumn: return format::targetName(run.name);
    case RecordingsModel::BegunColumn: return age(run.begun, m_now);
    case RecordingsModel::DurationColumn: return isKnown ? format::duration(run.duration) : QString();
    case RecordingsModel::BytesColumn: return format::bytes(run.bytes);
    case RecordingsModel::EventsColumn: return isKnown ? format::briefCount(run.events) : QString();
    case RecordingsModel::StateColumn: return stateName(run);
    default: return {};
    }
}

QString RecordingsFormat::toolTip(const RecordedRun &run, int column)
{
    switch (column) {
    case RecordingsModel::NameColumn: {
        const QString path = printable(QFile::decodeName(run.files.front().c_str()));
        const QString command = format::shortened(commandLine(run), kMostOfCommand);
        return format::verbatim(command.isEmpty() ? path : command + u'\n' + path);
    }
    case RecordingsModel::BegunColumn:
        return QLocale().toString(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(run.begun / 1'000'000)),
                                  QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    case RecordingsModel::DurationColumn:
        return run.segment == 0 ? format::duration(run.duration)
                                : tr("%1; the beginning was deleted to make room for later events")
                                      .arg(format::duration(run.duration));
    case RecordingsModel::BytesColumn:
        return run.files.size() == 1 ? tr("%1 bytes").arg(format::count(run.bytes))
                                     : tr("%1 bytes in %2 files").arg(format::count(run.bytes)).arg(run.files.size());
    case RecordingsModel::EventsColumn:
        return run.segment == 0  ? format::events(run.events)
               : run.events == 1 ? tr("%1 remains").arg(format::events(run.events))
                                 : tr("%1 remain").arg(format::events(run.events));
    case RecordingsModel::StateColumn: return stateDetails(run);
    default: return {};
    }
}

QVariant RecordingsFormat::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const int column = index.column();
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft)));
    const RecordedRun &run = m_model->run(mapToSource(index).row());
    if (role == Qt::DisplayRole)
        return text(run, column);
    if (role == Qt::ToolTipRole)
        return toolTip(run, column);
    return QSortFilterProxyModel::data(index, role);
}

QVariant RecordingsFormat::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isNumber(section) ? Qt::AlignRight : Qt::AlignLeft)));
    return QSortFilterProxyModel::headerData(section, orientation, role);
}

}  // namespace ct
