// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/rowestimate.h"

#include <algorithm>
#include <cmath>

namespace ct {

namespace {

constexpr std::uint32_t kMostExamined = 100'000;

/// Estimates the share of the coroutine's events that are in the time range, 0..1.
double shareInTime(const CoroutineSnapshot &snapshot, const TraceSelection &selection, std::uint64_t now)
{
    if (!selection.hasTimes())
        return 1;
    const std::uint64_t begin = snapshot.birthTs;
    // A coroutine that is not running has no event after its latest one.
    const std::uint64_t end = snapshot.state == CoroutineState::Running ? now : std::max(begin, snapshot.since);
    const std::uint64_t from = std::max(begin, selection.from);
    const std::uint64_t to = std::min(end, selection.to);
    if (begin == end)
        return begin >= selection.from && begin < selection.to ? 1 : 0;
    return to > from ? static_cast<double>(to - from) / static_cast<double>(end - begin) : 0;
}

std::uint64_t rounded(double value)
{
    return static_cast<std::uint64_t>(std::llround(value));
}

}  // namespace

RowEstimate estimateRows(const Population &population, const History &history, const TraceSelection &selection,
                         std::uint64_t now)
{
    const bool isChosen = !selection.coroutines.empty();
    const std::uint32_t count = isChosen ? static_cast<std::uint32_t>(selection.coroutines.size()) : population.size();
    const std::uint32_t step = 1 + count / kMostExamined;
    double events = 0;
    std::uint64_t coroutines = 0;
    for (std::uint32_t i = 0; i < count; i += step) {
        const CoroutineId id = isChosen ? selection.coroutines[i] : i;
        if (id >= population.size() || !population.isKept(id))
            continue;
        const CoroutineSnapshot snapshot = population.at(id);
        if (!selection.hasCoroutine(snapshot))
            continue;
        ++coroutines;
        events += static_cast<double>(snapshot.events) * shareInTime(snapshot, selection, now);
    }
    const double total = std::max(1.0, static_cast<double>(population.captured()));
    RowEstimate estimate;
    estimate.events = rounded(events * step);
    estimate.coroutines = coroutines * step;
    estimate.causes =
        rounded(static_cast<double>(history.noteCount()) * std::min(1.0, events * static_cast<double>(step) / total));
    estimate.isExact = step == 1 && !selection.hasTimes();
    return estimate;
}

}  // namespace ct
