// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/waitgraph.h"

#include "core/analysis/components.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace ct {

namespace {

/// What happened later than this before now may still have its effect.
constexpr std::uint64_t kSettledNs = 1'000'000'000;

bool isAlive(const CoroutineSnapshot &snapshot)
{
    return snapshot.kept && snapshot.state != CoroutineState::Finished && snapshot.state != CoroutineState::Destroyed;
}

WaitNodeKind kindOf(WaitKind kind)
{
    switch (kind) {
    case WaitKind::Lock: return WaitNodeKind::Lock;
    case WaitKind::Channel: return WaitNodeKind::Channel;
    case WaitKind::Descriptor: return WaitNodeKind::Descriptor;
    case WaitKind::Timer: return WaitNodeKind::Timer;
    default: return WaitNodeKind::Object;
    }
}

class Builder {
public:
    Builder(const Population &population, const ObjectHistory *objects)
        : m_population(population), m_objects(objects), m_now(population.now()), m_indexOf(population.size(), kNone)
    {
    }
    WaitGraph build();

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    void addWaiting();
    void addWaits(CoroutineId id, const std::vector<WaitsOn> &waits);
    void addHolders();
    void addHoldersOf(std::uint32_t lock);
    void markDeadEnds();
    DeadEnd deadEndOf(const WaitNode &node, std::uint32_t index) const;
    void markCycles();
    std::vector<bool> blockedNodes() const;
    bool canGoOn(std::uint32_t index, const std::vector<bool> &blocked) const;

    std::uint32_t coroutineNode(CoroutineId id);
    std::uint32_t objectNode(std::uint32_t pid, WaitNodeKind kind, std::uint64_t object, CoroutineId waiter);
    void addEdge(std::uint32_t from, std::uint32_t to, bool isHeld, bool isAny);
    bool isSettled(std::uint64_t ts) const { return ts + kSettledNs <= m_now; }

