// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/historydictionary.h"

#include <algorithm>

namespace ct::history {

void Dictionary::startSlab(std::byte *slab)
{
    m_slab = slab;
    m_cells = 0;
    m_rowLimit = kMaxRows;
    m_recent.fill({});
    if (m_table.empty() || ++m_stamp > 0xFFFF) {
        m_table.assign(std::size_t{1} << kTableBits, 0);
        m_stamp = 1;
    }
}

std::uint32_t Dictionary::cellOf(const Transition &event, bool usual, std::uint64_t time, std::uint32_t rows)
{
    const Key key = keyOf(event, usual, time);
    const std::uint64_t coroutineHigh = event.coroutine >> kRowCoroutineBits;
    const std::uint64_t numberHigh = event.n >> kRowNumberBits;
    const std::uint64_t timeHigh = time >> 32;
    const std::uint64_t common = std::uint64_t{event.active} << 62 | std::uint64_t{usual} << 61 |
                                 (static_cast<std::uint64_t>(event.kind) & 3U) << kKindShift;
    const bool narrow = event.site >> kSiteBits == 0 && event.tid >> kTidBits == 0 && numberHigh >> kNumberBits == 0 &&
                        timeHigh >> kTimeBits == 0;
    const std::uint64_t narrowBits = common | std::uint64_t{event.site} << kSiteShift |
                                     std::uint64_t{event.tid} << kTidShift | coroutineHigh << kCoroutineShift |
                                     numberHigh << kNumberShift | timeHigh;
    const std::uint64_t wideBits = kWide | common | coroutineHigh << kWideCoroutineShift | numberHigh;
    const std::uint32_t cell =
        narrow ? findWords({key.addr, narrowBits, 0, 0}, 1, rows)
               : findWords({key.addr, wideBits, std::uint64_t{event.site} << 32 | event.tid, timeHigh}, 2, rows);
    if (cell != kNoCell && key.fits)
        m_recent[indexOf(key)] = {key.addr, key.tidAndSite, key.rest, cell};
    return cell;
}

bool Dictionary::equals(std::uint32_t cell, const Words &words, std::uint32_t count) const
{
    for (std::uint32_t i = 0; i < 2 * count; ++i) {
        const std::byte *at = cellAt(m_slab, cell + i / 2) + i % 2 * sizeof(std::uint64_t);
        if (loadAcquire<std::uint64_t>(at) != words[i])
            return false;
    }
    return true;
}

std::uint32_t Dictionary::findWords(const Words &words, std::uint32_t count, std::uint32_t rows)
{
    const std::size_t mask = m_table.size() - 1;
    std::uint64_t mixed = 0;
    for (const std::uint64_t word : words)
        mixed = (std::rotl(mixed, 23) ^ word) * 0x9E37'79B9'7F4A'7C15ULL;
    std::size_t index = mixed >> (64 - kTableBits);
    for (; m_table[index] >> 16 == m_stamp; index = (index + 1) & mask) {
        const std::uint32_t cell = m_table[index] & 0xFFFF;
        if (equals(cell, words, count))
            return cell;
    }
    const std::uint32_t cells = m_cells + count;
    if (cells > kMaxCells || kArenaBytes - cells * kCellBytes < (rows + 1) * kRowBytes)
        return kNoCell;
    const std::uint32_t cell = m_cells;
    // Stored before the first row that names the cell.
    for (std::uint32_t i = 0; i < 2 * count; ++i)
        storeRelease(cellAt(m_slab, cell + i / 2) + i % 2 * sizeof(std::uint64_t), words[i]);
    m_table[index] = m_stamp << 16 | cell;
    m_cells = cells;
    m_rowLimit = std::min(kMaxRows, (kArenaBytes - cells * kCellBytes) / kRowBytes);
    return cell;
}

}  // namespace ct::history
