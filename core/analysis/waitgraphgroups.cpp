// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/waitgraph.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ct {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Equal for nodes that become one.
using Key = std::tuple<WaitNodeKind, SiteId, CoroutineState, bool, DeadEnd>;

/// For each node, its own site, or the site of the first coroutine that waits for it.
std::vector<SiteId> sitesOf(const WaitGraph &graph)
{
    std::vector<SiteId> sites(graph.nodes.size(), kUnknownSite);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        sites[i] = graph.nodes[i].site;
    for (const WaitEdge &edge : graph.edges)
        if (!edge.isHeld && graph.nodes[edge.to].coroutine == kNoCoroutine && sites[edge.to] == kUnknownSite)
            sites[edge.to] = graph.nodes[edge.from].site;
    return sites;
}

void merge(WaitNode &into, const WaitNode &node)
{
    const std::uint64_t count = into.count + node.count;
    if (node.coroutine != kNoCoroutine && node.since < into.since)
        into = node;
    into.count = count;
}

/// The nodes that stay, in their order: those in cycles and dead ends first, then those that stand for the most.
std::vector<bool> keptNodes(const std::vector<WaitNode> &nodes, std::size_t mostNodes)
{
    std::vector<std::uint32_t> order(nodes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&nodes](std::uint32_t a, std::uint32_t b) {
        const auto rank = [&nodes](std::uint32_t i) {
            return std::pair(nodes[i].inCycle || nodes[i].deadEnd != DeadEnd::None, nodes[i].count);
        };
        return rank(a) > rank(b);
    });
    std::vector<bool> kept(nodes.size());
    for (std::size_t i = 0; i < std::min(mostNodes, order.size()); ++i)
        kept[order[i]] = true;
    return kept;
}

void leaveOut(WaitGraph &graph, std::size_t mostNodes)
{
    const std::vector<bool> kept = keptNodes(graph.nodes, mostNodes);
    std::vector<std::uint32_t> indexOf(graph.nodes.size(), kNone);
    std::vector<WaitNode> nodes;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (!kept[i]) {
            graph.leftOut += graph.nodes[i].count;
            continue;
        }
        indexOf[i] = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back(graph.nodes[i]);
    }
    graph.nodes = std::move(nodes);
    std::erase_if(graph.edges,
                  [&](const WaitEdge &edge) { return indexOf[edge.from] == kNone || indexOf[edge.to] == kNone; });
    for (WaitEdge &edge : graph.edges) {
        edge.from = indexOf[edge.from];
        edge.to = indexOf[edge.to];
    }
}

}  // namespace

WaitGraph groupedBySite(const WaitGraph &graph, std::size_t mostNodes)
{
    WaitGraph grouped = graph;
    grouped.isBySite = true;
    grouped.nodes.clear();
    grouped.edges.clear();
    const std::vector<SiteId> sites = sitesOf(graph);
    std::map<Key, std::uint32_t> groups;
    std::vector<std::uint32_t> groupOf;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const WaitNode &node = graph.nodes[i];
        const auto next = static_cast<std::uint32_t>(grouped.nodes.size());
        const auto [known, isNew] =
            groups.try_emplace({node.kind, sites[i], node.state, node.inCycle, node.deadEnd}, next);
        groupOf.push_back(known->second);
        if (isNew)
            grouped.nodes.push_back(node);
        else
            merge(grouped.nodes[known->second], node);
    }
    std::map<std::tuple<std::uint32_t, std::uint32_t, bool, bool>, std::size_t> edges;
    for (const WaitEdge &edge : graph.edges) {
        WaitEdge merged = edge;
        merged.from = groupOf[edge.from];
        merged.to = groupOf[edge.to];
        if (merged.from == merged.to && !edge.inCycle)
            continue;  // would look like a cycle
        const auto [known, isNew] =
            edges.try_emplace({merged.from, merged.to, edge.isHeld, edge.isAny}, grouped.edges.size());
        if (isNew) {
            grouped.edges.push_back(merged);
            continue;
        }
        WaitEdge &first = grouped.edges[known->second];
        first.count += edge.count;
        first.inCycle = first.inCycle || edge.inCycle;
    }
    if (grouped.nodes.size() > mostNodes)
        leaveOut(grouped, mostNodes);
    return grouped;
}

}  // namespace ct
