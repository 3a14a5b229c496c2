// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/format.h"

#include "core/target/printabletext.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <QTextDocument>

#include <cmath>
#include <cstring>

namespace ct::format {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Format", text);
}

constexpr QChar kSpace(0x00A0);  // between a number and its unit: never breaks
constexpr QChar kThin(0x202F);   // between groups of digits

/// One decimal below 100, none above: "4.2", "42.7", "427".
QString shortNumber(double value)
{
    return QLocale::c().toString(value, 'f', value < 99.95 ? 1 : 0);
}

/// Two units; leaves out the second one if it is 0: "3 min 12 s".
QString twoUnits(std::uint64_t major, const QString &majorUnit, std::uint64_t minor, const QString &minorUnit)
{
    QString text = QString::number(major) + kSpace + majorUnit;
    if (minor != 0)
        text += kSpace + QString::number(minor) + kSpace + minorUnit;
    return text;
}

/// Returns where the parameter list of a signature begins. Ignores parentheses inside template arguments, "(anonymous
/// namespace)" and operator().
qsizetype parametersAt(const QString &text)
{
    int depth = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text.at(i);
        if (c == u'<')
            ++depth;
        else if (c == u'>' && depth > 0)
            --depth;
        else if (c == u'(' && depth == 0) {
            const QStringView rest = QStringView(text).mid(i);
            if (rest.startsWith(u"(anonymous")) {
                i = text.indexOf(u')', i);
                if (i < 0)
                    return text.size();
            } else if (QStringView(text).left(i).endsWith(u"operator")) {
                ++i;  // the () of operator()
            } else {
                return i;
            }
        }
    }
    return text.size();
}

}  // namespace

QString duration(std::uint64_t ns)
{
    constexpr double kLimit = 999.5;  // from here on rounding would show 1000
    const double value = static_cast<double>(ns);
    if (ns < 1000)
        return QString::number(ns) + kSpace + tr("ns");
    if (value / 1e3 < kLimit)
        return shortNumber(value / 1e3) + kSpace + tr("µs");
    if (value / 1e6 < kLimit)
        return shortNumber(value / 1e6) + kSpace + tr("ms");
    if (value / 1e9 < 59.95)
        return shortNumber(value / 1e9) + kSpace + tr("s");
    const std::uint64_t seconds = ns / 1'000'000'000 + (ns % 1'000'000'000 >= 500'000'000 ? 1 : 0);
    if (seconds < 3600)
        return twoUnits(seconds / 60, tr("min"), seconds % 60, tr("s"));
    if (seconds < 86400)
        return twoUnits(seconds / 3600, tr("h"), seconds % 3600 / 60, tr("min"));
    return twoUnits(seconds / 86400, tr("d"), seconds % 86400 / 3600, tr("h"));
}

QString count(std::uint64_t value)
{
    QString digits = QString::number(value);
    for (qsizetype at = digits.size() - 3; at > 0; at -= 3)
        digits.insert(at, kThin);
    return digits;
}

QString rate(double perSecond)
{
    if (!std::isfinite(perSecond) || perSecond < 0)
        perSecond = 0;
    if (perSecond < 999.5)
        return tr("%1/s").arg(QString::number(std::llround(perSecond)));
    if (perSecond < 999.5e3)
        return tr("%1 k/s").arg(shortNumber(perSecond / 1e3)).replace(u' ', kSpace);
    return tr("%1 M/s").arg(QLocale::c().toString(perSecond / 1e6, 'f', 2)).replace(u' ', kSpace);
}

QString bytes(std::uint64_t size)
{
    static constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(size);
    std::size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < std::size(kUnits)) {
        value /= 1024;
        ++unit;
    }
    const bool whole = unit == 0 || std::floor(value) == value;
    return (whole ? QString::number(std::llround(value)) : shortNumber(value)) + kSpace + QLatin1String(kUnits[unit]);
}

QString address(std::uint64_t value)
{
    return value == 0 ? QString() : QStringLiteral("0x%1").arg(value, 0, 16);
}

QString eventCounts(const CoroutineSnapshot &coroutine)
{
    QString text = tr("%1 captured, %2 lost").arg(count(coroutine.events), count(coroutine.lost));
    if (coroutine.missed != 0)
        text += tr(", %1 missed before attach").arg(count(coroutine.missed));
    if (coroutine.unexplained != 0)
        text += tr(", %1 not in the recording").arg(count(coroutine.unexplained));
    return text;
}

