// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinedensity.h"

#include <algorithm>

namespace ct {

namespace {

struct Sums {
    double events = 0;
    double inMemory = 0;
};

void spread(const History::Stretch &stretch, const TimelineCoordinates &view, std::vector<Sums> &sums)
{
    const TimelineTime from = timelineTime(stretch.minTs);
    const TimelineTime to = std::max(timelineTime(stretch.maxTs), from) + 1;
    if (to <= view.from() || from >= view.to())
        return;
    const double perNs = static_cast<double>(stretch.events) / static_cast<double>(to - from);
    for (int column = std::max(0, view.clampedColumnOf(from)); column < view.columns(); ++column) {
        const TimelineTime begin = std::max(from, view.timeAt(column));
        const TimelineTime end = std::min(to, view.timeAt(column) + view.step());
        if (view.timeAt(column) >= to)
            return;
        const double events = perNs * static_cast<double>(std::max<TimelineTime>(0, end - begin));
        sums[static_cast<std::size_t>(column)].events += events;
        if (stretch.inMemory)
            sums[static_cast<std::size_t>(column)].inMemory += events;
    }
}

}  // namespace

std::vector<DensityColumn> densityColumns(std::span<const History::Stretch> stretches, const TimelineCoordinates &view)
{
    std::vector<Sums> sums(static_cast<std::size_t>(std::max(0, view.columns())));
    for (const History::Stretch &stretch : stretches)
        spread(stretch, view, sums);
    double most = 0;
    for (const Sums &sum : sums)
        most = std::max(most, sum.events);
    if (most <= 0)
        return {};
    std::vector<DensityColumn> columns(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        columns[i].share = static_cast<float>(sums[i].events / most);
        if (sums[i].events > 0)
            columns[i].inMemory = static_cast<float>(sums[i].inMemory / sums[i].events);
    }
    return columns;
}

}  // namespace ct
