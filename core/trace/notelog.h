// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The latest wakes and waits-on of all coroutines, in the order in which they came: a ring of 32 bytes each.
//
// One writer, any number of readers on other threads; nobody waits.
#pragma once

#include "core/trace/reservedarray.h"
#include "core/trace/stream.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace ct::history {

class NoteLog {
public:
    static constexpr std::uint64_t kNoteBytes = 32;

    /// `budget` in bytes. `keepNs`: older ones are dropped, too; 0 = as many as the budget holds.
    NoteLog(std::uint64_t budget, std::uint64_t keepNs);

    /// Writer only. `now`: of the pass, ns, CLOCK_MONOTONIC.
    void append(const Notes &notes, std::uint64_t now);
    /// Writer only; after each pass: drops what is too old.
    void settle(std::uint64_t now);

    // Readers, any thread.

    /// Appends at most `limit` of the notes from number `position` on, or from the oldest kept one, and moves
    /// `position` behind the last of them. False: there was none.
    bool read(std::uint64_t &position, std::size_t limit, Notes &to) const;
    std::uint64_t count() const { return m_count.load(std::memory_order_acquire); }  ///< ever; partner: append()
    std::uint64_t dropped() const { return m_oldest.load(std::memory_order_acquire); }
    std::uint64_t bytesUsed() const { return std::uint64_t{m_slots.size()} * kNoteBytes; }

private:
    using Words = std::array<std::uint64_t, 4>;
    using Slot = std::array<std::atomic<std::uint64_t>, 4>;
    static_assert(sizeof(Slot) == kNoteBytes);

    bool makeSlot();
    void append(const Words &words);
    Slot &slotOf(std::uint64_t number, std::uint64_t ring) const
    {
        return m_slots[static_cast<std::uint32_t>(ring == 0 ? number : number % ring)];
    }

    const std::uint64_t m_keepNs;
    ReservedArray<Slot> m_slots;
    std::uint32_t m_capacity;              ///< writer: how many slots there can be
    std::atomic<std::uint64_t> m_ring{0};  ///< slots that there are for good; 0: they still grow
    std::atomic<std::uint64_t> m_count{0};
    std::atomic<std::uint64_t> m_oldest{0};  ///< number of the oldest one kept = how many were dropped
};

}  // namespace ct::history