QString missing(const MissingEvents &lacking)
{
    QStringList parts;
    if (lacking.lost != 0)
        parts.append(tr("%1 lost").arg(events(lacking.lost)));
    if (lacking.missed != 0)
        parts.append(tr("%1 missed before attach").arg(count(lacking.missed)));
    if (lacking.unexplained != 0)
        parts.append(tr("%1 not in the recording").arg(count(lacking.unexplained)));
    return parts.join(QStringLiteral(", "));
}

QString station(const CoroutineSnapshot &coroutine)
{
    const bool lane = coroutine.dialect == Dialect::Lane && coroutine.station >= kFirstLaneStation;
    return QString::number(lane ? coroutine.station - kFirstLaneStation : coroutine.station);
}

QString briefCount(std::uint64_t value)
{
    return value < 1'000'000 ? count(value)
                             : QLocale::c().toString(static_cast<double>(value) / 1e6, 'f', 2) + kSpace + u'M';
}

QString events(std::uint64_t value)
{
    return value == 1 ? tr("1 event") : tr("%1 events").arg(count(value));
}

QString coroutines(std::uint64_t value)
{
    return value == 1 ? tr("1 coroutine") : tr("%1 coroutines").arg(count(value));
}

QString stationCount(const RegionGauges &gauges)
{
    const QString used = count(gauges.stationsAllocated);
    const bool few = std::uint64_t{gauges.stationsAllocated} * 20 < gauges.stationsMax;
    return few ? used : tr("%1 of %2").arg(used, count(gauges.stationsMax));
}

QString fileName(const Site &site)
{
    const std::size_t slash = site.file.find_last_of('/');
    return printable(slash == std::string::npos ? site.file : site.file.substr(slash + 1));
}

QString shortFunction(const std::string &function)
{
    QString text = printable(function).trimmed();
    text.truncate(parametersAt(text));
    text = text.trimmed();
    int depth = 0;
    const bool isOperator = text.contains(QLatin1String("operator"));
    for (qsizetype i = text.size() - 1; i >= 0 && !isOperator; --i) {
        const QChar c = text.at(i);
        if (c == u'>')
            ++depth;
        else if (c == u'<')
            --depth;
        else if (depth == 0 && (c == u' ' || c == u':' || c == u'*' || c == u'&'))
            return text.mid(i + 1);
    }
    return text;
}

QString targetName(const std::string &name)
{
    QString text = QString::fromStdString(name);
    for (QChar &c : text) {
        const bool isInvisible = c.category() == QChar::Other_Control || c.category() == QChar::Other_Format;
        if ((isInvisible && !isJoiner(c.unicode())) || c == QChar(0x2028) || c == QChar(0x2029))
            c = u' ';
    }
    return printable(text.simplified());
}

QString coroutineName(const Population &population, const CoroutineSnapshot &coroutine, AddressResolver *resolver)
{
    if (population.hasName(coroutine.id))
        if (QString name = targetName(population.notes(coroutine.id).name); !name.isEmpty())
            return name;
    const SiteId id = coroutine.bodySite != kUnknownSite ? coroutine.bodySite : coroutine.site;
    const Site *site = population.site(id);
    const AddressResolver::Answer answer =
        resolver && !site ? resolver->resolveOrRequest(AddressResolver::queryOf(coroutine)) : nullptr;
    // Use the outermost function; the other ones were inlined into it.
    QString text = site                                ? printable(site->function).trimmed()
                   : answer && !answer->frames.empty() ? printable(answer->frames.back().function)
                                                       : QString();
    text.truncate(parametersAt(text));
    for (const char *unnamed : {"{anonymous}::", "(anonymous namespace)::"})
        text.remove(QLatin1String(unnamed));
    return text.trimmed();
}

QString location(const Site *site, std::uint64_t addr)
{
    if (!site || (site->file.empty() && site->function.empty()))
        return address(addr);
    const QString function = shortFunction(site->function);
    QString where = fileName(*site);
    if (!where.isEmpty() && site->line != 0)
        where += u':' + QString::number(site->line);
    if (function.isEmpty())
        return where;
    return where.isEmpty() ? function : function + u' ' + where;
}

