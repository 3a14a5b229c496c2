// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/waitformat.h"

#include "ui/format/format.h"

#include <QCoreApplication>
#include <QStringList>

namespace ct::format {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Format", text);
}

/// "lock 0x7ffd1234"; without an address, the kind alone.
QString objectOf(const QString &kind, std::uint64_t object)
{
    return object == 0 ? kind : kind + QChar(0xA0) + address(object);
}

QString one(const Population &population, const WaitsOn &wait, std::uint64_t now)
{
    switch (wait.kind) {
    case WaitKind::Lock: return objectOf(tr("lock"), wait.object);
    case WaitKind::Channel: return objectOf(tr("channel"), wait.object);
    case WaitKind::Descriptor:
        return tr("descriptor") + QChar(0xA0) + QString::number(static_cast<qint64>(wait.object));
    case WaitKind::Timer:
        if (wait.object == 0)
            return tr("timer");
        return wait.object > now ? tr("timer, in %1").arg(duration(wait.object - now))
                                 : tr("timer, due %1 ago").arg(duration(now - wait.object));
    case WaitKind::Coroutine:
        return wait.target == kNoCoroutine ? tr("a coroutine") : coroutineTitle(population, wait.target);
    case WaitKind::Unknown:
    case WaitKind::Other: break;
    }
    return objectOf(tr("something else"), wait.object);
}

}  // namespace

QString waitsOn(const Population &population, const WaitsOn &wait, std::uint64_t now)
{
    const QString text = one(population, wait, now);
    if (wait.part == 0)
        return text;
    return wait.isForAll() ? tr("%1, and other objects").arg(text) : tr("%1, or another object").arg(text);
}

QString waits(const Population &population, const std::vector<WaitsOn> &objects, std::uint64_t now)
{
    if (objects.empty())
        return {};
    if (objects.size() == 1)
        return waitsOn(population, objects.front(), now);
    constexpr std::size_t kMostShown = 8;
    QStringList texts;
    for (std::size_t i = 0; i < std::min(objects.size(), kMostShown); ++i)
        texts << one(population, objects[i], now);
    if (objects.size() > kMostShown)
        texts << tr("%1 more").arg(count(objects.size() - kMostShown));
    return (objects.front().isForAll() ? tr("all of: %1") : tr("any of: %1")).arg(texts.join(QStringLiteral("; ")));
}

QString waitsOnToolTip()
{
    return tr("The object that its suspension waits for, if the target reported one");
}

QString wake(const Population &population, const Wake &wake, std::uint64_t now)
{
    QString text = wake.ts == 0 ? QString() : tr("%1 ago").arg(duration(now > wake.ts ? now - wake.ts : 0));
    const auto add = [&text](const QString &part) { text += text.isEmpty() ? part : QStringLiteral(", ") + part; };
    if (wake.by != kNoCoroutine)
        add(tr("by %1").arg(coroutineTitle(population, wake.by)));
    if (wake.tid != 0)
        add(tr("from thread %1").arg(thread(&population, wake.pid, wake.tid)));
    return text;
}

QString acquisition(const Population &population, const Use &use, std::uint64_t now)
{
    const QString text = tr("%1 for %2").arg(address(use.object), duration(now > use.ts ? now - use.ts : 0));
    const Site *const site = population.site(use.site);
    return site ? tr("%1, acquired at %2").arg(text, location(site, 0)) : text;
}

QString holder(const Population &population, const Use &use)
{
    if (use.by != kNoCoroutine)
        return coroutineTitle(population, use.by);
    return tr("thread %1").arg(thread(&population, use.pid, use.tid));
}

}  // namespace ct::format
