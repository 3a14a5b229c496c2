// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/rowestimate.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ct {

namespace {

constexpr std::uint32_t kMostExamined = 100'000;
constexpr std::uint32_t kMostCounted = 10'000;  ///< coroutines whose events are counted in the history

/// Estimates the share of the coroutine's events that are in the time range, 0..1.
double shareInTime(const CoroutineSnapshot &snapshot, const TraceSelection &selection, std::uint64_t now)
{
    const std::uint64_t begin = snapshot.birthTs;
    // A coroutine that is not running has no event after its latest one.
    const std::uint64_t end = snapshot.state == CoroutineState::Running ? now : std::max(begin, snapshot.since);
    const std::uint64_t from = std::max(begin, selection.from);
    const std::uint64_t to = std::min(end, selection.to);
    if (begin == end)
        return begin >= selection.from && begin < selection.to ? 1 : 0;
    return to > from ? static_cast<double>(to - from) / static_cast<double>(end - begin) : 0;
}

/// Counts the coroutine's events in the time range that are in memory.
std::uint64_t eventsInMemory(const History &history, CoroutineId id, const TraceSelection &selection)
{
    const std::uint64_t end = std::min(selection.to, history.lastTs() + 1);
    if (end <= selection.from)
        return 0;
    std::vector<History::Column> whole(1);
    history.columns(id, selection.from, end - selection.from, whole);
    return whole.front().transitions;
}

std::uint64_t rounded(double value)
{
    return static_cast<std::uint64_t>(std::llround(value));
}

/// What an export of everything has.
RowEstimate everything(const Population &population, const History &history, bool hasRecording)
{
    const std::uint64_t captured = population.captured();
    const std::uint64_t missing = population.overflow().events + (hasRecording ? 0 : history.evictedEvents());
    RowEstimate estimate;
    estimate.events = captured - std::min(captured, missing);
    estimate.coroutines = population.keptCount();
    const std::uint64_t causes = history.noteCount();
    estimate.causes = causes - std::min(causes, hasRecording ? 0 : history.evictedNotes());
    // Some of the evicted events may be those of records that were evicted, too.
    estimate.isExact = missing == 0 || hasRecording;
    estimate.areCausesExact = estimate.isExact;
    return estimate;
}

}  // namespace

RowEstimate estimateRows(const Population &population, const History &history, const TraceSelection &selection,
                         bool hasRecording)
{
    if (selection.isEverything())
        return everything(population, history, hasRecording);
    const bool isChosen = !selection.coroutines.empty();
    const std::uint32_t count = isChosen ? static_cast<std::uint32_t>(selection.coroutines.size()) : population.size();
    const bool isInMemory = selection.from >= history.evictedBefore() || history.evictedEvents() == 0;
    const bool counts = isInMemory ? selection.hasTimes() : !hasRecording;
    const std::uint32_t step = 1 + count / (counts ? kMostCounted : kMostExamined);
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
        const double share = selection.hasTimes() && !counts ? shareInTime(snapshot, selection, history.lastTs()) : 1;
        events += share * static_cast<double>(counts ? eventsInMemory(history, id, selection) : snapshot.events);
    }
    const double total = std::max(1.0, static_cast<double>(population.captured()));
    RowEstimate estimate;
    estimate.events = rounded(events * step);
    estimate.coroutines = coroutines * step;
    estimate.causes =
        rounded(static_cast<double>(history.noteCount()) * std::min(1.0, events * static_cast<double>(step) / total));
    estimate.isExact = step == 1 && !selection.hasTimes();
    estimate.areCausesExact = history.noteCount() == 0;
    return estimate;
}

}  // namespace ct
