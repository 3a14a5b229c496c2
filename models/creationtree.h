// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The creation tree: parents and children of a population of millions, updated in small steps. It has no rows: see
// CreationTreeModel. Parents come from targets and are untrusted: cycles are refused, and any depth is handled.
#pragma once

#include "core/trace/population.h"

#include <chrono>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ct {

class CreationTree {
public:
    /// The population must outlive the tree.
    explicit CreationTree(const Population &population) : m_population(population) {}

    /// Applies new births and newly known parents, as far as `budget` allows. A coroutine enters the tree one call
    /// after it was first seen: its parent usually becomes known soon after its birth.
    void update(std::chrono::nanoseconds budget);
    /// True if the tree contains every coroutine that existed at the latest update().
    bool isCaughtUp() const { return m_parents.size() >= m_ready; }

    CoroutineId parentOf(CoroutineId id) const { return id < m_parents.size() ? m_parents[id] : kNoCoroutine; }
    /// Children in order of birth. For kNoCoroutine: the coroutines that have children, but no known parent.
    const std::vector<CoroutineId> &childrenOf(CoroutineId id) const;
    bool hasChildren(CoroutineId id) const { return m_children.count(id) != 0; }
    /// True if the coroutine and all its descendants are destroyed. Returns false if the check would cost too much.
    bool isGone(CoroutineId id);

    std::uint64_t treeCount() const { return childrenOf(kNoCoroutine).size(); }
    /// Number of coroutines that have a parent, children or both.
    std::uint64_t memberCount() const { return m_withParent + treeCount(); }

    /// Returns the parents whose child lists changed since the last call, except for children appended at the end.
    /// Includes parents with a child that is no longer gone.
    std::unordered_set<CoroutineId> takeRewritten() { return std::exchange(m_rewritten, {}); }

private:
    using Clock = std::chrono::steady_clock;
    void addBirths(Clock::time_point deadline);
    void applyChanges(Clock::time_point deadline);
    void link(CoroutineId id, CoroutineId parent);
    void unlink(CoroutineId id);
    bool closesCycle(CoroutineId id, CoroutineId parent) const;
    void insert(CoroutineId parent, CoroutineId child);
    void remove(CoroutineId parent, CoroutineId child);
    void showAgain(CoroutineId id);

    const Population &m_population;
    std::vector<CoroutineId> m_parents;  ///< by id; kNoCoroutine = no known parent
    std::vector<bool> m_gone;            ///< by id; caches isGone() == true
    std::unordered_map<CoroutineId, std::vector<CoroutineId>> m_children;
    std::unordered_set<CoroutineId> m_rewritten;
    std::vector<std::uint64_t> m_seen;  ///< page versions, as of the latest visit
    std::size_t m_ready = 0;            ///< update() may add the coroutines below this id
    std::uint32_t m_nextPage = 0;
    std::uint64_t m_withParent = 0;
    bool m_hasYoungerParents = false;  ///< some parent was born after its child: cycles are possible
};

}  // namespace ct
