// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The layout of a History slab, which holds up to 64 Ki consecutive events of the stream, of all coroutines.
//
//   slab   | rows, from the front ->        <- cells, from the back | sums | order | fences | header |
//          |<----------- the writer's part (kArenaBytes) ---------->|<------ the readers' part ----->|
//
//   row    word 0: time relative to the slab's base, low 32 bits
//          word 1: coroutine, low bits (20) | number, low bits (12)
//          word 2: number, next bits (16) | its cell (16)
//   cell   the values that many rows have in common; each combination is stored once
//          word 0: address; 0 for none, and for the coroutine's usual address
//          word 1: narrow (0) | active | usual | kind (2) | site (20) | tid (22) | high bits of coroutine (6),
//                  number (5), time (6)
//             or:  wide (1) | active | usual | kind (2) | unused (17) | high bits of coroutine (6) and number (36);
//                  and the next cell is: site (32) | tid (32); high bits of time (32), signed
//
// A slab's stamp is its seqlock: the slab's number and, for a restored slab (historyrestored.h), a count of restores.
// Writer: stamp 0 (relaxed), contents (release each), stamp (release). Readers: stamp (acquire), contents (acquire
// each), stamp again (relaxed). A reader of newer contents sees that the stamp has changed. historyindex.h describes
// the readers' part.
#pragma once

#include "core/trace/history.h"

#include <atomic>
#include <cstddef>

namespace ct::history {

using Word = std::atomic<std::uint64_t>;

inline constexpr std::uint32_t kMaxRows = 1U << 16;
inline constexpr std::uint32_t kSlabBytes = 15 * kMaxRows;  ///< with cells and index: 15 bytes per event
inline constexpr std::uint32_t kRowBytes = 12;
inline constexpr std::uint32_t kCellBytes = 16;

inline constexpr std::uint32_t kBlockRows = 128;  ///< consecutive entries of the order that one BlockSums covers
inline constexpr std::uint32_t kSumBytes = 64;
inline constexpr std::uint32_t kFences = 2048;
inline constexpr std::uint32_t kHeaderBytes = 64;
inline constexpr std::uint32_t kArenaBytes = kSlabBytes - kMaxRows / kBlockRows * kSumBytes -
                                             kMaxRows * sizeof(std::uint16_t) - kFences * sizeof(std::uint16_t) -
                                             kHeaderBytes;
inline constexpr std::uint32_t kMaxCells = kArenaBytes / kCellBytes;
static_assert(kSlabBytes % 4096 == 0 && kArenaBytes % 64 == 0 && kMaxRows * kRowBytes < kArenaBytes &&
              kMaxCells < 1U << 16);

inline constexpr unsigned kRowCoroutineBits = 20;
inline constexpr unsigned kRowNumberBits = 28;

/// Atomic access to a slab's memory. On x86-64, these are plain moves.
template <class T>
T loadAcquire(const std::byte *at)
{
    return std::atomic_ref<T>(*reinterpret_cast<T *>(const_cast<std::byte *>(at))).load(std::memory_order_acquire);
}
template <class T>
void storeRelease(std::byte *at, T value)
{
    std::atomic_ref<T>(*reinterpret_cast<T *>(at)).store(value, std::memory_order_release);
}

inline std::uint32_t rowWord(const std::byte *slab, std::uint32_t row, unsigned word)
{
    return loadAcquire<std::uint32_t>(slab + row * kRowBytes + word * sizeof(std::uint32_t));
}
inline std::byte *cellAt(std::byte *slab, std::uint32_t cell)
{
    return slab + kArenaBytes - (cell + 1) * kCellBytes;
}

/// The values of a cell.
struct Cell {
    std::uint64_t addr = 0;
    std::uint64_t numberHigh = 0;
    std::uint64_t timeHigh = 0;
    std::uint32_t coroutineHigh = 0;
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;
    PointKind kind = PointKind::Await;
    bool active = false;
    bool usual = false;
};

inline constexpr std::uint64_t kWide = 1ULL << 63;
inline constexpr std::uint64_t kActive = 1ULL << 62;
inline constexpr std::uint64_t kUsual = 1ULL << 61;
inline constexpr unsigned kKindShift = 59;
inline constexpr unsigned kSiteShift = 39;
inline constexpr unsigned kSiteBits = 20;
inline constexpr unsigned kTidShift = 17;
inline constexpr unsigned kTidBits = 22;
inline constexpr unsigned kCoroutineShift = 11;
inline constexpr unsigned kCoroutineBits = 6;
inline constexpr unsigned kNumberShift = 6;
inline constexpr unsigned kNumberBits = 5;
inline constexpr unsigned kTimeBits = 6;
inline constexpr unsigned kWideCoroutineShift = 36;

constexpr std::uint64_t lowBits(std::uint64_t value, unsigned bits)
{
    return value & ((std::uint64_t{1} << bits) - 1);
}

/// Accepts any 16-bit index. A cell behind the last one reads as empty.
inline Cell readCell(const std::byte *slab, std::uint32_t cell)
{
    Cell to;
    if (cell + 1 >= kMaxCells)
        return to;
    const std::byte *at = slab + kArenaBytes - (cell + 1) * kCellBytes;
    to.addr = loadAcquire<std::uint64_t>(at);
    const auto bits = loadAcquire<std::uint64_t>(at + sizeof(std::uint64_t));
    to.active = bits & kActive;
    to.usual = bits & kUsual;
    to.kind = static_cast<PointKind>(bits >> kKindShift & 3U);
    if (bits & kWide) [[unlikely]] {
        to.coroutineHigh = static_cast<std::uint32_t>(lowBits(bits >> kWideCoroutineShift, kCoroutineBits));
        to.numberHigh = lowBits(bits, kWideCoroutineShift);
        const auto siteAndTid = loadAcquire<std::uint64_t>(at - kCellBytes);
        to.site = static_cast<SiteId>(siteAndTid >> 32);
        to.tid = static_cast<std::uint32_t>(siteAndTid);
        to.timeHigh = loadAcquire<std::uint64_t>(at - kCellBytes + sizeof(std::uint64_t));
        return to;
    }
    to.site = static_cast<SiteId>(lowBits(bits >> kSiteShift, kSiteBits));
    to.tid = static_cast<std::uint32_t>(lowBits(bits >> kTidShift, kTidBits));
    to.coroutineHigh = static_cast<std::uint32_t>(lowBits(bits >> kCoroutineShift, kCoroutineBits));
    to.numberHigh = lowBits(bits >> kNumberShift, kNumberBits);
    to.timeHigh = lowBits(bits, kTimeBits);
    return to;
}

/// A slab's memory and its index. It lives as long as the History and is reused.
struct Buffer {
    std::byte *memory = nullptr;
    Word indexed{0};  ///< slab number (32) | how many of its rows the index covers (32); 0 = none
};

/// A reader's view of a slab; valid as long as isCurrent().
struct SlabView {
    std::uint32_t number = 0;
    const Word *owner = nullptr;  ///< stamp of the slot, as it is now
    std::uint64_t stamp = 0;
    std::uint32_t rows = 0;
    bool sealed = false;  ///< gets no more rows
    std::uint64_t base = 0;
    std::uint64_t minTs = 0;
    std::uint64_t maxTs = 0;
    Buffer *buffer = nullptr;
    const std::byte *memory = nullptr;

