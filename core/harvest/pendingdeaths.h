// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Deaths seen but not yet emitted: unread lanes may still hold notes about these coroutines. Also the latest deaths
// that were emitted: the target may still wake such a coroutine, which is a use after its end. Harvest thread only.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace ct {

struct PendingDeath {
    std::uint64_t identity = 0;
    std::uint64_t next = 0;  ///< number of events of the coroutine
    /// ns; once all lanes were read up to this time, no note about the coroutine can follow.
    std::uint64_t due = 0;
    Death death;
};

/// A coroutine whose death was emitted.
struct EmittedDeath {
    std::uint64_t identity = 0;
    std::uint64_t next = 0;  ///< number of events of the coroutine
    CoroutineId coroutine = kNoCoroutine;
};

class PendingDeaths {
public:
    /// Emitted deaths that are remembered. A later one may replace an earlier one before that, by chance.
    static constexpr std::size_t kMostEmitted = 1U << 16;

    void addDeath(const PendingDeath &death) { m_all.push_back(death); }
    /// Returns null if the death of `identity` is not pending. The index is built here, because late notes are rare:
    /// addDeath() only appends.
    const PendingDeath *findDeath(std::uint64_t identity);
    /// Emits all deaths that were due before `ns`, up to the first one that was not.
    void emitPending(std::uint64_t ns, Batch &batch);
    /// Returns null if no death of `identity` was emitted, or if it is forgotten.
    const EmittedDeath *findEmitted(std::uint64_t identity) const;
    bool isEmpty() const { return m_all.empty(); }

private:
    std::deque<PendingDeath> m_all;
    std::uint64_t m_first = 0;                                 ///< serial number of m_all.front()
    std::uint64_t m_indexed = 0;                               ///< deaths with lower serial numbers are in m_index
    std::unordered_map<std::uint64_t, std::uint64_t> m_index;  ///< serial numbers by identity
    std::vector<EmittedDeath> m_emitted;  ///< by a hash of the identity; empty before the first one
};

}  // namespace ct
