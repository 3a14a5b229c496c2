// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/regiondescription.h"

#include "core/region/calendartime.h"
#include "core/session/session.h"

#include <QDateTime>

namespace ct {

QString leftoverNotice(std::uint32_t laneMode)
{
    switch (laneMode) {
    case corotracer::kLanesOverwrite:
        return Session::tr("No process uses this region any more: it holds the last events of each thread, as a flight "
                           "recorder keeps them.");
    case corotracer::kLanesDiscard:
        return Session::tr(
            "No process uses this region any more: it holds the events that no engine had read, and the latest "
            "events of each thread.");
    default:
        return Session::tr("No process uses this region any more: it holds the last transitions of each "
                           "coroutine.");
    }
}

bool hasCoroutines(const Region &region)
{
    // Relaxed: only whether the counts, which probes raise, are above 0.
    return region.header().allocated_count.load(std::memory_order_relaxed) != 0 ||
           (region.laneMode() != corotracer::kLanesNone &&
            region.header().extension.compact_station_count.load(std::memory_order_relaxed) != 0);
}

QString dateNotice(const Region &region, std::uint64_t latestNs)
{
    const std::optional<std::uint64_t> realtime = latestNs != 0 ? realtimeOf(region, latestNs) : std::nullopt;
    if (!realtime)
        return {};
    const QDateTime then = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(*realtime / 1'000'000));
    return Session::tr("The latest event was on %1").arg(then.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss t")));
}

}  // namespace ct
