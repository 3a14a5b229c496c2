// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Deaths seen but not yet emitted: unread lanes may still hold notes about these coroutines. Harvest thread only.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <deque>
#include <unordered_map>

namespace ct {

struct PendingDeath {
    std::uint64_t identity = 0;
    std::uint64_t next = 0;  ///< number of events of the coroutine
    /// ns; once all lanes were read up to this time, no note about the coroutine can follow.
    std::uint64_t due = 0;
    Death death;
};

class PendingDeaths {
public:
    void addDeath(const PendingDeath &death) { m_all.push_back(death); }
    /// Returns null if the death of `identity` is not pending. The index is built here, because late notes are rare:
    /// addDeath() only appends.
    const PendingDeath *findDeath(std::uint64_t identity);
    /// Emits all deaths that were due before `ns`, up to the first one that was not.
    void emitPending(std::uint64_t ns, Batch &batch);
    bool isEmpty() const { return m_all.empty(); }

private:
    std::deque<PendingDeath> m_all;
    std::uint64_t m_first = 0;                                 ///< serial number of m_all.front()
    std::uint64_t m_indexed = 0;                               ///< deaths with lower serial numbers are in m_index
    std::unordered_map<std::uint64_t, std::uint64_t> m_index;  ///< serial numbers by identity
};

}  // namespace ct
