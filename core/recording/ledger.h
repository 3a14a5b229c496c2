// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What every writer of a stream has to remember of each coroutine: who it is, and which numbers are still to come.
#pragma once

#include "core/trace/stream.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ct {

class Ledger {
public:
    struct Entry {
        std::uint64_t probeId = 0;
        std::uint64_t birthTs = 0;
        std::uint64_t nextN = 0;  ///< number expected next
        std::uint64_t events = 0;
        std::uint64_t lost = 0;
        std::uint64_t missed = 0;   ///< before the capture was attached
        std::uint64_t dropped = 0;  ///< neither lost nor missed, and yet not in this stream
        std::uint32_t pid = 0;
    };

    /// How many numbers are missing right before a transition, and why.
    struct Gap {
        std::uint64_t lost = 0;
        std::uint64_t missed = 0;
        std::uint64_t dropped = 0;
        bool any() const { return (lost | missed | dropped) != 0; }
    };

    /// Takes births and losses; call before the transitions of the batch are looked at.
    void begin(const Batch &batch);

    /// Counts a transition in the order of the stream.
    Gap advance(const Transition &transition)
    {
        Entry &entry = at(transition.coroutine);
        ++entry.events;
        const std::uint64_t expected = entry.nextN;
        entry.nextN = transition.n + 1;
        return transition.n == expected ? Gap{} : explain(entry, transition, expected);
    }

    /// A coroutine that no birth announced gets an entry of zeros, shared with others of its kind.
    const Entry &entry(CoroutineId id) const { return id < m_entries.size() ? m_entries[id] : m_stranger; }
    const std::vector<Entry> &entries() const { return m_entries; }

private:
    Entry &at(CoroutineId id) { return id < m_entries.size() ? m_entries[id] : m_stranger; }
    Gap explain(Entry &entry, const Transition &transition, std::uint64_t expected);

    std::vector<Entry> m_entries;
    Entry m_stranger;
    /// Losses that no later transition has shown yet.
    std::unordered_map<CoroutineId, std::vector<Loss>> m_losses;
};

}  // namespace ct
