// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who created whom, kept up to date with a population of millions in small steps. No model, no rows: see
// CreationTreeModel. What targets say about parents is untrusted: cycles are refused, any depth is endured.
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

    /// Takes over births and what became known of parents since the last call, as far as `budget` allows. Coroutines
    /// are taken over one call after they were first seen: their parents usually follow on their heels.
    void update(std::chrono::nanoseconds budget);
    /// Everything that the population knew a call ago is in the tree.
    bool isCaughtUp() const { return m_parents.size() >= m_ready; }

    CoroutineId parentOf(CoroutineId id) const { return id < m_parents.size() ? m_parents[id] : kNoCoroutine; }
    /// In order of birth. Of kNoCoroutine: the coroutines that have children, but no known parent.
    const std::vector<CoroutineId> &childrenOf(CoroutineId id) const;
    bool hasChildren(CoroutineId id) const { return m_children.count(id) != 0; }
    /// Destroyed, as is everything below it. An answer that would cost too much is `false`.
    bool isGone(CoroutineId id);

    std::uint64_t treeCount() const { return childrenOf(kNoCoroutine).size(); }
    /// Coroutines that have a parent, children or both.
    std::uint64_t memberCount() const { return m_withParent + treeCount(); }

    /// Whose children have changed since the last call other than by new ones at the end, or are gone no longer.
    std::unordered_set<CoroutineId> takeRewritten() { return std::exchange(m_rewritten, {}); }

private:
    using Clock = std::chrono::steady_clock;
    void takeBirths(Clock::time_point deadline);
    void takeChanges(Clock::time_point deadline);
    void link(CoroutineId id, CoroutineId parent);
    void unlink(CoroutineId id);
    bool closesCycle(CoroutineId id, CoroutineId parent) const;
    void insert(CoroutineId parent, CoroutineId child);
    void remove(CoroutineId parent, CoroutineId child);
    void bringBack(CoroutineId id);

    const Population &m_population;
    std::vector<CoroutineId> m_parents;  ///< by id
    std::vector<bool> m_gone;            ///< by id
    std::unordered_map<CoroutineId, std::vector<CoroutineId>> m_children;
    std::unordered_set<CoroutineId> m_rewritten;
    std::vector<std::uint64_t> m_seen;  ///< page versions
    std::size_t m_ready = 0;            ///< coroutines below it may be taken over
    std::uint32_t m_nextPage = 0;
    std::uint64_t m_withParent = 0;
    bool m_hasYoungerParents = false;  ///< somebody's parent was born after it: cycles are possible
};

}  // namespace ct