    /// Call after copying from the slab. Returns true if the whole copy is from this use of the memory.
    bool isCurrent() const
    {
        // Relaxed: the contents were loaded with acquire, see above.
        return owner->load(std::memory_order_relaxed) == stamp;
    }
    CoroutineId coroutine(std::uint32_t row) const
    {
        const std::uint32_t low = rowWord(memory, row, 1) >> (32 - kRowCoroutineBits);
        return readCell(memory, rowWord(memory, row, 2) & 0xFFFF).coroutineHigh << kRowCoroutineBits | low;
    }
    std::uint64_t ts(std::uint32_t row) const
    {
        const Cell cell = readCell(memory, rowWord(memory, row, 2) & 0xFFFF);
        return base + (cell.timeHigh << 32 | rowWord(memory, row, 0));
    }
    HistoryEvent event(std::uint32_t row, std::uint64_t usualAddr) const
    {
        const std::uint32_t second = rowWord(memory, row, 1);
        const std::uint32_t third = rowWord(memory, row, 2);
        const Cell cell = readCell(memory, third & 0xFFFF);
        HistoryEvent event;
        event.ts = base + (cell.timeHigh << 32 | rowWord(memory, row, 0));
        event.n = cell.numberHigh << kRowNumberBits | (third >> 16) << 12 | (second & 0xFFF);
        event.addr = cell.usual ? usualAddr : cell.addr;
        event.tid = cell.tid;
        event.site = cell.site;
        event.kind = cell.kind;
        event.type = cell.active ? HistoryEvent::Type::Resume : HistoryEvent::Type::Suspend;
        return event;
    }
};

/// Refers to the memory of one slab.
struct alignas(64) Slot {
    static constexpr std::uint32_t kSealed = 1U << 31;

    Word stamp{0};                       ///< low half: the slab's number; 0 = none
    std::atomic<std::uint32_t> rows{0};  ///< count of published rows, and kSealed; release, partner: view()
    Word base{0};
    Word minTs{0};
    Word maxTs{0};
    std::atomic<Buffer *> buffer{nullptr};

    /// Readers. Returns false if the slab is not in this slot.
    bool view(std::uint32_t number, SlabView &view) const
    {
        view.owner = &stamp;
        view.stamp = stamp.load(std::memory_order_acquire);
        if (number == 0 || static_cast<std::uint32_t>(view.stamp) != number)
            return false;
        const std::uint32_t published = rows.load(std::memory_order_acquire);
        view.number = number;
        view.rows = published & ~kSealed;
        if (view.rows > kMaxRows)
            view.rows = kMaxRows;
        view.sealed = published & kSealed;
        view.base = base.load(std::memory_order_acquire);
        view.minTs = minTs.load(std::memory_order_acquire);
        view.maxTs = maxTs.load(std::memory_order_acquire);
        view.buffer = buffer.load(std::memory_order_acquire);
        view.memory = view.buffer->memory;
        return view.isCurrent();
    }
};

}  // namespace ct::history
