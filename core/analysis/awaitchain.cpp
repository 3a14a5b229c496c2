// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/awaitchain.h"

#include <algorithm>

namespace ct {

namespace {

bool contains(const std::vector<CoroutineId> &ids, CoroutineId id)
{
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// Extends the chain from its last coroutine inwards.
void followInwards(const Population &population, AwaitChain &chain)
{
    for (std::size_t steps = 0;; ++steps) {
        chain.waits = population.waitsOf(chain.coroutines.back());
        const CoroutineId next = chain.waits.size() == 1 ? chain.waits.front().target : kNoCoroutine;
        if (next == kNoCoroutine)
            return;
        chain.waits.clear();
        // A chain that leads into a cycle ends in front of it. The cycle is the chain of its own coroutines.
        chain.isCycle = next == chain.coroutines.front();
        chain.goesOnInwards = !chain.isCycle && (steps == AwaitChain::kMost || contains(chain.coroutines, next));
        if (chain.isCycle || chain.goesOnInwards)
            return;
        chain.coroutines.push_back(next);
    }
}

void followOutwards(const Population &population, AwaitChain &chain)
{
    std::vector<CoroutineId> outer;
    CoroutineId waiter = population.waiterFor(chain.coroutines.front());
    while (waiter != kNoCoroutine && outer.size() < AwaitChain::kMost && !contains(outer, waiter) &&
           !contains(chain.coroutines, waiter)) {
        outer.push_back(waiter);
        waiter = population.waiterFor(waiter);
    }
    chain.goesOnOutwards = waiter != kNoCoroutine;
    chain.self = outer.size();
    chain.coroutines.insert(chain.coroutines.begin(), outer.rbegin(), outer.rend());
}

}  // namespace

AwaitChain awaitChainOf(const Population &population, CoroutineId id)
{
    AwaitChain chain;
    chain.coroutines.push_back(id);
    followInwards(population, chain);
    if (!chain.isCycle)
        followOutwards(population, chain);
    const std::uint32_t pid = population.at(chain.coroutines.back()).pid;
    for (const WaitsOn &wait : chain.waits) {
        if (wait.kind != WaitKind::Lock)
            continue;
        const std::vector<Use> holders = population.holdersOf(pid, wait.object);
        chain.holders.insert(chain.holders.end(), holders.begin(), holders.end());
    }
    return chain;
}

}  // namespace ct
