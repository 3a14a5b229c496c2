// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/recordedevents.h"

#include <algorithm>

namespace ct::query {

RecordedEvents::Piece RecordedEvents::next(CoroutineId id, std::uint64_t position, CoroutineId end)
{
    // While the query runs, memory may evict more.
    while (m_blocks.hasRecording() && position < m_blocks.history().evictedOf(id).end) {
        const Group &group = groupWith(id, position, end);
        if (!group.has(id, position))
            break;  // cancelled
        const std::size_t at = id - group.first;
        std::span<const std::uint32_t> order = std::span(group.order).subspan(group.begins[at]);
        order = order.first(group.begins[at + 1] - group.begins[at]);
        const auto begin =
            std::lower_bound(order.begin(), order.end(), position, [&](std::uint32_t index, std::uint64_t wanted) {
                return group.events[index].seq < wanted;
            });
        if (begin != order.end())
            return {group.events.data(), {begin, order.end()}};
        position = group.until;
    }
    return {};
}

const RecordedEvents::Group &RecordedEvents::groupWith(CoroutineId id, std::uint64_t position, CoroutineId end)
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
    // The rest of a coroutine is a group of its own. A query that needs a second coroutine needs more of them.
    if (position != 0)
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
    group.end = chooseEnd(group.first, end, positions);
    group.until = m_blocks.history().firstInRing();
    group.isWhole = true;
    group.events.clear();
    positions.first = std::max(positions.first, group.from);
    positions.end = std::min(positions.end, group.until);
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

/// Returns the end of the coroutines whose events probably fit, and where these events are.
CoroutineId RecordedEvents::chooseEnd(CoroutineId first, CoroutineId end, History::Positions &positions) const
{
    const History &history = m_blocks.history();
    const std::uint64_t ring = history.firstInRing();
    const double evictedShare =
        static_cast<double>(ring) / static_cast<double>(std::max<std::uint64_t>(1, history.streamed()));
    positions = history.evictedOf(first);
    double expected = 0;
    CoroutineId id = first;
    for (; id < end && expected < kMostEvents; ++id) {
        const History::Positions here = history.evictedOf(id);
        if (here.first == here.end || !m_coroutines[id].hasRecord())
            continue;
        positions.first = std::min(positions.first, here.first);
        positions.end = std::max(positions.end, here.end);
        const auto captured = static_cast<double>(m_coroutines[id].captured);
        expected += here.end < ring ? captured : captured * evictedShare;
    }
    return std::max(id, first + 1);
}

/// Removes the last coroutines of the group, or ends it in the middle of its only one.
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