QString locationDetails(const Site *site, std::uint64_t addr)
{
    QStringList lines;
    if (site && !site->function.empty())
        lines << printable(site->function);
    if (site && !site->file.empty()) {
        QString where = printable(site->file);
        if (site->line != 0)
            where += u':' + QString::number(site->line);
        if (site->line != 0 && site->column != 0)
            where += u':' + QString::number(site->column);
        lines << where;
    }
    if (addr != 0)
        lines << tr("address %1").arg(address(addr));
    return lines.join(u'\n');
}

QString printableLines(const QString &text)
{
    QStringList lines = text.split(u'\n');
    for (QString &line : lines)
        line = printable(line);
    return lines.join(u'\n');
}

QString verbatim(const QString &text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

QString shortened(const QString &text, qsizetype most)
{
    if (text.size() <= most)
        return text;
    return text.left(most * 2 / 3).trimmed() + QChar(0x2026) + text.right(most / 3 - 1).trimmed();
}

QString coroutineTitle(const Population &population, CoroutineId id, AddressResolver *resolver)
{
    if (id == kNoCoroutine)
        return {};
    const QString name =
        id < population.size() ? shortened(coroutineName(population, population.at(id), resolver)) : QString();
    const QString number = QStringLiteral("#%1").arg(id);
    return name.isEmpty() ? number : name + kSpace + number;
}

QString thread(const Population *population, std::uint32_t pid, std::uint32_t tid)
{
    if (tid == 0)
        return {};
    const QString name = population ? targetName(population->threadName(pid, tid)) : QString();
    return name.isEmpty() ? QString::number(tid) : QStringLiteral("%1 (%2)").arg(name).arg(tid);
}

QString process(const std::string &name, std::uint32_t pid)
{
    if (pid == 0)
        return {};
    const QString shown = targetName(name);
    return shown.isEmpty() ? QString::number(pid) : QStringLiteral("%1 (%2)").arg(shown).arg(pid);
}

QString stateName(CoroutineState state)
{
    switch (state) {
    case CoroutineState::Created: return tr("Created");
    case CoroutineState::Runnable: return tr("Runnable");
    case CoroutineState::Running: return tr("Running");
    case CoroutineState::Suspended: return tr("Suspended");
    case CoroutineState::Finished: return tr("Finished");
    case CoroutineState::Destroyed: return tr("Destroyed");
    case CoroutineState::Unknown: return tr("Unknown");
    }
    return tr("Unknown");
}

QString contradiction()
{
    return tr(
        "The station of this coroutine is inconsistent: two threads may write to it. The coroutine is not judged.");
}

QString pointKindName(PointKind kind)
{
    switch (kind) {
    case PointKind::Await: return tr("co_await");
    case PointKind::Initial: return tr("initial suspend");
    case PointKind::Final: return tr("final suspend");
    case PointKind::Yield: return tr("co_yield");
    }
    return {};
}

QString dialectName(Dialect dialect)
{
    switch (dialect) {
    case Dialect::Unknown: return tr("not known yet");
    case Dialect::Seqlock: return tr("seqlock");
    case Dialect::Monotonic: return tr("monotonic");
    case Dialect::Lane: return tr("lane");
    }
    return {};
}

QString runStateName(RunState state)
{
    switch (state) {
    case RunState::Idle: return tr("Idle");
    case RunState::Waiting: return tr("Waiting for the target");
    case RunState::Capturing: return tr("Capturing");
    case RunState::Draining: return tr("Reading the rest");
    case RunState::Ended: return tr("Ended");
    }
    return {};
}

QString exitText(const ExitStatus &status)
{
    if (status.signal == 0)
        return tr("exited with status %1").arg(status.code);
    return tr("killed by signal %1 (%2)").arg(status.signal).arg(QString::fromLocal8Bit(strsignal(status.signal)));
}

QString loading(double progress, const RecordingOverview *overview)
{
    const QString text = tr("Loading, %1 %").arg(static_cast<int>(progress * 100));
    if (!overview || overview->transitions == 0)
        return text;
    return tr("%1 of %2 events, %3")
        .arg(text, briefCount(overview->transitions), duration(overview->lastTs - overview->firstTs));
}

}  // namespace ct::format
