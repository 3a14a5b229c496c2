// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Deadlock: coroutines that wait for one another in a cycle, through locks that they hold and coroutines that they
// await. A coroutine that waits for any of several objects is deadlocked only if each of them is (a knot).
//
// Method: all coroutines whose waits are known are assumed to be blocked. As long as one of them waits for something
// that can still come, it is not. The rest is blocked for ever; its strongly connected components (Tarjan, 1972) are
// the cycles, and the others wait for a cycle.
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace ct::rules {

namespace {

/// What one object of a wait needs.
struct Need {
    /// Any of them can provide it. Empty: something outside of the coroutines can.
    std::vector<CoroutineId> owners;
};

struct Node {
    const Waiting *waiting = nullptr;
    bool forAll = false;  ///< all needs must be satisfied; else one is enough
    std::vector<Need> needs;
    bool blocked = true;
};

/// The coroutines on which an object of a wait depends; empty if it may also be satisfied otherwise.
std::vector<CoroutineId> ownersOf(const Facts &facts, const Waiting &waiting, const WaitsOn &wait)
{
    if (wait.kind == WaitKind::Coroutine)
        return wait.target == kNoCoroutine ? std::vector<CoroutineId>{} : std::vector<CoroutineId>{wait.target};
    std::vector<CoroutineId> owners;
    if (wait.kind != WaitKind::Lock)
        return owners;
    const std::optional<ObjectState> state = facts.objects().stateOf(waiting.pid, wait.object);
    if (!state || state->releasedByOthers)
        return owners;  // anyone can release a semaphore that signals
    for (const Use &use : facts.population().holdersOf(waiting.pid, wait.object)) {
        if (use.by == kNoCoroutine || use.ts < facts.process(waiting.pid).tracedSince)
            return {};  // a thread holds it, or it may have been released while tracing was off
        owners.push_back(use.by);
    }
    return owners;
}

bool canDependOnCoroutines(const WaitsOn &wait)
{
    return wait.kind == WaitKind::Coroutine || wait.kind == WaitKind::Lock;
}

class WaitGraph {
public:
    explicit WaitGraph(const Facts &facts)
    {
        for (const Waiting &waiting : facts.waiting()) {
            if (waiting.woken || waiting.wokenTooEarly ||
                std::none_of(waiting.waits.begin(), waiting.waits.end(), canDependOnCoroutines))
                continue;
            Node node;
            node.waiting = &waiting;
            for (const WaitsOn &wait : waiting.waits) {
                node.forAll = node.forAll || wait.isForAll();
                node.needs.push_back({ownersOf(facts, waiting, wait)});
            }
            if (!dependsOnCoroutines(node))
                continue;
            m_indexOf.emplace(waiting.coroutine, m_nodes.size());
            m_nodes.push_back(std::move(node));
        }
        releaseUnblocked();
    }

    /// The cycles, each in the order of ids.
    std::vector<std::vector<std::size_t>> cycles();
    /// The first `most` nodes of a cycle, each followed by one that it waits for, as far as there is one.
    std::vector<std::size_t> alongCycle(const std::vector<std::size_t> &cycle, std::size_t most) const;
    const Node &node(std::size_t index) const { return m_nodes[index]; }
    /// How many blocked coroutines outside of the cycle wait for it, maybe through others. They may be in another one.
    std::size_t waitersFor(const std::vector<std::size_t> &cycle) const;

private:
    /// False for most coroutines: what they wait for may come from outside.
    static bool dependsOnCoroutines(const Node &node)
    {
        const auto hasOwners = [](const Need &need) { return !need.owners.empty(); };
        return node.forAll ? std::any_of(node.needs.begin(), node.needs.end(), hasOwners)
                           : std::all_of(node.needs.begin(), node.needs.end(), hasOwners);
    }
    bool isBlocked(CoroutineId id) const
    {
        const auto found = m_indexOf.find(id);
        return found != m_indexOf.end() && m_nodes[found->second].blocked;
    }
    bool canCome(const Need &need) const
    {
        return need.owners.empty() || !std::all_of(need.owners.begin(), need.owners.end(),
                                                   [this](CoroutineId owner) { return isBlocked(owner); });
    }
    bool canGoOn(const Node &node) const
    {
        const auto comes = [this](const Need &need) { return canCome(need); };
        return node.forAll ? std::all_of(node.needs.begin(), node.needs.end(), comes)
                           : std::any_of(node.needs.begin(), node.needs.end(), comes);
    }
    void releaseUnblocked();
    std::vector<std::size_t> successors(std::size_t index) const;
    void visit(std::size_t root, std::vector<std::vector<std::size_t>> &cycles);

    std::vector<Node> m_nodes;
    std::unordered_map<CoroutineId, std::size_t> m_indexOf;
    std::vector<std::vector<std::size_t>> m_dependents;  ///< for each node: the nodes that wait for it

    // Tarjan's algorithm.
    struct Mark {
        std::size_t number = 0;  ///< 0 = not visited
        std::size_t low = 0;
        bool onStack = false;
    };
    std::vector<Mark> m_marks;
    std::vector<std::size_t> m_stack;
    std::size_t m_next = 1;
};

/// Visits each node again only when a node that it depends on can go on.
void WaitGraph::releaseUnblocked()
{
    m_dependents.resize(m_nodes.size());
    std::vector<std::size_t> toCheck(m_nodes.size());
    for (std::size_t index = 0; index < m_nodes.size(); ++index) {
        toCheck[index] = index;
        for (const std::size_t owner : successors(index))
            m_dependents[owner].push_back(index);
    }
    while (!toCheck.empty()) {
        const std::size_t index = toCheck.back();
        toCheck.pop_back();
        Node &node = m_nodes[index];
        if (!node.blocked || !canGoOn(node))
            continue;
        node.blocked = false;
        toCheck.insert(toCheck.end(), m_dependents[index].begin(), m_dependents[index].end());
    }
}

std::vector<std::size_t> WaitGraph::successors(std::size_t index) const
{
    std::vector<std::size_t> next;
    for (const Need &need : m_nodes[index].needs) {
        for (const CoroutineId owner : need.owners)
            if (const auto found = m_indexOf.find(owner); found != m_indexOf.end() && m_nodes[found->second].blocked)
                next.push_back(found->second);
    }
    return next;
}

/// With a stack of its own, because a chain can be as long as there are coroutines.
void WaitGraph::visit(std::size_t root, std::vector<std::vector<std::size_t>> &cycles)
{
    struct Frame {
        std::size_t index;
        std::vector<std::size_t> next;
        std::size_t at = 0;
    };
    const auto enter = [this](std::size_t index) {
        m_marks[index] = {m_next, m_next, true};
        ++m_next;
        m_stack.push_back(index);
        return Frame{index, successors(index)};
    };
    std::vector<Frame> frames = {enter(root)};
    while (!frames.empty()) {
        Frame &frame = frames.back();
        if (frame.at < frame.next.size()) {
            const std::size_t next = frame.next[frame.at++];
            if (m_marks[next].number == 0)
                frames.push_back(enter(next));
            else if (m_marks[next].onStack)
                m_marks[frame.index].low = std::min(m_marks[frame.index].low, m_marks[next].number);
            continue;
        }
        const Frame done = std::move(frame);
        frames.pop_back();
        const Mark &mark = m_marks[done.index];
        if (!frames.empty())
            m_marks[frames.back().index].low = std::min(m_marks[frames.back().index].low, mark.low);
        if (mark.low != mark.number)
            continue;
        std::vector<std::size_t> component;
        std::size_t member = 0;
        do {
            member = m_stack.back();
            m_stack.pop_back();
            m_marks[member].onStack = false;
            component.push_back(member);
        } while (member != done.index);
        const bool waitsForItself = std::find(done.next.begin(), done.next.end(), done.index) != done.next.end();
        if (component.size() == 1 && !waitsForItself)
            continue;
        std::sort(component.begin(), component.end());
        cycles.push_back(std::move(component));
    }
}

std::vector<std::vector<std::size_t>> WaitGraph::cycles()
{
    std::vector<std::vector<std::size_t>> cycles;
    m_marks.resize(m_nodes.size());
    for (std::size_t index = 0; index < m_nodes.size(); ++index)
        if (m_nodes[index].blocked && m_marks[index].number == 0)
            visit(index, cycles);
    return cycles;
}

std::vector<std::size_t> WaitGraph::alongCycle(const std::vector<std::size_t> &cycle, std::size_t most) const
{
    std::vector<std::size_t> path;
    std::unordered_set<std::size_t> left(cycle.begin(), cycle.end());
    auto unvisited = cycle.begin();
    while (path.size() < most && !left.empty()) {
        while (!left.contains(*unvisited))
            ++unvisited;
        const std::vector<std::size_t> next = path.empty() ? std::vector<std::size_t>() : successors(path.back());
        const auto found =
            std::find_if(next.begin(), next.end(), [&left](std::size_t index) { return left.contains(index); });
        path.push_back(found != next.end() ? *found : *unvisited);
        left.erase(path.back());
    }
    return path;
}

std::size_t WaitGraph::waitersFor(const std::vector<std::size_t> &cycle) const
{
    std::unordered_set<std::size_t> reached(cycle.begin(), cycle.end());
    std::vector<std::size_t> toVisit = cycle;
    while (!toVisit.empty()) {
        const std::size_t index = toVisit.back();
        toVisit.pop_back();
        for (const std::size_t dependent : m_dependents[index])
            if (m_nodes[dependent].blocked && reached.insert(dependent).second)
                toVisit.push_back(dependent);
    }
    return reached.size() - cycle.size();
}

/// "lock 0x7f00, which coroutine 4 (writer) acquired 1.20 s ago in open at x.cpp:7"; for a coroutine its name.
std::string ownedText(const Facts &facts, const Waiting &waiting, const WaitsOn &wait)
{
    if (wait.kind == WaitKind::Coroutine)
        return coroutineText(facts.population(), wait.target);
    const std::vector<Use> holders = facts.population().holdersOf(waiting.pid, wait.object);
    if (holders.empty())
        return objectText(wait);
    const Use &holder = holders.back();
    std::string text = objectText(wait) + ", which " + coroutineText(facts.population(), holder.by) + " acquired " +
                       durationText(facts.now() - std::min(facts.now(), holder.ts)) + " ago";
    if (const std::string site = siteText(facts.population(), holder.site); !site.empty())
        text += " in " + site;
    if (holders.size() > 1)
        text += ", and " + countText(holders.size() - 1, "other one", "others") + " before";
    return text;
}

/// "coroutine 3 (reader) waits in read at net.cpp:88 for lock 0x7f00, which ...": who waits where, for what, and who
/// has that. Parts of the wait that others can satisfy are left out.
std::string edgeText(const Facts &facts, const Node &node)
{
    const Waiting &waiting = *node.waiting;
    std::string text = coroutineText(facts.population(), waiting.coroutine) + " waits";
    if (const std::string site = siteText(facts.population(), waiting.site); !site.empty())
        text += " in " + site;
    const char *between = " for ";
    for (std::size_t i = 0; i < waiting.waits.size(); ++i) {
        if (node.needs[i].owners.empty())
            continue;
        text += between + ownedText(facts, waiting, waiting.waits[i]);
        between = node.forAll ? ", and for " : ", or for ";
    }
    return text;
}

std::string ownWaitText(const Waiting &waiting)
{
    return waiting.waits.front().kind == WaitKind::Lock ? "it waits for a lock that it holds itself"
                                                        : "it awaits itself";
}

}  // namespace

void findDeadlocks(const Facts &facts, VerdictBuilder &verdict)
{
    constexpr std::size_t kMostEdges = 16;
    WaitGraph graph(facts);
    for (const std::vector<std::size_t> &cycle : graph.cycles()) {
        Finding finding;
        finding.rule = Rule::Deadlock;
        finding.severity = Severity::Error;
        finding.confidence = 0.98;
        std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
        finding.since = shortest;
        for (const std::size_t index : cycle) {
            const Waiting &waiting = *graph.node(index).waiting;
            shortest = std::min(shortest, waiting.watchedNs);
            finding.coroutines.push_back(waiting.coroutine);
            // The cycle exists since its last coroutine began to wait.
            if (finding.since == std::numeric_limits<std::uint64_t>::max() || waiting.since > finding.since) {
                finding.since = waiting.since;
                finding.site = waiting.site;
                finding.addr = waiting.site == kUnknownSite ? waiting.addr : 0;
            }
        }
        if (shortest < facts.thresholds().deadlockNs)
            continue;
        if (facts.process(graph.node(cycle.front()).waiting->pid).lostNotes ||
            std::any_of(cycle.begin(), cycle.end(),
                        [&](std::size_t index) { return facts.waitsForForgotten(*graph.node(index).waiting); })) {
            verdict.abstain(Rule::Deadlock,
                            "reports of releases may be missing: a lane was full, or there are too many objects",
                            cycle.size());
            continue;
        }
        finding.message = cycle.size() == 1
                              ? ownWaitText(*graph.node(cycle.front()).waiting)
                              : std::to_string(cycle.size()) + " coroutines wait for one another in a cycle";
        for (const std::size_t index : graph.alongCycle(cycle, kMostEdges))
            finding.evidence.push_back(edgeText(facts, graph.node(index)));
        if (const std::size_t further = graph.waitersFor(cycle); further != 0)
            finding.evidence.push_back(countText(further, "further coroutine waits", "further coroutines wait") +
                                       " for coroutines of this cycle");
        verdict.add(std::move(finding));
    }
}

}  // namespace ct::rules
