// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The cells of the slab that is being filled. Finds the cell that fits an event, or adds one.
#pragma once

#include "core/trace/historyslab.h"

#include <array>
#include <bit>
#include <vector>

namespace ct::history {

/// Writer only.
class Dictionary {
public:
    static constexpr std::uint32_t kNoCell = ~std::uint32_t{0};

    /// Clears all cells; from now on, cells belong to `slab`.
    void startSlab(std::byte *slab);

    /// Number of rows that the slab has room for at present.
    std::uint32_t rowLimit() const { return m_rowLimit; }
    std::uint32_t cells() const { return m_cells; }

    /// The values that an event has in common with others. Laid out for speed: the compiler loads neighbouring members
    /// at once.
    struct Key {
        std::uint64_t addr = 0;  ///< 0 = none, or the usual one
        std::uint64_t tidAndSite = 0;
        std::uint64_t rest = 0;  ///< kind (8) | active | usual | high bits of coroutine (6), time (16), number (32)
        bool fits = false;       ///< the values fit into these bits
    };
    /// `time`: relative to the slab's base, ns.
    static Key keyOf(const Transition &event, bool usual, std::uint64_t time)
    {
        Key key = plainKeyOf(event, usual);
        key.rest |= std::uint64_t{event.coroutine >> kRowCoroutineBits} << 10 | time >> 32 << 16 |
                    event.n >> kRowNumberBits << 32;
        key.fits = (time >> 48 | event.n >> (kRowNumberBits + 32)) == 0;
        return key;
    }
    /// Key of an event whose high bits are all 0.
    static Key plainKeyOf(const Transition &event, bool usual)
    {
        return {event.addr & (std::uint64_t{usual} - 1), event.tid | std::uint64_t{event.site} << 32,
                static_cast<std::uint64_t>(event.kind) | std::uint64_t{event.active} << 8 | std::uint64_t{usual} << 9,
                true};
    }
    static bool isPlain(const Transition &event, std::uint64_t time)
    {
        return (event.coroutine >> kRowCoroutineBits | time >> 32 | event.n >> kRowNumberBits) == 0;
    }
    /// The cell, if it was used recently; else kNoCell.
    std::uint32_t recentCellOf(const Key &key) const
    {
        const Recent &recent = m_recent[indexOf(key)];
        const std::uint64_t differs =
            (recent.rest ^ key.rest) | (recent.addr ^ key.addr) | (recent.tidAndSite ^ key.tidAndSite);
        return differs == 0 && key.fits ? recent.cell : kNoCell;
    }
    /// Finds or adds the cell. kNoCell: the slab, which has `rows` rows, has no room for the event. Makes the key
    /// again, so the caller's key can stay in registers.
    std::uint32_t cellOf(const Transition &event, bool usual, std::uint64_t time, std::uint32_t rows);

private:
    static constexpr unsigned kRecentBits = 9;
    static constexpr unsigned kTableBits = 17;
    static_assert(1U << kTableBits > 2 * kMaxCells);

    struct alignas(32) Recent {
        std::uint64_t addr = 0;
        std::uint64_t tidAndSite = 0;
        std::uint64_t rest = 0xFF;  ///< matches no event: there is no such kind
        std::uint32_t cell = 0;
    };
    using Words = std::array<std::uint64_t, 4>;  ///< content of one cell, or of the two cells of a wide one

    static std::size_t indexOf(const Key &key)
    {
        const std::uint64_t mixed = key.addr ^ key.tidAndSite ^ std::rotl(key.rest, 43);
        return mixed * 0x9E37'79B9'7F4A'7C15ULL >> (64 - kRecentBits);
    }
    std::uint32_t findWords(const Words &words, std::uint32_t count, std::uint32_t rows);
    bool equals(std::uint32_t cell, const Words &words, std::uint32_t count) const;

    std::byte *m_slab = nullptr;
    std::uint32_t m_cells = 0;
    std::uint32_t m_rowLimit = 0;
    std::uint32_t m_stamp = 0;  ///< marks the entries of m_table that belong to this slab, 16 bits
    std::array<Recent, std::size_t{1} << kRecentBits> m_recent;
    std::vector<std::uint32_t> m_table;  ///< open addressing: stamp (16) | cell (16)
};

inline std::uint32_t recentCellOf(const Dictionary &dictionary, const Transition &event, bool usual, std::uint64_t time)
{
    if (Dictionary::isPlain(event, time)) [[likely]]
        return dictionary.recentCellOf(Dictionary::plainKeyOf(event, usual));
    return dictionary.recentCellOf(Dictionary::keyOf(event, usual, time));
}

inline void storeRow(std::byte *row, const Transition &event, std::uint64_t time, std::uint32_t cell)
{
    const auto n = static_cast<std::uint32_t>(event.n);
    storeRelease(row, static_cast<std::uint32_t>(time));
    storeRelease(row + 4, event.coroutine << (32 - kRowCoroutineBits) | (n & 0xFFF));
    storeRelease(row + 8, n >> 12 << 16 | cell);
}

}  // namespace ct::history
