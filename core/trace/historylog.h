// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The log of all events: a ring of slabs. Over the budget, or when they are too old, the oldest slabs are dropped.
#pragma once

#include "core/trace/historyslab.h"
#include "core/trace/reservedarray.h"
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
    explicit Coroutines(std::uint32_t most) : heads(most), lives(most) {}
    ReservedArray<Head> heads;  ///< in one piece: a head is found by its number alone
    ReservedArray<Life> lives;  ///< as many as heads, or one more
};

class Dictionary;

class Log {
public:
    Log(std::uint64_t budget, std::uint64_t keepNs);
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
    bool view(std::uint32_t number, SlabView &view) const;
    /// To be asked after copying from a view: true, if nothing of the copy belongs to a later use of the memory.
    bool isCurrent(std::uint32_t number) const
    {
        // Relaxed: the contents were loaded with acquire, see historyslab.h.
        return m_slots[number % m_slotCount].number.load(std::memory_order_relaxed) == number;
    }
    std::uint32_t oldest() const { return m_oldest.load(std::memory_order_acquire); }  ///< number; 0 = none yet

    std::uint64_t firstTs() const { return m_firstTs.load(std::memory_order_relaxed); }
    std::uint64_t lastTs() const { return m_lastTs.load(std::memory_order_relaxed); }
    std::uint64_t droppedBefore() const { return m_droppedBefore.load(std::memory_order_relaxed); }
    std::uint64_t droppedEvents() const { return m_droppedEvents.load(std::memory_order_relaxed); }
    std::uint64_t keptEvents() const { return m_keptEvents.load(std::memory_order_relaxed); }
    std::uint64_t bytesUsed() const { return m_bytesUsed.load(std::memory_order_relaxed); }

private:
    struct alignas(64) Slot {
        std::atomic<std::uint32_t> number{0};
        std::atomic<std::uint32_t> rows{0};  ///< published ones, and kSealed; release, partner: view()
        Word base{0};
        Word minTs{0};
        Word maxTs{0};
        std::atomic<Buffer *> buffer{nullptr};
    };
    static constexpr std::uint32_t kSealed = 1U << 31;

    Slot &slotOf(std::uint32_t number) const { return m_slots[number % m_slotCount]; }
    std::size_t fill(std::span<const Transition> events, Coroutines &coroutines);
    void beginSlab(std::uint64_t ts);
    void publish(std::uint32_t seal);
    void dropOldest();
    Buffer *takeBuffer();

    SlabMemory m_memory;
    const std::uint32_t m_slotCount;
    const std::uint64_t m_keepNs;
    std::unique_ptr<Slot[]> m_slots;
    std::unique_ptr<Dictionary> m_dictionary;  ///< of the slab being filled

    // Writer only: the slab being filled.
    std::uint32_t m_number = 0;
    std::byte *m_slab = nullptr;
    std::uint32_t m_rows = 0;
    std::uint64_t m_base = 0;
    std::uint64_t m_minTs = 0;
    std::uint64_t m_maxTs = 0;
    bool m_full = true;

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
};

}  // namespace ct::history
