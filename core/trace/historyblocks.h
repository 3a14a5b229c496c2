// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where the History keeps its blocks, and how an event is packed.
//
//   slab   1 MiB of words, used in turn; the ring's oldest is used again when the budget is spent
//   block  kHeaderWords words, then entries of two words; one coroutine's events, linked both ways
//
//   entry, event   word 0: time relative to the block's base (48, signed) | thread index (16)
//                  word 1: flags (8) | kind (2) | unused (2) | site (20) | address reference (32)
//   entry, gap     word 0: as above, time of the next event seen
//                  word 1: flags (8) | missing numbers (56)
//   entry, wide    the second half of an event that did not fit: word 0: address, word 1: site (32) | tid (32)
//
// A slab's number (its how-manieth use) is its seqlock. Writer: number 0 (relaxed), contents (release each), number
// (release). Readers: number (acquire), contents (acquire each), number again (relaxed): who saw contents of a later
// use sees that the number has changed.
#pragma once

#include "core/trace/stream.h"

#include <atomic>
#include <memory>
#include <vector>

namespace ct::history {

using Word = std::atomic<std::uint64_t>;

/// Slab number (32, from 1) | its slot in the ring (15) | index of the block's first word in it (17). 0 = none.
using BlockRef = std::uint64_t;

enum BlockWord : std::uint32_t {
    kCoroutineAndCapacity,  ///< coroutine (32) | entries there is room for (32)
    kPrevious,              ///< BlockRef
    kNext,                  ///< BlockRef; set when the block is closed
    kFirstN,
    kBaseTs,       ///< of the first entry
    kOpenTs,       ///< of the coroutine's event before this block
    kOpenState,    ///< Open (32) | its site (32)
    kUsualAddr,    ///< what address reference kUsualAddress means here
    kCount,        ///< entries published; release, partner: acquire in BlockView
    kClosedTs,     ///< of the last event; this and the next ones: when the block is closed
    kRunNs,        ///< running from the open event to the last one
    kSuspendedNs,  ///< the same, suspended
    kClosedSums,   ///< closed (1) | gaps seen (1) | unused (10) | last suspension's site (20) | transitions (32)
    kHeaderWords,
};

/// What lasts from the event before: nothing known, running, suspended.
enum class Open : std::uint8_t { Nothing, Running, Suspended };

inline constexpr std::uint32_t kSlabWords = (1U << 20) / sizeof(std::uint64_t);
inline constexpr std::uint32_t kMaxSlabs = 1U << 15;
static_assert(std::uint64_t{kMaxSlabs} * kSlabWords == std::uint64_t{1} << 32);
inline constexpr std::uint32_t kFirstCapacity = 6;  ///< entries of a coroutine's first block; doubles ...
inline constexpr std::uint32_t kMaxCapacity = 256;  ///< ... up to this: what a coarse zoom need not decode

/// Flags of an entry.
inline constexpr std::uint64_t kActive = 1ULL << 63;
inline constexpr std::uint64_t kGap = 1ULL << 62;
inline constexpr std::uint64_t kWide = 1ULL << 61;  ///< another entry follows, with what did not fit
inline constexpr unsigned kKindShift = 54;
inline constexpr unsigned kSiteShift = 32;
inline constexpr std::uint64_t kGapCountMask = (1ULL << 56) - 1;
inline constexpr SiteId kSiteLimit = 1U << 20;

constexpr PointKind kindOf(std::uint64_t flags)
{
    return static_cast<PointKind>(flags >> kKindShift & 3U);
}
constexpr SiteId siteOf(std::uint64_t flags)
{
    return static_cast<SiteId>(flags >> kSiteShift) & (kSiteLimit - 1);
}

/// Address references; from kFirstInterned on, an index into the table of addresses.
enum : std::uint32_t { kZeroAddress, kUsualAddress, kFirstInterned };

/// True when the distance fits the 48 signed bits of an entry.
bool fitsOffset(std::uint64_t base, std::uint64_t ts);
std::uint64_t packOffset(std::uint64_t base, std::uint64_t ts);
std::uint64_t unpackTs(std::uint64_t base, std::uint64_t word);

/// The ring of slabs. One writer; readers go through load() and isCurrent().
class Slabs {
public:
    explicit Slabs(std::uint64_t budget);
    ~Slabs();

    // Writer only.

    /// Room for `words` words; drops the oldest slab when there is none. The memory is not cleared.
    BlockRef allocate(std::uint32_t words);
    void store(BlockRef block, std::uint32_t word, std::uint64_t value)
    {
        words(block)[index(block) + word].store(value, std::memory_order_release);
    }
    void prefetch(BlockRef block, std::uint32_t word) const
    {
        if (block != 0)
            __builtin_prefetch(words(block) + index(block) + word, 1);
    }
    /// Counts what a block got, for the exact sums when its slab is dropped.
    void count(BlockRef block, std::uint64_t events, std::uint64_t maxTs);

    // Readers and writer.

    /// Is the block still there? Acquire; partner: allocate(). After copying from it: ask again.
    bool isCurrent(BlockRef block) const
    {
        return block != 0 && slotOf(block) < m_slotCount &&
               m_slots[slotOf(block)].number.load(std::memory_order_acquire) == number(block);
    }
    std::uint64_t load(BlockRef block, std::uint32_t word) const
    {
        return words(block)[index(block) + word].load(std::memory_order_acquire);
    }
    /// What a reader got may point anywhere: is it inside its slab?
    static bool isInside(BlockRef block, std::uint64_t words) { return index(block) + words <= kSlabWords; }

    std::uint64_t droppedBefore() const { return m_droppedBefore.load(std::memory_order_relaxed); }
    std::uint64_t droppedEvents() const { return m_droppedEvents.load(std::memory_order_relaxed); }
    std::uint64_t keptEvents() const { return m_keptEvents.load(std::memory_order_relaxed); }
    std::uint64_t bytesUsed() const { return m_bytesUsed.load(std::memory_order_relaxed); }

private:
    struct Slot {
        std::atomic<std::uint32_t> number{0};
        std::atomic<Word *> words{nullptr};  ///< made at the first use, kept until the end
        std::uint64_t events = 0;            ///< writer only
        std::uint64_t maxTs = 0;             ///< writer only
    };
    static std::uint32_t number(BlockRef block) { return static_cast<std::uint32_t>(block >> 32); }
    static std::uint32_t index(BlockRef block) { return static_cast<std::uint32_t>(block) & (kSlabWords - 1); }
    static std::uint32_t slotOf(BlockRef block) { return static_cast<std::uint32_t>(block) / kSlabWords; }
    Word *words(BlockRef block) const { return m_slots[slotOf(block)].words.load(std::memory_order_acquire); }
    void beginSlab();
    Slot &currentSlot() { return m_slots[m_number % m_slotCount]; }

    std::uint32_t m_slotCount;
    std::unique_ptr<Slot[]> m_slots;
    std::uint32_t m_number = 0;         ///< writer only: of the slab being filled
    std::uint32_t m_used = kSlabWords;  ///< writer only: words of it that are taken
    Word m_droppedBefore{0};
    Word m_droppedEvents{0};
    Word m_keptEvents{0};
    Word m_bytesUsed{0};
};

}  // namespace ct::history
