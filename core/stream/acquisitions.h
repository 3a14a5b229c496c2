// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Who holds which object: the acquisitions of a stream that were not released so far.
#pragma once

#include "core/stream/stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ct {

/// Remembers the latest kMostHolders acquisitions of each object, and at least kMost / 2 of all objects. Not
/// thread-safe.
class Acquisitions {
public:
    static constexpr std::size_t kMostHolders = 256;
    static constexpr std::size_t kMost = 65'536;

    /// A release ends the latest acquisition by the same coroutine. If it has none, it ends the earliest one of the
    /// object: a coroutine may release what another one has acquired, for example a semaphore.
    void consume(const Use &use)
    {
        if (use.kind == UseKind::Acquired)
            add(use);
        else if (use.kind == UseKind::Released)
            remove(use);
    }

    /// Returns all acquisitions in the order of their times.
    std::vector<Use> all() const
    {
        return select([](const Use &) { return true; });
    }
    /// Returns the acquisitions by one coroutine in the order of their times.
    std::vector<Use> by(CoroutineId coroutine) const
    {
        return select([coroutine](const Use &use) { return use.by == coroutine; });
    }
    /// Returns the acquisitions of one object, in the order of the stream. Processes have objects at equal addresses.
    std::vector<Use> of(std::uint32_t pid, std::uint64_t object) const
    {
        const auto found = m_holders.find({pid, object});
        return found != m_holders.end() ? found->second : std::vector<Use>{};
    }

private:
    void add(const Use &use)
    {
        std::vector<Use> &holders = m_holders[{use.pid, use.object}];
        if (holders.size() == kMostHolders) {
            holders.erase(holders.begin());
            --m_count;
        }
        holders.push_back(use);
        if (++m_count > kMost)
            forgetOlderHalf();
    }
    void remove(const Use &use)
    {
        const auto found = m_holders.find({use.pid, use.object});
        if (found == m_holders.end())
            return;
        std::vector<Use> &holders = found->second;
        const auto own = std::find_if(holders.rbegin(), holders.rend(),
                                      [&use](const Use &acquisition) { return acquisition.by == use.by; });
        holders.erase(own != holders.rend() ? std::next(own).base() : holders.begin());
        --m_count;
        if (holders.empty())
            m_holders.erase(found);
    }
    /// A half, so that the cost for each further acquisition is constant.
    void forgetOlderHalf()
    {
        const std::vector<Use> uses = all();
        m_holders.clear();
        m_count = 0;
        for (std::size_t i = uses.size() / 2; i < uses.size(); ++i)
            add(uses[i]);
    }
    template <class Predicate>
    std::vector<Use> select(Predicate isWanted) const
    {
        std::vector<Use> selected;
        for (const auto &[object, holders] : m_holders)
            std::copy_if(holders.begin(), holders.end(), std::back_inserter(selected), isWanted);
        std::stable_sort(selected.begin(), selected.end(), [](const Use &a, const Use &b) { return a.ts < b.ts; });
        return selected;
    }

    /// By pid and address; in the order of the stream, never empty.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Use>> m_holders;
    std::size_t m_count = 0;
};

}  // namespace ct
