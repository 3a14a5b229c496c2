// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinebar.h"

#include <algorithm>

namespace ct {

namespace {

MarkKind kindOf(CoroutineState state)
{
    switch (state) {
    case CoroutineState::Created: return MarkKind::Created;
    case CoroutineState::Running: return MarkKind::Running;
    case CoroutineState::Suspended:
    case CoroutineState::Runnable: return MarkKind::Suspended;
    case CoroutineState::Finished: return MarkKind::Finished;
    case CoroutineState::Destroyed:
    case CoroutineState::Unknown: break;
    }
    return MarkKind::Unknown;
}

MarkKind kindOf(const HistoryEvent &event)
{
    switch (event.type) {
    case HistoryEvent::Type::Resume: return MarkKind::Running;
    case HistoryEvent::Type::Gap: return MarkKind::Gap;
    case HistoryEvent::Type::Absent: return MarkKind::Evicted;
    case HistoryEvent::Type::Suspend: break;
    }
    return event.kind == PointKind::Final ? MarkKind::Finished : MarkKind::Suspended;
}

}  // namespace

bool isEvicted(const History &history, CoroutineId id, std::uint64_t time)
{
    if (history.evictedBefore() == 0)
        return false;
    const std::uint64_t veryFirst = history.veryFirst(id);
    return veryFirst == 0 || time >= veryFirst;
}

PresentBar presentBar(const CoroutineSnapshot &snapshot, const History &history, std::uint64_t now,
                      const ProcessLives &lives)
{
    PresentBar bar{kindOf(snapshot.state), std::max(snapshot.since, snapshot.birthTs), lives.nowOf(snapshot, now),
                   snapshot.site, snapshot.runnableSince};
    if (snapshot.deathTs != 0) {
        bar.end = snapshot.deathTs;
        if (snapshot.state == CoroutineState::Destroyed) {
            // A snapshot of a destroyed coroutine lacks its last state. The history may have it.
            bar.kind = snapshot.events == 0 ? MarkKind::Created : MarkKind::Unknown;
            bar.since = snapshot.events == 0 ? snapshot.birthTs : snapshot.deathTs;
            const std::uint64_t after = std::min(snapshot.deathTs, ~std::uint64_t{1}) + 1;
            const auto last = history.events(snapshot.id, after, after + 1, 1);
            if (!last.empty() && last.front().ts < after) {
                bar.kind = kindOf(last.front());
                bar.since = last.front().ts;
            }
        }
    }
    if (bar.kind == MarkKind::Running)
        bar.site = kUnknownSite;
    bar.end = std::max(bar.end, bar.since);
    if (bar.runnableSince > bar.end)
        bar.runnableSince = 0;  // a paused view shows a time before the wake
    return bar;
}

std::optional<TimelineBar> barAt(const Population &population, const History &history, CoroutineId id,
                                 std::uint64_t time, std::uint64_t now, const ProcessLives &lives)
{
    if (id >= population.size())
        return std::nullopt;
    const CoroutineSnapshot snapshot = population.at(id);
    const PresentBar present = presentBar(snapshot, history, now, lives);
    if (time < snapshot.birthTs || time > present.end)
        return std::nullopt;
    TimelineBar bar;
    if (time >= present.since) {
        const bool isBeforeWake = present.runnableSince != 0 && time < present.runnableSince;
        const bool isRunnable = present.runnableSince != 0 && !isBeforeWake;
        bar.kind = isRunnable ? MarkKind::Runnable : present.kind;
        bar.from = isRunnable ? present.runnableSince : present.since;
        bar.to = isBeforeWake ? std::min(present.runnableSince, present.end) : present.end;
        bar.transitionTs = present.since;
        bar.ofPresentState = snapshot.deathTs == 0;
        bar.cut = lives.hasEnded(snapshot) && !isBeforeWake;
        bar.open = snapshot.deathTs == 0 && !lives.hasEnded(snapshot) && !isBeforeWake;
        bar.site = snapshot.site;
        bar.addr = snapshot.addr;
        bar.tid = snapshot.tid;
        return bar;
    }
    const std::uint64_t after = time + 1;
    const auto events = history.events(id, after, present.since + 1, 2);
    const bool begun = !events.empty() && events.front().ts < after;
    bar.from = begun ? events.front().ts : snapshot.birthTs;
    bar.transitionTs = bar.from;
    const std::size_t next = begun ? 1 : 0;
    bar.to = next < events.size() ? events[next].ts : present.since;
    if (begun) {
        bar.kind = kindOf(events.front());
        bar.site = events.front().site;
        bar.addr = events.front().addr;
        bar.tid = events.front().tid;
        if (bar.kind == MarkKind::Gap)
            bar.missing = population.whyMissing(id, events.front().n, events.front().count);
    } else {
        bar.kind = isEvicted(history, id, time) ? MarkKind::Evicted : MarkKind::Created;
    }
    if (next < events.size() && events[next].type == HistoryEvent::Type::Gap) {
        // The time of a gap is its end. The state before it may have ended anywhere inside the gap.
        bar.kind = MarkKind::Gap;
        bar.missing = population.whyMissing(id, events[next].n, events[next].count);
    }
    return bar;
}

}  // namespace ct
