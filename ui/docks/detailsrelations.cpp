// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/detailsrelations.h"

#include "core/analysis/awaitchain.h"
#include "ui/format/format.h"
#include "ui/format/waitformat.h"

#include <QFormLayout>
#include <QLabel>
#include <QStringList>

#include <algorithm>

namespace ct {

namespace {

const QLatin1String kTreeLink("tree");
constexpr QChar kEllipsis(0x2026);

QString link(const QString &target, const QString &text)
{
    return QStringLiteral("<a href=\"%1\">%2</a>").arg(target, text.toHtmlEscaped());
}

QString linkTo(const Population &population, CoroutineId id)
{
    return id == kNoCoroutine ? QString() : link(QString::number(id), format::coroutineTitle(population, id));
}

/// The coroutines of a chain that a view shows: those around the selected one.
struct ChainPart {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool goesOnOutwards = false;
    bool goesOnInwards = false;
};
ChainPart partOf(const AwaitChain &chain, std::size_t outer, std::size_t inner)
{
    const std::size_t begin = chain.self - std::min(chain.self, outer);
    const std::size_t end = std::min(chain.coroutines.size(), chain.self + 1 + inner);
    return {begin, end, chain.goesOnOutwards || begin != 0, chain.goesOnInwards || end != chain.coroutines.size()};
}

const QLatin1String kLineBreak("<br/>");

/// A link of a chain: the coroutine, and where it is suspended.
QString linkText(const Population &population, CoroutineId id, bool isSelf)
{
    constexpr qsizetype kMostOfTitle = 28;
    const QString title = format::shortened(format::coroutineTitle(population, id), kMostOfTitle);
    const QString text =
        isSelf ? QStringLiteral("<b>%1</b>").arg(title.toHtmlEscaped()) : link(QString::number(id), title);
    const Site *const site = population.site(population.at(id).site);
    return site ? DetailsRelations::tr("%1 at %2").arg(text, format::location(site, 0).toHtmlEscaped()) : text;
}

/// The chain as a stack with links, one line for each coroutine, the innermost first: "lock 0x7ffd1234",
/// "<- <b>b</b> at net.cpp:88", "<- a". Empty for a coroutine that awaits none and is not awaited.
QString chainText(const Population &population, const AwaitChain &chain, std::uint64_t now)
{
    const bool isAlone = chain.coroutines.size() == 1 && !chain.isCycle && !chain.goesOnInwards;
    if (isAlone)
        return {};
    constexpr std::size_t kMostInEachDirection = 4;
    const ChainPart part = partOf(chain, kMostInEachDirection, kMostInEachDirection);
    QStringList lines;
    if (part.goesOnInwards)
        lines << QString(kEllipsis);
    else if (chain.isCycle)
        lines << DetailsRelations::tr("%1: a deadlock").arg(linkTo(population, chain.coroutines.front()));
    else if (!chain.waits.empty())
        lines << format::waits(population, chain.waits, now).toHtmlEscaped();
    for (std::size_t i = part.end; i-- > part.begin;)
        lines << linkText(population, chain.coroutines[i], i == chain.self);
    if (part.goesOnOutwards)
        lines << QString(kEllipsis);
    return lines.join(kLineBreak + QStringLiteral("&larr; "));
}

/// One line for each coroutine, outermost first: an asynchronous stack trace.
QString chainToolTip(const Population &population, const AwaitChain &chain, std::uint64_t now)
{
    constexpr std::size_t kMostLines = 12;  // in each direction
    const ChainPart part = partOf(chain, kMostLines, kMostLines);
    QStringList lines{DetailsRelations::tr("Each coroutine awaits the next one:")};
    if (part.goesOnOutwards)
        lines << QString(kEllipsis);
    for (std::size_t i = part.begin; i < part.end; ++i) {
        const CoroutineId id = chain.coroutines[i];
        const CoroutineSnapshot coroutine = population.at(id);
        const QString line = DetailsRelations::tr("%1, %2").arg(format::coroutineTitle(population, id),
                                                                format::stateName(coroutine.state).toLower());
        const Site *const site = population.site(coroutine.site);
        lines << (site ? DetailsRelations::tr("%1 at %2").arg(line, format::location(site, 0)) : line);
    }
    if (part.goesOnInwards)
        lines << QString(kEllipsis);
    else if (!chain.waits.empty())
        lines << format::waits(population, chain.waits, now);
    return format::verbatim(lines.join(u'\n'));
}

constexpr std::size_t kMostShown = 4;

/// Joins the texts, at most kMostShown of `total`.
QString joined(QStringList texts, std::size_t total)
{
    if (total > kMostShown)
        texts << DetailsRelations::tr("%1 more").arg(format::count(total - kMostShown));
    return texts.join(QStringLiteral("; "));
}

QString holdersText(const Population &population, const std::vector<Use> &holders)
{
    QStringList texts;
    for (std::size_t i = 0; i < std::min(holders.size(), kMostShown); ++i) {
        const Use &use = holders[i];
        const Site *const site = population.site(use.site);
        const QString who =
            use.by != kNoCoroutine ? linkTo(population, use.by) : format::holder(population, use).toHtmlEscaped();
        texts << (site ? DetailsRelations::tr("%1, acquired at %2").arg(who, format::location(site, 0).toHtmlEscaped())
                       : who);
    }
    return joined(texts, holders.size());
}

QString heldText(const Population &population, const std::vector<Use> &held, std::uint64_t now)
{
    QStringList texts;
    for (std::size_t i = 0; i < std::min(held.size(), kMostShown); ++i)
        texts << format::acquisition(population, held[i], now).toHtmlEscaped();
    return joined(texts, held.size());
}

}  // namespace

DetailsRelations::DetailsRelations(QFormLayout *form, QObject *parent)
    : QObject(parent),
      m_form(form),
      m_parent(addRow("detailsParent", tr("Parent"), tr("The coroutine that created it"))),
      m_children(addRow("detailsChildren", tr("Children"), tr("The coroutines that it created"))),
      m_chain(addRow("detailsChain", tr("Await chain"), {})),
      m_waits(addRow("detailsWaits", tr("Waits on"), format::waitsOnToolTip())),
      m_holders(addRow("detailsHolders", tr("Held by"), tr("Who has acquired the lock that it waits on"))),
      m_holds(addRow("detailsHolds", tr("Holds"), tr("The objects that it has acquired and not released"))),
      m_wake(addRow("detailsWake", tr("Last woken"),
                    tr("When it was last made runnable, and by which coroutine or thread"))),
      m_wakersLeft(addRow("detailsWakersLeft", tr("Wakers left"),
                          tr("How many objects are left that could wake it, as the target reported")))
{
}

QLabel *DetailsRelations::addRow(const char *objectName, const QString &name, const QString &toolTip)
{
    auto *title = new QLabel(name);
    title->setForegroundRole(QPalette::PlaceholderText);
    auto *row = new QLabel;
    row->setObjectName(QLatin1String(objectName));
    row->setAccessibleName(name);
    row->setToolTip(toolTip);
    row->setTextFormat(Qt::RichText);
    row->setTextInteractionFlags(Qt::TextBrowserInteraction);
    row->setFocusPolicy(Qt::StrongFocus);
    // A long name must not widen the dock.
    row->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    row->setMinimumWidth(40);
    row->setContentsMargins(2, 0, 0, 0);
    m_form->addRow(title, row);
    m_form->setRowVisible(row, false);
    connect(row, &QLabel::linkActivated, this, &DetailsRelations::follow);
    return row;
}

void DetailsRelations::setRow(QLabel *row, const QString &html)
{
    if (row->text() == html)
        return;
    row->setText(html);
    const auto lines = static_cast<int>(html.count(kLineBreak)) + 1;
    row->setFixedHeight(lines * row->fontMetrics().lineSpacing() + 3);  // with one line, that of the fields above
    m_form->setRowVisible(row, !html.isEmpty());
}

void DetailsRelations::show(const Population &population, CoroutineId id)
{
    const CoroutineNotes notes = population.notes(id);
    const std::uint64_t now = population.now();
    setRow(m_parent, linkTo(population, notes.parent));
    setRow(m_children, notes.children == 0
                           ? QString()
                           : link(kTreeLink, tr("%1, in the creation tree").arg(format::count(notes.children))));
    const AwaitChain chain = awaitChainOf(population, id);
    setRow(m_chain, chainText(population, chain, now));
    m_chain->setToolTip(chainToolTip(population, chain, now));
    const std::vector<WaitsOn> waits = population.waitsOf(id);
    setRow(m_waits, waits.size() == 1 && waits.front().target != kNoCoroutine
                        ? linkTo(population, waits.front().target)
                        : format::waits(population, waits, now).toHtmlEscaped());
    setRow(m_holders, chain.self + 1 == chain.coroutines.size() ? holdersText(population, chain.holders) : QString());
    setRow(m_holds, heldText(population, population.heldBy(id), now));
    const std::optional<std::uint64_t> wakersLeft = population.wakersLeft(id);
    setRow(m_wakersLeft, !wakersLeft        ? QString()
                         : *wakersLeft == 0 ? tr("none: nothing will wake it").toHtmlEscaped()
                                            : format::count(*wakersLeft));
    QString woken;
    if (notes.lastWake) {
        Wake wake = *notes.lastWake;
        const QString by = linkTo(population, wake.by);
        wake.by = kNoCoroutine;  // shown as a link instead
        woken = format::wake(population, wake, now).toHtmlEscaped();
        if (!by.isEmpty())
            woken += (woken.isEmpty() ? QString() : QStringLiteral(", ")) + tr("by %1").arg(by);
        if (notes.wakes > 1)
            woken += tr("; %1 times in all").arg(format::count(notes.wakes));
    }
    setRow(m_wake, woken);
}

void DetailsRelations::restyle()
{
    for (QLabel *row : {m_parent, m_children, m_chain, m_waits, m_holders, m_holds, m_wake, m_wakersLeft}) {
        const QString html = row->text();
        row->clear();
        row->setText(html);
    }
}

void DetailsRelations::follow(const QString &link)
{
    if (link == kTreeLink)
        Q_EMIT treeRequested();
    else
        Q_EMIT coroutineActivated(link.toUInt());
}

}  // namespace ct
