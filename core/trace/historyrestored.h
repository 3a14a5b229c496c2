// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Evicted slabs that were restored, in memory of their own outside the ring. Each full slab leaves an entry that names
// its events in the stream. With these events, the same slab can be restored row by row.
#pragma once

#include "core/base/reservedarray.h"
#include "core/trace/historyslab.h"
#include "core/trace/slabmemory.h"

#include <memory>
#include <span>
#include <vector>

namespace ct::history {

/// The entry of a slab that gets no more rows.
struct alignas(64) Sealed {
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    /// Position of its first event in the stream, from 0; kUnknown: the slab cannot be restored.
    std::uint64_t first = 0;
    std::uint64_t end = 0;  ///< one past its last event; kUnknown as for `first`
    std::uint64_t base = 0;
    std::uint64_t minTs = 0;
    std::uint64_t maxTs = 0;
    std::uint32_t rows = 0;
    std::atomic<std::uint32_t> slot{0};  ///< index + 1 of the slot that has it; release, partner: acquire in view()
    std::uint64_t latestTs = 0;          ///< latest time (ns) in this slab and all before it
    /// Earliest time (ns) in this slab and the slabs before it, together as many as the lowest set bit of its number.
    /// So the entries are a Fenwick tree (P. Fenwick, A New Data Structure for Cumulative Frequency Tables, 1994) of
    /// minima.
    std::uint64_t earliestTs = 0;

    Sealed() = default;
    Sealed(std::uint64_t firstPosition, std::uint64_t endPosition, std::uint64_t slabBase, std::uint64_t min,
           std::uint64_t max, std::uint32_t rowCount)
        : first(firstPosition), end(endPosition), base(slabBase), minTs(min), maxTs(max), rows(rowCount)
    {
    }
    bool canBeRestored() const { return first != kUnknown && end != kUnknown; }
};
static_assert(sizeof(Sealed) == 64);

struct Coroutines;
class Dictionary;

class Restored {
public:
    explicit Restored(std::uint64_t budget);
    ~Restored();
    Restored(const Restored &) = delete;
    Restored &operator=(const Restored &) = delete;

    /// Called by the ring's writer, for all slabs in their order.
    void addSlab(std::uint32_t number, const Sealed &sealed);

    // One thread at a time, not necessarily the writer's.

    /// Restores a slab from `events`, the events of the stream from Sealed::first to Sealed::end. If there is no room,
    /// it replaces the slab farthest from those to `keep` (ascending). Returns false when the events do not match, or
    /// when there is no room.
    bool restore(std::uint32_t number, std::span<const Transition> events, const Coroutines &coroutines,
                 std::span<const std::uint32_t> keep);

    // Readers, any thread.

    std::uint32_t slabs() const { return m_memory.slabs(); }       ///< number of slabs that fit at once
    std::uint32_t sealedSlabs() const { return m_sealed.size(); }  ///< number of the latest full slab
    const Sealed &sealed(std::uint32_t number) const { return m_sealed[number - 1]; }  ///< number <= sealedSlabs()
    /// The first slab that has an event at `ts` or later; sealedSlabs() + 1 if there is none.
    std::uint32_t firstAt(std::uint64_t ts) const;
    /// The last slab up to `number` that has an event before `ts`; 0 = none. `number` is a sealed slab or 0. Times do
    /// not ascend: a thread may pause between reading the clock and publishing its event.
    std::uint32_t lastBefore(std::uint64_t ts, std::uint32_t number) const;
    bool isRestored(std::uint32_t number) const;
    bool view(std::uint32_t number, SlabView &view) const;
    std::uint32_t next(std::uint32_t number) const;      ///< the first restored slab from `number` on; 0 = none
    std::uint32_t previous(std::uint32_t number) const;  ///< the last restored slab up to `number`; 0 = none
    std::uint64_t bytesUsed() const { return std::uint64_t{m_used.load(std::memory_order_relaxed)} * kSlabBytes; }
    /// Grows with each restore(). Acquire: a reader of the new version sees the slab.
    std::uint64_t version() const { return m_version.load(std::memory_order_acquire); }

private:
    std::uint32_t slotFor(std::span<const std::uint32_t> keep);
    std::uint32_t fill(std::byte *memory, const Sealed &sealed, std::span<const Transition> events,
                       const Coroutines &coroutines);

    SlabMemory m_memory;
    std::unique_ptr<Slot[]> m_slots;
    ReservedArray<Sealed> m_sealed;
    std::atomic<std::uint32_t> m_used{0};  ///< slots that have memory; release, partner: next(), previous()
    Word m_version{0};

    // Used by restore() only.
    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::unique_ptr<Dictionary> m_dictionary;
    std::uint64_t m_turn = 0;
};

}  // namespace ct::history
