// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The cells of the slab that is being filled: finds the one that fits an event, or adds it.
#pragma once

#include "core/trace/historyslab.h"

#include <array>
#include <vector>

namespace ct::history {

/// Writer only.
class Dictionary {
public:
    static constexpr std::uint32_t kNoCell = ~std::uint32_t{0};

    /// Forgets everything: from now on for this slab.
    void begin(std::byte *slab);

    /// How many rows there is room for at present.
    std::uint32_t rowLimit() const { return m_rowLimit; }
    std::uint32_t cells() const { return m_cells; }

    /// `time`: relative to the slab's base. kNoCell: the slab, which has `rows` rows, has no room for the event.
    std::uint32_t cellOf(const Transition &event, bool usual, std::uint64_t time, std::uint32_t rows)
    {
        const std::uint64_t addr = usual ? 0 : event.addr;
        const std::uint64_t common = std::uint64_t{event.active} << 62 | std::uint64_t{usual} << 61 |
                                     (static_cast<std::uint64_t>(event.kind) & 3U) << kKindShift;
        const std::uint64_t tooWide = std::uint64_t{event.site >> kSiteBits} | event.tid >> kTidBits |
                                      event.n >> (kRowNumberBits + kNumberBits) | time >> (32 + kTimeBits);
        if (tooWide != 0) [[unlikely]]
            return wideCellOf(event, addr, common, time, rows);
        const std::uint64_t bits = common | std::uint64_t{event.site} << kSiteShift |
                                   std::uint64_t{event.tid} << kTidShift |
                                   std::uint64_t{event.coroutine >> kRowCoroutineBits} << kCoroutineShift |
                                   event.n >> kRowNumberBits << kNumberShift | time >> 32;
        const Recent &recent = m_recent[hash(addr, bits) >> (64 - kRecentBits)];
        if (recent.bits == bits && recent.addr == addr) [[likely]]
            return recent.cell;
        return narrowCellOf(addr, bits, rows);
    }

private:
    static constexpr unsigned kRecentBits = 9;
    static constexpr unsigned kTableBits = 17;
    static_assert(1U << kTableBits > 2 * kMaxCells);

    struct Recent {
        std::uint64_t addr = 0;
        std::uint64_t bits = kWide;  ///< fits nothing
        std::uint32_t cell = 0;
    };
    using Words = std::array<std::uint64_t, 4>;  ///< of one cell, or of the two of a wide one

    static std::uint64_t hash(std::uint64_t addr, std::uint64_t bits)
    {
        return (bits ^ addr * 0x9E37'79B9'7F4A'7C15ULL) * 0xD6E8'FEB8'6659'FD93ULL;
    }
    std::uint32_t narrowCellOf(std::uint64_t addr, std::uint64_t bits, std::uint32_t rows);
    std::uint32_t wideCellOf(const Transition &event, std::uint64_t addr, std::uint64_t common, std::uint64_t time,
                             std::uint32_t rows);
    std::uint32_t find(const Words &words, std::uint32_t count, std::uint32_t rows);
    bool equals(std::uint32_t cell, const Words &words, std::uint32_t count) const;

    std::byte *m_slab = nullptr;
    std::uint32_t m_cells = 0;
    std::uint32_t m_rowLimit = 0;
    std::uint32_t m_stamp = 0;  ///< of this slab's places in the table, 16 bits
    std::array<Recent, std::size_t{1} << kRecentBits> m_recent;
    std::vector<std::uint32_t> m_table;  ///< open addressing: stamp (16) | cell (16)
};

}  // namespace ct::history
