// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/locationformat.h"

#include "core/target/printabletext.h"
#include "ui/format/format.h"

#include <QCoreApplication>
#include <QStringList>

namespace ct {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("LocationFormat", text);
}

}  // namespace

ShownLocation shownLocation(const Population &population, AddressResolver *resolver, SiteId site,
                            const AddressResolver::Query &query)
{
    ShownLocation location;
    location.addr = query.addr;
    if (const Site *named = population.site(site)) {
        location.site = *named;
        return location;
    }
    if (resolver)
        location.answer = resolver->resolveOrRequest(query);
    if (location.answer && !location.answer->frames.empty())
        location.site = format::siteOf(location.answer->frames.front());
    return location;
}

ShownLocation shownLocation(const Population &population, AddressResolver *resolver, const CoroutineSnapshot &coroutine)
{
    return shownLocation(population, resolver, coroutine.site, AddressResolver::queryOf(coroutine));
}

namespace format {

Site siteOf(const SourceFrame &frame)
{
    return {kUnknownSite, frame.line, frame.column, frame.file, frame.function};
}

QString location(const ShownLocation &shown)
{
    return location(shown.site ? &*shown.site : nullptr, shown.addr);
}

QString locationDetails(const ShownLocation &shown)
{
    if (!shown.answer)
        return locationDetails(shown.site ? &*shown.site : nullptr, shown.addr);
    QStringList lines;
    for (std::size_t i = 0; i < shown.answer->frames.size(); ++i) {
        const Site site = siteOf(shown.answer->frames[i]);
        const QString details = locationDetails(&site, 0);
        lines << (i == 0 ? details : tr("inlined into %1").arg(details));
    }
    if (!shown.answer->module.empty())
        lines << tr("in %1").arg(printable(shown.answer->module));
    if (shown.addr != 0)
        lines << tr("address %1").arg(address(shown.addr));
    if (!shown.answer->remedy.empty())
        lines << printable(shown.answer->remedy);
    return lines.join(u'\n');
}

QString fileAndFolder(const Site &site)
{
    QString text = fileName(site);
    if (text.isEmpty())
        return text;
    if (site.line != 0)
        text += u':' + QString::number(site.line);
    const QString folder = printable(site.file).section(u'/', 0, -2);
    return folder.isEmpty() ? text : text + tr("  in %1").arg(folder);
}

}  // namespace format
}  // namespace ct
