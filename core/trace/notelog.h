// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The latest causes (Notes::causes()) of all coroutines: a ring of 40 bytes each. Notes of one kind are in the order of
// the stream. One writer, any number of readers on other threads. No thread waits for another.
#pragma once

#include "core/base/reservedarray.h"
#include "core/stream/stream.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace ct::history {

class NoteLog {
public:
    static constexpr std::uint64_t kNoteBytes = 40;

    /// `budget`: bytes. `keepNs`: older entries are evicted, too; 0 = only the budget limits.
    NoteLog(std::uint64_t budget, std::uint64_t keepNs);

    /// Writer only. `now`: time of the pass, ns, CLOCK_MONOTONIC.
    void append(const Notes &notes, std::uint64_t now);
    /// Writer only, after each pass. Evicts entries that are too old.
    void evictOld(std::uint64_t now);

    // Readers, any thread.

    /// Appends at most `limit` entries from number `position` on, or from the oldest one in memory, and moves
    /// `position` past the last. Returns false when there is none.
    bool read(std::uint64_t &position, std::size_t limit, Notes &to) const;
    /// Entries since the start. Acquire; partner: append().
    std::uint64_t count() const { return m_count.load(std::memory_order_acquire); }
    std::uint64_t evicted() const { return m_oldest.load(std::memory_order_acquire); }
    std::uint64_t bytesUsed() const { return std::uint64_t{m_words.size()} * sizeof(std::uint64_t); }

private:
    static constexpr std::uint32_t kWords = 5;
    using Words = std::array<std::uint64_t, kWords>;
    static_assert(sizeof(Words) == kNoteBytes);

    bool makeSlot();
    void append(const Words &words);
    /// The first of the kWords words of an entry.
    std::atomic<std::uint64_t> *slotOf(std::uint64_t number, std::uint64_t ring) const
    {
        return &m_words[static_cast<std::uint32_t>(ring == 0 ? number : number % ring) * kWords];
    }

    const std::uint64_t m_keepNs;
    ReservedArray<std::atomic<std::uint64_t>> m_words;  ///< a ReservedArray has no elements of 40 bytes
    std::uint32_t m_capacity;                           ///< writer: how many slots there can be
    std::atomic<std::uint64_t> m_ring{0};               ///< final number of slots; 0 while they still grow
    std::atomic<std::uint64_t> m_count{0};
    std::atomic<std::uint64_t> m_oldest{0};  ///< number of the oldest entry in memory = count of evicted entries
};

}  // namespace ct::history
