// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The log of all events: a ring of slabs. Over the budget, or when they are too old, the oldest slabs are dropped; they
// can be made again, beside the ring, by somebody who has their events.
#pragma once

#include "core/trace/historyrestored.h"
#include "core/trace/historyslab.h"
#include "core/trace/reservedarray.h"
#include "core/trace/residence.h"
#include "core/trace/slabmemory.h"

#include <memory>
#include <span>
#include <vector>

namespace ct::history {

/// Per coroutine, what every event looks at: as small as possible, because the coroutines take turns.
struct Head {
    static constexpr std::uint64_t kNoAddr = ~std::uint64_t{0};
    Word usualAddr{kNoAddr};             ///< constant once it is another
    std::atomic<std::uint32_t> last{0};  ///< slab of its latest event; release, partner: acquire in readers
    std::atomic<std::uint32_t> loss{0};  ///< place + 1 in the table of losses; release / acquire
};
static_assert(sizeof(Head) == 16);

/// And the rest. Plain members belong to the writer.
struct Life {
    Word deathTs{0};                      ///< 0 = lives
    std::atomic<std::uint32_t> first{0};  ///< slab of its very first event; stored before Head::last
    std::atomic<std::uint8_t> firstN{0};  ///< its first number; the same
    Dialect dialect = Dialect::Unknown;
};
static_assert(sizeof(Life) == 16);

struct Coroutines {
    Coroutines(std::uint32_t most, const RecordLimits &limits) : residence(limits), heads(most), lives(most) {}
    Residence residence;
    ReservedArray<Head> heads;  ///< in one piece: a head is found by its number alone
    ReservedArray<Life> lives;  ///< as many as heads, or one more
};

class Log {
public:
    /// `restored`: bytes beside the budget, for slabs that are made again.
    Log(std::uint64_t budget, std::uint64_t restored, std::uint64_t keepNs);
    ~Log();
    Log(const Log &) = delete;
    Log &operator=(const Log &) = delete;

    // Writer only.

    /// Before the first event: makes all that the budget allows, and touches it.
    void prepareMemory();
    /// Events of coroutines without a head are left out.
    void append(std::span<const Transition> events, Coroutines &coroutines);
    /// After each pass: drops what is too old.
    void settle(std::uint64_t now);

    // Readers, any thread.

    /// False: the slab was dropped, or never was.
    bool view(std::uint32_t number, SlabView &view) const
    {
        return slotOf(number).view(number, view) || m_restored.view(number, view);
    }
    std::uint32_t oldest() const { return m_oldest.load(std::memory_order_acquire); }  ///< of the ring; 0 = none yet
    /// The first slab in memory from `number` on; what the ring has not reached yet counts as there.
    std::uint32_t nextKept(std::uint32_t number) const;
    /// The last slab in memory up to `number`; 0 = none.
    std::uint32_t previousKept(std::uint32_t number) const;
    const Restored &restored() const { return m_restored; }
    Restored &restored() { return m_restored; }

    std::uint64_t firstTs() const { return m_firstTs.load(std::memory_order_relaxed); }
    std::uint64_t lastTs() const { return m_lastTs.load(std::memory_order_relaxed); }
    std::uint64_t droppedBefore() const { return m_droppedBefore.load(std::memory_order_relaxed); }
    std::uint64_t droppedEvents() const { return m_droppedEvents.load(std::memory_order_relaxed); }
    std::uint64_t keptEvents() const { return m_keptEvents.load(std::memory_order_relaxed); }
    std::uint64_t bytesUsed() const { return m_bytesUsed.load(std::memory_order_relaxed) + m_restored.bytesUsed(); }
    std::uint64_t mostBytes() const { return (std::uint64_t{m_slotCount} + m_restored.slabs()) * kSlabBytes; }
    /// Events of the stream so far, whether kept or not: the place of the next one.
    std::uint64_t streamed() const { return m_streamed.load(std::memory_order_acquire); }

private:
    static constexpr std::uint32_t kSealed = Slot::kSealed;

    Slot &slotOf(std::uint32_t number) const { return m_slots[number % m_slotCount]; }
    std::size_t fill(std::span<const Transition> events, Coroutines &coroutines);
    void beginSlab(std::uint64_t ts, std::uint64_t place);
    void seal(std::uint64_t end);
    void publish(std::uint32_t seal);
    void dropOldest();
    Buffer *takeBuffer();

    SlabMemory m_memory;
    const std::uint32_t m_slotCount;
    const std::uint64_t m_keepNs;
    std::unique_ptr<Slot[]> m_slots;
    Restored m_restored;
    std::unique_ptr<Dictionary> m_dictionary;  ///< of the slab being filled

    // Writer only: the slab being filled.
    std::uint32_t m_number = 0;
    std::byte *m_slab = nullptr;
    std::uint32_t m_rows = 0;
    std::uint64_t m_base = 0;
    std::uint64_t m_minTs = 0;
    std::uint64_t m_maxTs = 0;
    bool m_full = true;
    std::uint64_t m_place = 0;  ///< of its first event in the stream, or Sealed::kUnknown

    std::vector<std::unique_ptr<Buffer>> m_buffers;
    std::vector<Buffer *> m_spare;
    std::vector<Transition> m_known;  ///< scratch of append()

    std::atomic<std::uint32_t> m_oldest{0};
    Word m_firstTs{0};
    Word m_lastTs{0};
    Word m_droppedBefore{0};
    Word m_droppedEvents{0};
    Word m_keptEvents{0};
    Word m_bytesUsed{0};
    Word m_streamed{0};  ///< release, partner: streamed()
};

}  // namespace ct::history
