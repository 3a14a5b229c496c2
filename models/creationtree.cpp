// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/creationtree.h"

#include <algorithm>

namespace ct {

namespace {

constexpr CoroutineId kCheckInterval = 512;  ///< coroutines between two checks of the clock
/// A chain with more steps upwards counts as a cycle, as in Population. The limit protects the GUI thread.
constexpr int kMostStepsUp = 100'000;
constexpr std::size_t kMostVisited = 10'000;  ///< coroutines that one isGone() may visit

}  // namespace

void CreationTree::update(std::chrono::nanoseconds budget)
{
    const Clock::time_point deadline = Clock::now() + budget;
    addBirths(deadline);
    applyChanges(deadline);
    m_ready = m_population.size();
}

void CreationTree::addBirths(Clock::time_point deadline)
{
    while (m_parents.size() < m_ready) {
        const auto id = static_cast<CoroutineId>(m_parents.size());
        if (id % kCheckInterval == 0 && Clock::now() >= deadline)
            return;
        if (id % Population::kPageSize == 0)
            m_seen.push_back(m_population.pageVersion(id / Population::kPageSize));  // before the page's contents
        m_parents.push_back(kNoCoroutine);
        m_gone.push_back(false);
        link(id, m_population.parentOf(id));
    }
}

/// Visits all pages in turn; continues where the last call ran out of time.
void CreationTree::applyChanges(Clock::time_point deadline)
{
    const auto pages = static_cast<std::uint32_t>(m_seen.size());
    for (std::uint32_t visited = 0; visited < pages; ++visited) {
        if (visited % 64 == 63 && Clock::now() >= deadline)
            return;
        m_nextPage = m_nextPage + 1 < pages ? m_nextPage + 1 : 0;
        const std::uint64_t version = m_population.pageVersion(m_nextPage);
        if (version == m_seen[m_nextPage])
            continue;
        m_seen[m_nextPage] = version;
        const std::size_t begin = std::size_t{m_nextPage} * Population::kPageSize;
        const std::size_t end = std::min(begin + Population::kPageSize, m_parents.size());
        for (std::size_t id = begin; id < end; ++id)
            link(static_cast<CoroutineId>(id), m_population.parentOf(static_cast<CoroutineId>(id)));
    }
}

const std::vector<CoroutineId> &CreationTree::childrenOf(CoroutineId id) const
{
    static const std::vector<CoroutineId> kNone;
    const auto found = m_children.find(id);
    return found == m_children.end() ? kNone : found->second;
}

void CreationTree::link(CoroutineId id, CoroutineId parent)
{
    // Visit the page again if the parent is not in the tree yet, or if the link would close a cycle. In that case the
    // parent has a new parent of its own by now, on a page that is visited later.
    const bool isKnown = parent == kNoCoroutine || parent < m_parents.size();
    if (!isKnown || (parent != m_parents[id] && parent != kNoCoroutine && closesCycle(id, parent))) {
        m_seen[id / Population::kPageSize] = ~std::uint64_t{0};
        parent = isKnown ? m_parents[id] : kNoCoroutine;
    }
    if (parent == m_parents[id])
        return;
    unlink(id);
    const bool isRoot = parent == kNoCoroutine;
    m_parents[id] = parent;
    if (isRoot) {
        if (hasChildren(id))
            insert(kNoCoroutine, id);
        return;
    }
    ++m_withParent;
    m_hasYoungerParents = m_hasYoungerParents || parent > id;
    if (!hasChildren(parent) && m_parents[parent] == kNoCoroutine)
        insert(kNoCoroutine, parent);
    insert(parent, id);
    showAgain(parent);
}

void CreationTree::unlink(CoroutineId id)
{
    const CoroutineId parent = m_parents[id];
    if (parent == kNoCoroutine) {
        if (hasChildren(id))
            remove(kNoCoroutine, id);
        return;
    }
    --m_withParent;
    remove(parent, id);
    if (!hasChildren(parent) && m_parents[parent] == kNoCoroutine)
        remove(kNoCoroutine, parent);
}

bool CreationTree::closesCycle(CoroutineId id, CoroutineId parent) const
{
    if (parent == id)
        return true;
    // No cycle is possible if all parents are older than their children, or if `id` has no children.
    if ((parent < id && !m_hasYoungerParents) || !hasChildren(id))
        return false;
    int steps = 0;
    for (CoroutineId up = parent; up != kNoCoroutine; up = m_parents[up])
        if (up == id || ++steps > kMostStepsUp)
            return true;
    return false;
}

void CreationTree::insert(CoroutineId parent, CoroutineId child)
{
    std::vector<CoroutineId> &children = m_children[parent];
    if (children.empty() || children.back() < child) {
        children.push_back(child);
        return;
    }
    children.insert(std::lower_bound(children.begin(), children.end(), child), child);
    m_rewritten.insert(parent);
}

void CreationTree::remove(CoroutineId parent, CoroutineId child)
{
    const auto found = m_children.find(parent);
    if (found == m_children.end())
        return;
    std::vector<CoroutineId> &children = found->second;
    const auto position = std::lower_bound(children.begin(), children.end(), child);
    if (position != children.end() && *position == child)
        children.erase(position);
    m_rewritten.insert(parent);
    if (children.empty())
        m_children.erase(found);
}

void CreationTree::showAgain(CoroutineId id)
{
    for (; id != kNoCoroutine && m_gone[id]; id = m_parents[id]) {
        m_gone[id] = false;
        m_rewritten.insert(m_parents[id]);
    }
}

bool CreationTree::isGone(CoroutineId id)
{
    if (id >= m_parents.size())
        return false;
    std::vector<CoroutineId> todo = {id};
    for (std::size_t visited = 0; visited < todo.size(); ++visited) {
        const CoroutineId next = todo[visited];
        if (m_gone[next])
            continue;
        if (visited >= kMostVisited || m_population.at(next).deathTs == 0)
            return false;
        const std::vector<CoroutineId> &children = childrenOf(next);
        if (children.size() > kMostVisited)
            return false;
        todo.insert(todo.end(), children.begin(), children.end());
    }
    for (const CoroutineId each : todo)
        m_gone[each] = true;
    return true;
}

}  // namespace ct
