// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/recordedevents.h"

#include <algorithm>

namespace ct::query {

RecordedEvents::Piece RecordedEvents::next(CoroutineId id, std::uint64_t position, CoroutineId end, const Times &times)
{
    while (m_blocks.hasRecording()) {
        // Memory may evict more while the query runs.
        const History::Positions evicted = m_blocks.history().evictedOf(id);
        const History::Positions wanted = positionsOf(times);
        position = std::max(position, wanted.first);
        if (position >= std::min(evicted.end, wanted.end) || evicted.first >= wanted.end)
            break;
        const Group &group = groupWith(id, position, end, wanted);
        if (!group.has(id, position))
            break;  // cancelled
        const std::size_t at = id - group.first;
        std::span<const std::uint32_t> order = std::span(group.order).subspan(group.begins[at]);
        order = order.first(group.begins[at + 1] - group.begins[at]);
        const auto begin =
            std::lower_bound(order.begin(), order.end(), position,
                             [&](std::uint32_t index, std::uint64_t least) { return group.events[index].seq < least; });
        if (begin != order.end())
            return {group.events.data(), {begin, order.end()}};
        position = group.until;
    }
    return {};
}

/// Returns positions that include all evicted events in the times.
History::Positions RecordedEvents::positionsOf(const Times &times) const
{
    const History &history = m_blocks.history();
    History::Positions positions{0, ~std::uint64_t{0}};
    if (!times.areAll())
        positions = history.evictedWithin(times.from, times.to);
    positions.end = std::min(positions.end, history.firstInRing());
    return positions;
}

const RecordedEvents::Group &RecordedEvents::groupWith(CoroutineId id, std::uint64_t position, CoroutineId end,
                                                       const History::Positions &wanted)
{
    Group *group = &m_groups[0];
    for (Group &other : m_groups) {
        if (other.has(id, position)) {
            group = &other;
            break;
        }
        if (other.used < group->used)
            group = &other;
    }
    group->used = ++m_calls;
    if (group->has(id, position))
        return *group;
    group->first = id;
    group->from = position;
    group->until = wanted.end;
    // A coroutine that does not fit is a group alone. A query that needs a second coroutine needs more of them.
    if (position != wanted.first)
        end = id + 1;
    else if (m_hasLoaded)
        end = m_coroutines.size();
    load(*group, end);
    m_hasLoaded = true;
    return *group;
}

void RecordedEvents::load(Group &group, CoroutineId end)
{
    History::Positions positions;
    group.end = chooseEnd(group, end, positions);
    group.isWhole = true;
    group.events.clear();
    m_blocks.forEach(positions, [&](const Transitions &events, std::uint64_t first) {
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (events[i].coroutine < group.first || events[i].coroutine >= group.end)
                continue;
            group.events.push_back(events[i]);
            group.events.back().seq = first + i;
        }
        if (group.events.size() > kMostEvents)
            makeFit(group);
        return group.isWhole;
    });
    if (m_blocks.isCancelled())
        group.end = group.first;
    putInOrder(group);
}

/// Returns the end of the coroutines whose events in [group.from, group.until) probably fit, and the positions of these
/// events.
CoroutineId RecordedEvents::chooseEnd(const Group &group, CoroutineId end, History::Positions &positions) const
{
    const History &history = m_blocks.history();
    const std::uint64_t ring = history.firstInRing();
    const std::uint64_t streamed = history.streamed();
    positions = {group.until, group.from};
    double expected = 0;
    CoroutineId id = group.first;
    for (; id < end && expected < kMostEvents; ++id) {
        const History::Positions evicted = history.evictedOf(id);
        const History::Positions here{std::max(evicted.first, group.from), std::min(evicted.end, group.until)};
        if (here.first >= here.end || !m_coroutines[id].hasRecord())
            continue;
        positions.first = std::min(positions.first, here.first);
        positions.end = std::max(positions.end, here.end);
        // Estimates how many of the coroutine's events are in this range, as if they were evenly spaced. If it also has
        // events in memory, they reach to the end of the stream.
        const std::uint64_t lastPosition = evicted.end < ring ? evicted.end : std::max(streamed, evicted.end);
        expected += static_cast<double>(m_coroutines[id].captured) * static_cast<double>(here.end - here.first) /
                    static_cast<double>(lastPosition - evicted.first);
    }
    return std::max(id, group.first + 1);
}

/// Removes the last coroutines of the group, or cuts its only coroutine short.
void RecordedEvents::makeFit(Group &group) const
{
    if (group.end - group.first == 1) {
        group.until = group.events.back().seq + 1;
        group.isWhole = false;
        return;
    }
    std::vector<std::uint32_t> counts(group.end - group.first);
    for (const Transition &event : group.events)
        ++counts[event.coroutine - group.first];
    std::size_t kept = 0;
    for (std::size_t events = 0; kept < counts.size() - 1; ++kept) {
        events += counts[kept];
        if (events > kMostEvents / 2)
            break;
    }
    group.end = group.first + static_cast<CoroutineId>(std::max<std::size_t>(1, kept));
    std::erase_if(group.events, [&](const Transition &event) { return event.coroutine >= group.end; });
}

void RecordedEvents::putInOrder(Group &group)
{
    group.begins.assign(group.end - group.first + 2, 0);
    for (const Transition &event : group.events) {
        if (event.coroutine < group.end)
            ++group.begins[event.coroutine - group.first + 2];
    }
    for (std::size_t i = 2; i < group.begins.size(); ++i)
        group.begins[i] += group.begins[i - 1];
    group.order.resize(group.events.size());
    for (std::uint32_t i = 0; i < group.events.size(); ++i) {
        if (group.events[i].coroutine < group.end)
            group.order[group.begins[group.events[i].coroutine - group.first + 1]++] = i;
    }
}

}  // namespace ct::query