    const Population &m_population;
    const ObjectHistory *m_objects;
    const std::uint64_t m_now;
    WaitGraph m_graph;
    std::vector<std::uint32_t> m_indexOf;  ///< nodes of coroutines
    /// By kind, process, object, and the waiter of an object that has only one.
    std::map<std::tuple<WaitNodeKind, std::uint32_t, std::uint64_t, CoroutineId>, std::uint32_t> m_objectNodes;
    Successors m_next;              ///< as the edges
    Successors m_before;            ///< as the edges, backwards
    std::vector<bool> m_needsAll;   ///< waits for all of several objects
    std::vector<bool> m_anyoneCan;  ///< locks that others than their holders release
};

std::uint32_t Builder::coroutineNode(CoroutineId id)
{
    if (id >= m_indexOf.size())
        return kNone;  // born since the graph was begun
    if (m_indexOf[id] != kNone)
        return m_indexOf[id];
    const CoroutineSnapshot snapshot = m_population.at(id);
    WaitNode node;
    node.coroutine = id;
    node.pid = snapshot.pid;
    node.state = snapshot.kept ? snapshot.state : CoroutineState::Destroyed;
    node.site = snapshot.site;
    node.addr = snapshot.site == kUnknownSite ? snapshot.addr : 0;
    node.since = snapshot.deathTs != 0 ? snapshot.deathTs : snapshot.since;
    m_indexOf[id] = static_cast<std::uint32_t>(m_graph.nodes.size());
    m_graph.nodes.push_back(node);
    ++m_graph.coroutines;
    return m_indexOf[id];
}

std::uint32_t Builder::objectNode(std::uint32_t pid, WaitNodeKind kind, std::uint64_t object, CoroutineId waiter)
{
    // Two timers with one deadline are two objects, as are two objects without an address.
    const bool isOwn = kind == WaitNodeKind::Timer || (object == 0 && kind != WaitNodeKind::Descriptor);
    const auto next = static_cast<std::uint32_t>(m_graph.nodes.size());
    const auto [known, isNew] = m_objectNodes.try_emplace({kind, pid, object, isOwn ? waiter : kNoCoroutine}, next);
    if (isNew) {
        WaitNode node;
        node.kind = kind;
        node.pid = pid;
        node.object = object;
        m_graph.nodes.push_back(node);
    }
    return known->second;
}

void Builder::addEdge(std::uint32_t from, std::uint32_t to, bool isHeld, bool isAny)
{
    WaitEdge edge;
    edge.from = from;
    edge.to = to;
    edge.isHeld = isHeld;
    edge.isAny = isAny;
    m_graph.edges.push_back(edge);
}

void Builder::addWaits(CoroutineId id, const std::vector<WaitsOn> &waits)
{
    const std::uint32_t from = coroutineNode(id);
    for (const WaitsOn &wait : waits) {
        const std::uint32_t to = wait.target != kNoCoroutine
                                     ? coroutineNode(wait.target)
                                     : objectNode(m_graph.nodes[from].pid, kindOf(wait.kind), wait.object, id);
        if (to != kNone)
            addEdge(from, to, false, waits.size() > 1 && !wait.isForAll());
    }
    m_needsAll.resize(m_graph.nodes.size());
    m_needsAll[from] = waits.front().isForAll();
}

void Builder::addWaiting()
{
    std::uint64_t alive = 0;
    for (CoroutineId id = 0; id < m_indexOf.size(); ++id) {
        const CoroutineSnapshot snapshot = m_population.at(id);
        if (!isAlive(snapshot) || snapshot.flagged)
            continue;
        ++alive;
        if (!isSuspended(snapshot.state))
            continue;
        if (const std::vector<WaitsOn> waits = m_population.waitsOf(id); !waits.empty())
            addWaits(id, waits);
        else if (m_population.wakersLeft(id) == std::uint64_t{0})
            coroutineNode(id);
    }
    addHolders();
    const auto shown =
        static_cast<std::uint64_t>(std::count_if(m_graph.nodes.begin(), m_graph.nodes.end(), [](const WaitNode &node) {
            return node.coroutine != kNoCoroutine && node.state != CoroutineState::Finished &&
                   node.state != CoroutineState::Destroyed;
        }));
    m_graph.others = alive - std::min(alive, shown);
}

void Builder::addHolders()
{
    const auto waitedFor = static_cast<std::uint32_t>(m_graph.nodes.size());
    for (std::uint32_t index = 0; index < waitedFor; ++index)
        if (m_graph.nodes[index].kind == WaitNodeKind::Lock)
            addHoldersOf(index);
    m_needsAll.resize(m_graph.nodes.size());
    m_anyoneCan.resize(m_graph.nodes.size());
}

void Builder::addHoldersOf(std::uint32_t lock)
{
    const std::uint32_t pid = m_graph.nodes[lock].pid;
    const std::uint64_t object = m_graph.nodes[lock].object;
    for (const Use &use : m_population.holdersOf(pid, object)) {
        const std::uint32_t holder = use.by != kNoCoroutine
                                         ? coroutineNode(use.by)
                                         : objectNode(use.pid, WaitNodeKind::Thread, use.tid, kNoCoroutine);
        if (holder != kNone)
            addEdge(lock, holder, true, false);
    }
    if (!m_objects)
        return;
    const std::optional<ObjectState> state = m_objects->stateOf(pid, object);
    m_anyoneCan.resize(m_graph.nodes.size());
    m_anyoneCan[lock] = state && state->releasedByOthers;
}

DeadEnd Builder::deadEndOf(const WaitNode &node, std::uint32_t index) const
{
    const auto isEnded = [](const WaitNode &other) {
        return other.kind == WaitNodeKind::Coroutine &&
               (other.state == CoroutineState::Finished || other.state == CoroutineState::Destroyed);
    };
    const bool isAwaited = std::any_of(m_before[index].begin(), m_before[index].end(), [&](std::uint32_t waiter) {
        const WaitNode &other = m_graph.nodes[waiter];
        return other.state != CoroutineState::Runnable &&
               (other.kind != WaitNodeKind::Coroutine || isSettled(other.since));
    });
    if (node.kind == WaitNodeKind::Coroutine && node.state == CoroutineState::Suspended && isSettled(node.since) &&
        m_population.wakersLeft(node.coroutine) == std::uint64_t{0})
        return DeadEnd::NoWakers;
    if (!isAwaited)
        return DeadEnd::None;
    if (node.kind == WaitNodeKind::Coroutine) {
        const bool isWaitedFor = std::any_of(m_before[index].begin(), m_before[index].end(), [&](std::uint32_t waiter) {
            return m_graph.nodes[waiter].kind == WaitNodeKind::Coroutine;
        });
        return isWaitedFor && isEnded(node) && isSettled(node.since) ? DeadEnd::Ended : DeadEnd::None;
    }
    if (node.kind != WaitNodeKind::Lock || m_anyoneCan[index])
        return DeadEnd::None;
    const std::vector<std::uint32_t> &holders = m_next[index];
    if (!holders.empty())
        return std::all_of(holders.begin(), holders.end(),
                           [&](std::uint32_t holder) { return isEnded(m_graph.nodes[holder]); })
                   ? DeadEnd::HolderEnded
                   : DeadEnd::None;
    const std::optional<ObjectState> state = m_objects ? m_objects->stateOf(node.pid, node.object) : std::nullopt;
    return state && state->released.ts != 0 && isSettled(state->released.ts) ? DeadEnd::NoHolder : DeadEnd::None;
}

void Builder::markDeadEnds()
{
    for (std::uint32_t index = 0; index < m_graph.nodes.size(); ++index) {
        m_graph.nodes[index].deadEnd = deadEndOf(m_graph.nodes[index], index);
        m_graph.deadEnds += m_graph.nodes[index].deadEnd != DeadEnd::None ? 1 : 0;
    }
}

/// True if the wait can end, or the lock be released, as far as the blocked nodes are known.
bool Builder::canGoOn(std::uint32_t index, const std::vector<bool> &blocked) const
{
    const WaitNode &node = m_graph.nodes[index];
    const std::vector<std::uint32_t> &next = m_next[index];
    const auto isFree = [&blocked](std::uint32_t other) { return !blocked[other]; };
    if (next.empty() || node.state == CoroutineState::Runnable || m_anyoneCan[index])
        return true;
    return m_needsAll[index] ? std::all_of(next.begin(), next.end(), isFree)
                             : std::any_of(next.begin(), next.end(), isFree);
}

/// Assumes that all are blocked, and releases those that can go on. Visits a node again only when one that it depends
/// on was released.
std::vector<bool> Builder::blockedNodes() const
{
    std::vector<bool> blocked(m_graph.nodes.size(), true);
    std::vector<std::uint32_t> toCheck(m_graph.nodes.size());
    for (std::uint32_t index = 0; index < toCheck.size(); ++index)
        toCheck[index] = index;
    while (!toCheck.empty()) {
        const std::uint32_t index = toCheck.back();
        toCheck.pop_back();
        if (!blocked[index] || !canGoOn(index, blocked))
            continue;
        blocked[index] = false;
        toCheck.insert(toCheck.end(), m_before[index].begin(), m_before[index].end());
    }
    return blocked;
}

void Builder::markCycles()
{
    const std::vector<bool> blocked = blockedNodes();
    Successors next(m_graph.nodes.size());
    for (const WaitEdge &edge : m_graph.edges)
        if (blocked[edge.from] && blocked[edge.to])
            next[edge.from].push_back(edge.to);
    std::vector<std::uint32_t> cycleOf(m_graph.nodes.size(), kNone);
    for (const std::vector<std::uint32_t> &cycle : cyclesOf(next)) {
        for (const std::uint32_t index : cycle) {
            cycleOf[index] = static_cast<std::uint32_t>(m_graph.cycles);
            m_graph.nodes[index].inCycle = true;
        }
        ++m_graph.cycles;
    }
    for (WaitEdge &edge : m_graph.edges)
        edge.inCycle = cycleOf[edge.from] != kNone && cycleOf[edge.from] == cycleOf[edge.to];
}

WaitGraph Builder::build()
{
    addWaiting();
    m_next.resize(m_graph.nodes.size());
    m_before.resize(m_graph.nodes.size());
    for (const WaitEdge &edge : m_graph.edges) {
        m_next[edge.from].push_back(edge.to);
        m_before[edge.to].push_back(edge.from);
    }
    markDeadEnds();
    markCycles();
    return std::move(m_graph);
}

}  // namespace

WaitGraph waitGraphOf(const Population &population, const ObjectHistory *objects, std::size_t mostNodes)
{
    WaitGraph graph = Builder(population, objects).build();
    return graph.nodes.size() > mostNodes ? groupedBySite(graph, mostNodes) : graph;
}

}  // namespace ct
