// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/findingtext.h"

#include "ui/format/descriptorformat.h"
#include "ui/format/findingsformat.h"
#include "ui/format/format.h"
#include "ui/format/locationformat.h"
#include "ui/format/waitformat.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>

#include <algorithm>

namespace ct::format {

namespace {

constexpr std::size_t kMostTransitions = 8;
constexpr std::size_t kMostLinks = 16;
constexpr qsizetype kLongestLocation = 60;  ///< characters: a label wraps only between words

QString tr(const char *text)
{
    return QCoreApplication::translate("FindingText", text);
}

QString section(const QString &title, const QStringList &htmlLines)
{
    if (htmlLines.isEmpty())
        return {};
    return QStringLiteral("<p><b>%1</b><br>%2</p>").arg(title, htmlLines.join(QStringLiteral("<br>")));
}

QString linkTo(const FindingSubject &subject, CoroutineId id)
{
    const QString title = shortened(coroutineTitle(subject.population, id, subject.resolver));
    return QStringLiteral("<a href=\"coroutine:%1\">%2</a>").arg(id).arg(title.toHtmlEscaped());
}

QString who(const FindingSubject &subject, CoroutineId by, std::uint32_t pid, std::uint32_t tid)
{
    if (by != kNoCoroutine)
        return linkTo(subject, by);
    const QString name = thread(&subject.population, pid, tid).toHtmlEscaped();
    return name.isEmpty() ? tr("an unknown thread") : tr("thread %1").arg(name);
}

QString ago(const FindingSubject &subject, std::uint64_t ts)
{
    return ts <= subject.judgedAt ? tr("%1 before the judgement").arg(duration(subject.judgedAt - ts))
                                  : tr("%1 after the judgement").arg(duration(ts - subject.judgedAt));
}

QStringList ownLines(const ReportedFinding &reported)
{
    QStringList lines{printableLines(QString::fromStdString(reported.finding.message)).toHtmlEscaped()};
    for (const std::string &evidence : reported.finding.evidence)
        lines << QStringLiteral("• ") + printableLines(QString::fromStdString(evidence)).toHtmlEscaped();
    return lines;
}

/// The latest events up to `until`, oldest first. History reads forwards, so this looks back further and further.
std::vector<HistoryEvent> latestEvents(const FindingSubject &subject, CoroutineId id, std::uint64_t until)
{
    constexpr std::size_t kLimit = 256;
    std::vector<HistoryEvent> latest;
    for (std::uint64_t back = 1'000'000;; back *= 8) {
        std::vector<HistoryEvent> events = subject.history.events(id, until - std::min(until, back), until + 1, kLimit);
        if (events.size() >= kLimit && !latest.empty())
            break;  // these are the earliest ones, and there are later ones
        const bool isAll = back >= until || events.size() == latest.size();
        latest = std::move(events);
        if (latest.size() >= kMostTransitions || (isAll && back > 60'000'000'000))
            break;
    }
    if (latest.size() > kMostTransitions)
        latest.erase(latest.begin(), latest.end() - kMostTransitions);
    return latest;
}

QStringList transitionLines(const FindingSubject &subject, CoroutineId id)
{
    QStringList lines;
    const std::uint32_t pid = subject.population.at(id).pid;
    for (const HistoryEvent &event : latestEvents(subject, id, subject.judgedAt)) {
        if (event.type == HistoryEvent::Type::Gap || event.type == HistoryEvent::Type::Absent) {
            lines << tr("…events are missing");
            continue;
        }
        const bool suspends = event.type == HistoryEvent::Type::Suspend;
        const ShownLocation where =
            shownLocation(subject.population, subject.resolver, event.site, {id, pid, event.addr, event.ts, false});
        const QString what = suspends ? tr("suspended at %1").arg(location(where)) : tr("resumed");
        lines << tr("%1 %2, on thread %3")
                     .arg(instant(subject, event.ts), what, thread(&subject.population, pid, event.tid))
                     .toHtmlEscaped();
    }
    return lines;
}

QStringList wakeLines(const FindingSubject &subject, const Circumstances &found)
{
    if (!found.notes.lastWake)
        return {};
    const Wake &wake = *found.notes.lastWake;
    const QString by = who(subject, wake.by, wake.pid, wake.tid);
    const QString line = tr("%1, by %2").arg(ago(subject, wake.ts), by);
    return {found.notes.woken ? tr("%1; it has not been resumed since").arg(line)
                              : tr("%1; that was for an earlier suspension").arg(line)};
}

QString useLine(const FindingSubject &subject, const QString &what, const Use &use)
{
    const Site *const site = subject.population.site(use.site);
    const QString line = tr("%1 %2, by %3").arg(what, ago(subject, use.ts), who(subject, use.by, use.pid, use.tid));
    return site ? tr("%1 at %2").arg(line, location(site, 0).toHtmlEscaped()) : line;
}

/// Who last touched the objects that it waits for.
QStringList objectLines(const FindingSubject &subject, const Circumstances &found)
{
    QStringList lines;
    for (std::size_t i = 0; i < found.waits.size(); ++i) {
        lines << waitsOn(subject.population, found.waits[i], subject.judgedAt).toHtmlEscaped();
        if (i >= found.objects.size() || !found.objects[i])
            continue;
        const ObjectState &state = *found.objects[i];
        std::vector<std::pair<const Use *, QString>> uses = {
            {&state.acquired, tr("acquired")}, {&state.released, tr("released")}, {&state.signalled, tr("signalled")}};
        std::erase_if(uses, [](const auto &use) { return use.first->ts == 0; });
        std::sort(uses.begin(), uses.end(), [](const auto &a, const auto &b) { return a.first->ts > b.first->ts; });
        for (const auto &[use, what] : uses)
            lines << QStringLiteral("• ") + useLine(subject, what, *use);
        if (state.woke.ts != 0)
            lines << QStringLiteral("• ") +
                         tr("woke %1 %2").arg(linkTo(subject, state.woke.coroutine), ago(subject, state.woke.ts));
    }
    return lines;
}

/// Who waits for whom, from the outermost coroutine to the root.
QStringList chainLines(const FindingSubject &subject, const Circumstances &found)
{
    const AwaitChain &chain = found.chain;
    if (chain.coroutines.size() < 2 && chain.holders.empty())
        return {};
    QStringList lines;
    const std::size_t begin = chain.self > kMostLinks ? chain.self - kMostLinks : 0;
    const std::size_t end = std::min(chain.coroutines.size(), chain.self + 1 + kMostLinks);
    if (begin != 0 || chain.goesOnOutwards)
        lines << QStringLiteral("…");
    for (std::size_t i = begin; i < end; ++i) {
        const CoroutineSnapshot link = subject.population.at(chain.coroutines[i]);
        const QString where = location(shownLocation(subject.population, subject.resolver, link)).toHtmlEscaped();
        QString line =
            i == chain.self ? QStringLiteral("<b>%1</b>").arg(linkTo(subject, link.id)) : linkTo(subject, link.id);
        if (!where.isEmpty())
            line += tr(" at %1").arg(where);
        lines << (i + 1 < chain.coroutines.size() ? tr("%1 awaits").arg(line) : line);
    }
    if (end != chain.coroutines.size() || chain.goesOnInwards)
        lines << QStringLiteral("…");
    else if (chain.isCycle)
        lines << tr("which awaits %1: a cycle").arg(linkTo(subject, chain.coroutines.front()));
    else if (!chain.waits.empty())
        lines << tr("which waits for %1").arg(waits(subject.population, chain.waits, subject.judgedAt).toHtmlEscaped());
    for (const Use &holder : chain.holders)
        lines << tr("held by %1").arg(who(subject, holder.by, holder.pid, holder.tid));
    return lines;
}

QStringList processLines(const FindingSubject &subject, const Circumstances &found)
{
    QStringList lines;
    const std::uint32_t pid = found.coroutine.pid;
    for (const auto &[what, tids] : threadsByActivity(found.threads)) {
        QStringList names;
        for (const std::uint32_t tid : tids)
            if (names.size() < 4)
                names << thread(&subject.population, pid, tid);
        const QString more = tids.size() > 4 ? QStringLiteral(", …") : QString();
        lines << tr("%1 %2: %3%4")
                     .arg(tids.size() == 1 ? tr("1 thread") : tr("%1 threads").arg(count(tids.size())), what,
                          names.join(QStringLiteral(", ")), more)
                     .toHtmlEscaped();
    }
    lines << descriptorLines(found.descriptors, subject.judgedAt);
    return lines;
}

/// What would make the rule say something else.
QString changeText(Rule rule)
{
    switch (rule) {
    case Rule::LostWakeup:
        return tr(
            "The finding disappears when the coroutine is resumed. A wait that ends later raises the longest wait "
            "of its site, with which others are compared. If the program reported what it waits for, a proof "
            "would replace the comparison.");
    case Rule::NeverRun:
    case Rule::LostWakeRace: return tr("The finding disappears when a thread resumes the coroutine.");
    case Rule::Stall:
        return tr("The finding disappears when any thread leaves its wait, or when a timer is armed or a socket is "
                  "added to an epoll.");
    case Rule::Deadlock:
        return tr("The finding disappears when one coroutine of the cycle gets what it waits for, for example when a "
                  "lock is released.");
    case Rule::LongRun:
    case Rule::BlockingCall: return tr("The finding disappears when the coroutine suspends, or ends.");
    case Rule::Starvation: return tr("The finding disappears when a thread resumes the coroutine.");
    case Rule::NeverStarted: return tr("The finding disappears when the coroutine is resumed, or destroyed.");
    default: return tr("The finding disappears when the state that it describes ends.");
    }
}

}  // namespace

QString instant(const FindingSubject &subject, std::uint64_t ts)
{
    if (subject.wallClock != 0) {
        const qint64 ms = (subject.wallClock + static_cast<std::int64_t>(ts)) / 1'000'000;
        return QDateTime::fromMSecsSinceEpoch(ms).toString(QStringLiteral("HH:mm:ss.zzz"));
    }
    return ts >= subject.origin ? u'+' + duration(ts - subject.origin) : QChar(0x2212) + duration(subject.origin - ts);
}

QString findingSentence(const FindingSubject &subject, const ReportedFinding &reported)
{
    const Finding &finding = reported.finding;
    const std::size_t number = finding.coroutines.size();
    if (number == 0)
        return printableLines(QString::fromStdString(finding.message));
    const QString where = shortened(location(reported), kLongestLocation);
    const QString since = instant(subject, finding.since);
    if (finding.rule == Rule::LongRun || finding.rule == Rule::BlockingCall)
        return tr("%1 running since %2, after a suspension at %3").arg(coroutines(number), since, where);
    QString text = number == 1 ? tr("1 coroutine suspended at %1 since %2").arg(where, since)
                               : tr("%1 suspended at %2, the first since %3").arg(coroutines(number), where, since);
    const SiteStatistics completed = subject.population.siteStatistics(finding.site);
    if (finding.site != kUnknownSite && completed.completed != 0)
        text += tr("; before that, 99 % came back within %1").arg(duration(completed.quantile(0.99)));
    return text;
}

QString findingEvidence(const FindingSubject &subject, const ReportedFinding &reported, CoroutineId coroutine,
                        const Circumstances *found)
{
    QString html = section(tr("Evidence"), ownLines(reported));
    if (coroutine == kNoCoroutine)
        return html + section(tr("What would change the verdict"), {changeText(reported.finding.rule)});
    if (!reported.finding.coroutines.empty() && reported.finding.coroutines.front() != coroutine)
        html += section(tr("This evidence is about"), {linkTo(subject, reported.finding.coroutines.front())});
    html += section(tr("Last transitions of %1").arg(linkTo(subject, coroutine)), transitionLines(subject, coroutine));
    if (!found)
        return html + section(tr("It has changed since"),
                              {tr("The rest of the evidence is no longer there: the coroutine has run, or has ended, "
                                  "since it was judged.")});
    html += section(tr("Waits for"), objectLines(subject, *found));
    html += section(tr("Last woken"), wakeLines(subject, *found));
    html += section(tr("Who waits for whom"), chainLines(subject, *found));
    html += section(tr("Threads and descriptors of its process"), processLines(subject, *found));
    return html + section(tr("What would change the verdict"), {changeText(reported.finding.rule)});
}

}  // namespace ct::format
