// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What writers of exported files need per coroutine: its identity, its sums and its next event number.
#pragma once

#include "core/stream/stream.h"
#include "core/stream/unselected.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct {

class CoroutineSums {
public:
    struct Entry {
        std::uint64_t probeId = 0;
        std::uint64_t birthTs = 0;
        std::uint64_t nextN = 0;  ///< number expected next
        std::uint64_t events = 0;
        std::uint64_t lost = 0;         ///< overwritten or dropped before they were captured
        std::uint64_t missed = 0;       ///< published, and gone before the engine attached
        std::uint64_t unexplained = 0;  ///< numbers missing in the stream without a Loss
        std::uint32_t pid = 0;
        bool isMadeUp = false;  ///< a damaged recording lost the birth: nothing of it is known
    };

    /// How many events are missing right before a transition, by reason.
    struct Gap {
        std::uint64_t lost = 0;
        std::uint64_t missed = 0;
        std::uint64_t unexplained = 0;
        std::uint64_t notSelected = 0;  ///< before the time range of a selection; no gap in the trace
        bool any() const { return (lost | missed | unexplained) != 0; }
    };
    /// The gap after the latest transition of a coroutine.
    struct EndGap : Gap {
        CoroutineId coroutine = kNoCoroutine;
        std::uint64_t n = 0;  ///< number of the next transition, if there was one
    };

    /// `unselected`: what a selection left out of the stream; nullptr: there is no selection.
    explicit CoroutineSums(std::shared_ptr<const Unselected> unselected = {}) : m_unselected(std::move(unselected)) {}

    /// Adds the births and losses of a batch. Call it before advance() for the batch's transitions.
    void addBatch(const Batch &batch);

    /// Counts a transition and returns the gap before it. Call it in the order of the stream.
    Gap advance(const Transition &transition)
    {
        Entry &entry = at(transition.coroutine);
        ++entry.events;
        const std::uint64_t expected = entry.nextN;
        entry.nextN = transition.n + 1;
        return transition.n == expected ? Gap{} : explain(entry, transition, expected);
    }

    /// Returns the gap after a coroutine's latest transition, once; nullopt: nothing was lost there. Call it before the
    /// coroutine's death, and at the end of the stream.
    std::optional<EndGap> takeEndGap(CoroutineId id);

    /// Takes back an event, or the counts of a gap, whose row did not reach the file.
    void takeBackEvent(CoroutineId id) { --at(id).events; }
    void takeBackGap(CoroutineId id, const Gap &gap);

    /// All coroutines without a birth share one entry.
    const Entry &entry(CoroutineId id) const { return id < m_entries.size() ? m_entries[id] : m_withoutBirth; }
    const std::vector<Entry> &entries() const { return m_entries; }

private:
    Entry &at(CoroutineId id) { return id < m_entries.size() ? m_entries[id] : m_withoutBirth; }
    Gap explain(Entry &entry, const Transition &transition, std::uint64_t expected);
    bool followsUnselected(const Entry &entry, const Transition &transition) const;

    std::shared_ptr<const Unselected> m_unselected;
    std::vector<Entry> m_entries;
    Entry m_withoutBirth;  ///< shared by all coroutines without a birth
    /// Losses without a later transition so far.
    std::unordered_map<CoroutineId, std::vector<Loss>> m_losses;
};

}  // namespace ct
