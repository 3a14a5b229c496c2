// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Encodes the transitions of a block as columns, and decodes them again: docs/recording.md, "Transitions". Every
// recorded event passes through this code, so its speed matters.
#pragma once

#include "core/recording/format/blockcoroutines.h"
#include "core/recording/format/columns.h"

#include <span>
#include <vector>

namespace ct::ctr {

/// The values of a transition apart from its coroutine, time and number.
struct Cell {
    static constexpr std::uint32_t kKindMask = 3;
    static constexpr std::uint32_t kRunning = 4;
    static constexpr std::uint32_t kSeqIsNumber = 8;
    static constexpr std::uint32_t kOwnAddr = 16;  ///< the address is the coroutine's own, and `addr` is 0
    static constexpr std::uint32_t kBitsEnd = 32;

    std::uint64_t addr = 0;
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;
    std::uint32_t bits = 0;

    bool operator==(const Cell &) const = default;
};

/// Codes in the column of cells. Codes from kFirstEntry on are the number of an entry of the dictionary + kFirstEntry.
enum CellCode : std::uint32_t { kBeforeLast = 0, kNewEntry = 1, kFirstEntry = 2 };

class TransitionEncoder {
public:
    static constexpr std::size_t kMostTransitions = 65'536;  ///< per block

    TransitionEncoder() { beginBlock(); }
    void beginBlock();  ///< starts the next block
    /// Adds events: at most kMostTransitions in total since beginBlock().
    void addTransitions(std::span<const Transition> events);
    std::size_t size() const { return m_rows; }
    std::uint64_t firstTs() const { return m_firstTs; }  ///< ns: the earliest time; 2^64 - 1 without events
    std::uint64_t lastTs() const { return m_lastTs; }    ///< ns: the latest time; 0 without events
    void write(ColumnWriter &payload) const;             ///< appends the section

private:
    std::uint32_t codeOf(const Cell &cell);
    void putSeq(const Transition &event, std::size_t row);

    BlockCoroutines m_coroutines;
    std::vector<Cell> m_cells;
    std::vector<std::uint32_t> m_cellSlots;  ///< hash table: number of an entry of m_cells + 1; 0 = free
    ColumnWriter m_time, m_coroutine, m_cell, m_firstN, m_jumpRow, m_jumpN, m_seqRow, m_seq;
    std::size_t m_rows = 0;
    std::uint64_t m_latestTs = 0;
    CoroutineId m_latest = 0;
    std::uint64_t m_firstTs = 0;
    std::uint64_t m_lastTs = 0;
};

class TransitionDecoder {
public:
    /// Replaces `events` by the `count` events of the section (at most kMostRows). Returns false when the section
    /// contradicts itself.
    bool read(ColumnReader section, std::uint64_t count, Transitions &events);

private:
    bool readCells(ColumnReader &section);
    bool readRows(Transitions &events);
    static bool patchSeqs(ColumnReader rows, ColumnReader seqs, Transitions &events);

    BlockCoroutines m_coroutines;
    std::vector<Cell> m_cells;
    ColumnReader m_time, m_coroutine, m_cell, m_firstN, m_ownAddr, m_jumpRow, m_jumpN;
};

}  // namespace ct::ctr
