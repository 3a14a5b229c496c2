// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/chaingroups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace ct {

namespace {

/// Equal for stacks that look alike.
using Key = std::tuple<ChainEnd, WaitKind, std::vector<std::pair<SiteId, std::uint64_t>>>;

ChainLink linkOf(const CoroutineSnapshot &snapshot)
{
    return {snapshot.id, snapshot.site, snapshot.site == kUnknownSite ? snapshot.addr : 0, snapshot.since};
}

/// True if the coroutine awaits one that lives: then it is part of the stack of that one.
bool isInside(const Population &population, const CoroutineNotes &notes)
{
    if (!notes.waitsOn || notes.waitsOn->target == kNoCoroutine || notes.waitsOn->target >= population.size())
        return false;
    const CoroutineSnapshot awaited = population.at(notes.waitsOn->target);
    return awaited.kept && awaited.state != CoroutineState::Finished && awaited.state != CoroutineState::Destroyed &&
           population.waiterFor(awaited.id) == notes.waitsOn->coroutine;
}

std::optional<ChainEnd> endOf(const CoroutineSnapshot &snapshot)
{
    switch (snapshot.state) {
    case CoroutineState::Created: return ChainEnd::NotStarted;
    case CoroutineState::Running: return ChainEnd::Running;
    case CoroutineState::Runnable: return ChainEnd::Woken;
    case CoroutineState::Suspended:
        return snapshot.kind == PointKind::Initial ? ChainEnd::NotStarted : ChainEnd::Waiting;
    default: return std::nullopt;
    }
}

/// Collects the stacks of a population.
class Collector {
public:
    explicit Collector(const Population &population) : m_population(population), m_seen(population.size()) {}

    void addInnermost()
    {
        for (CoroutineId id = 0; id < m_seen.size(); ++id) {
            const CoroutineSnapshot snapshot = m_population.at(id);
            if (!snapshot.kept || snapshot.flagged)
                continue;
            const CoroutineNotes notes = m_population.notes(id);
            const std::optional<ChainEnd> end = endOf(snapshot);
            if (!end)
                continue;
            if (isInside(m_population, notes))
                m_inside.push_back(id);
            else
                addStack(id, *end,
                         *end == ChainEnd::Waiting && notes.waitsOn ? notes.waitsOn->kind : WaitKind::Unknown);
        }
    }
    /// Coroutines that await one another in a cycle have no innermost one, so each cycle begins with the smallest id.
    void addCycles()
    {
        for (const CoroutineId id : m_inside)
            if (!m_seen[id])
                addStack(id, ChainEnd::Waiting, WaitKind::Coroutine);
    }
    std::vector<ChainGroup> take();

private:
    void addStack(CoroutineId innermost, ChainEnd end, WaitKind waitsFor);

    const Population &m_population;
    std::vector<bool> m_seen;           ///< is in a stack
    std::vector<CoroutineId> m_inside;  ///< see isInside()
    std::map<Key, ChainGroup> m_groups;
};

void Collector::addStack(CoroutineId innermost, ChainEnd end, WaitKind waitsFor)
{
    const std::uint64_t since = m_population.at(innermost).stateSince();
    std::vector<ChainLink> links;
    Key key{end, waitsFor, {}};
    // Without a limit: the rest of a deep recursion would look like a cycle.
    for (CoroutineId id = innermost; id < m_seen.size() && !(m_seen[id] && !links.empty());
         id = m_population.waiterFor(id)) {
        m_seen[id] = true;
        links.push_back(linkOf(m_population.at(id)));
        std::get<2>(key).emplace_back(links.back().site, links.back().addr);
    }
    ChainGroup &group = m_groups[std::move(key)];
    for (const ChainLink &link : links)
        group.coroutines.push_back(link.coroutine);
    if (group.count++ == 0 || since < group.since) {
        group.since = since;
        group.end = end;
        group.waitsFor = waitsFor;
        group.links = std::move(links);
    }
}

std::vector<ChainGroup> Collector::take()
{
    std::vector<ChainGroup> sorted;
    sorted.reserve(m_groups.size());
    for (auto &[key, group] : m_groups)
        sorted.push_back(std::move(group));
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const ChainGroup &a, const ChainGroup &b) { return a.count > b.count; });
    return sorted;
}

}  // namespace

std::vector<ChainGroup> chainGroupsOf(const Population &population)
{
    Collector collector(population);
    collector.addInnermost();
    collector.addCycles();
    return collector.take();
}

}  // namespace ct
