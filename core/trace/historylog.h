// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The log of all events: a ring of slabs. The oldest slabs are evicted when the budget is used up, or when they are too
// old. A caller that has their events can restore them outside the ring.
#pragma once

#include "core/base/reservedarray.h"
#include "core/trace/coroutineeviction.h"
#include "core/trace/historyrestored.h"
#include "core/trace/historyslab.h"
#include "core/trace/slabmemory.h"

#include <memory>
#include <span>
#include <vector>

namespace ct::history {

/// The part of a coroutine that each event needs. Small, because consecutive events are of different coroutines.
struct Head {
    static constexpr std::uint64_t kNoAddr = ~std::uint64_t{0};
    Word usualAddr{kNoAddr};             ///< set once; kNoAddr until then
    std::atomic<std::uint32_t> last{0};  ///< slab of the latest event; release, partner: acquire in readers
    std::atomic<std::uint32_t> loss{0};  ///< index + 1 in the table of losses; release, partner: acquire in readers
};
static_assert(sizeof(Head) == 16);

/// The rest of a coroutine. The writer owns the plain members.
struct Life {
    Word deathTs{0};                      ///< ns; 0 = alive
    std::atomic<std::uint32_t> first{0};  ///< slab of the very first event; stored before Head::last
    std::atomic<std::uint8_t> firstN{0};  ///< lowest number of the coroutine, 0 or 1; stored before Head::last
    Dialect dialect = Dialect::Unknown;
};
static_assert(sizeof(Life) == 16);

struct Coroutines {
    Coroutines(std::uint32_t most, const RecordLimits &limits) : coroutineEviction(limits), heads(most), lives(most) {}
    CoroutineEviction coroutineEviction;
    ReservedArray<Head> heads;  ///< contiguous, so the id alone finds a head
    ReservedArray<Life> lives;  ///< as many as heads, or one more
};

class Log {
public:
    /// `restored`: bytes for restored slabs, outside the budget.
    Log(std::uint64_t budget, std::uint64_t restored, std::uint64_t keepNs);
    ~Log();
    Log(const Log &) = delete;
    Log &operator=(const Log &) = delete;

    // Writer only.

    /// Call before the first event. Reserves all memory of the budget and touches it.
    void prepareMemory();
    /// Leaves out events of coroutines without a head.
    void append(std::span<const Transition> events, Coroutines &coroutines);
    /// Call after each pass. Evicts slabs that are too old.
    void evictOld(std::uint64_t now);

    // Readers, any thread.

    /// Returns false when the slab is not in memory.
    bool view(std::uint32_t number, SlabView &view) const
    {
        return slotOf(number).view(number, view) || m_restored.view(number, view);
    }
    /// The oldest slab of the ring; 0 = none yet.
    std::uint32_t oldest() const { return m_oldest.load(std::memory_order_acquire); }
    /// The first slab in memory from `number` on. Slabs that the ring has not begun yet count as in memory.
    std::uint32_t nextKept(std::uint32_t number) const;
    /// The last slab in memory up to `number`; 0 = none.
    std::uint32_t previousKept(std::uint32_t number) const;
    const Restored &restored() const { return m_restored; }
    Restored &restored() { return m_restored; }

    std::uint64_t firstTs() const { return m_firstTs.load(std::memory_order_relaxed); }
    std::uint64_t lastTs() const { return m_lastTs.load(std::memory_order_relaxed); }
    std::uint64_t evictedBefore() const { return m_evictedBefore.load(std::memory_order_relaxed); }
    std::uint64_t evictedEvents() const { return m_evictedEvents.load(std::memory_order_relaxed); }
    std::uint64_t keptEvents() const { return m_keptEvents.load(std::memory_order_relaxed); }
    std::uint64_t bytesUsed() const { return m_bytesUsed.load(std::memory_order_relaxed) + m_restored.bytesUsed(); }
    std::uint64_t mostBytes() const { return (std::uint64_t{m_slotCount} + m_restored.slabs()) * kSlabBytes; }
    /// Events of the stream so far, evicted ones included: the position of the next event.
    std::uint64_t streamed() const { return m_streamed.load(std::memory_order_acquire); }

private:
    static constexpr std::uint32_t kSealed = Slot::kSealed;

    Slot &slotOf(std::uint32_t number) const { return m_slots[number % m_slotCount]; }
    std::size_t fill(std::span<const Transition> events, Coroutines &coroutines);
    void beginSlab(std::uint64_t ts, std::uint64_t firstPosition);
    void seal(std::uint64_t end);
    void publish(std::uint32_t seal);
    void evictOldest();
    Buffer *acquireBuffer();

    SlabMemory m_memory;
    const std::uint32_t m_slotCount;
    const std::uint64_t m_keepNs;
    std::unique_ptr<Slot[]> m_slots;
    Restored m_restored;
    std::unique_ptr<Dictionary> m_dictionary;  ///< cells of the slab being filled

    // Writer only: the slab being filled.
    std::uint32_t m_number = 0;
    std::byte *m_slab = nullptr;
    std::uint32_t m_rows = 0;
    std::uint64_t m_base = 0;
    std::uint64_t m_minTs = 0;
    std::uint64_t m_maxTs = 0;
    bool m_full = true;
    std::uint64_t m_firstPosition = 0;  ///< position of its first event in the stream, or Sealed::kUnknown

    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::vector<Buffer *> m_spare;
    std::vector<Transition> m_known;  ///< scratch of append()

    std::atomic<std::uint32_t> m_oldest{0};
    Word m_firstTs{0};
    Word m_lastTs{0};
    Word m_evictedBefore{0};
    Word m_evictedEvents{0};
    Word m_keptEvents{0};
    Word m_bytesUsed{0};
    Word m_streamed{0};  ///< release, partner: streamed()
};

}  // namespace ct::history
