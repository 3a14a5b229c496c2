// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The transitions of a block as columns, and back: docs/recording.md, "Transitions". The path that everything recorded
// goes through.
#pragma once

#include "core/recording/blockcoroutines.h"
#include "core/recording/columns.h"

#include <span>
#include <vector>

namespace ct::ctr {

/// What a transition is, but for its coroutine, time and number.
struct Cell {
    static constexpr std::uint32_t kKindMask = 3;
    static constexpr std::uint32_t kRunning = 4;
    static constexpr std::uint32_t kSeqIsNumber = 8;
    static constexpr std::uint32_t kOwnAddr = 16;  ///< the coroutine's own; addr is 0
    static constexpr std::uint32_t kBitsEnd = 32;

    std::uint64_t addr = 0;
    std::uint32_t tid = 0;
    SiteId site = kUnknownSite;
    std::uint32_t bits = 0;

    bool operator==(const Cell &) const = default;
};

/// Values of the column of cells; from kFirstEntry on they are numbers of entries.
enum CellCode : std::uint32_t { kBeforeLast = 0, kNewEntry = 1, kFirstEntry = 2 };

class TransitionEncoder {
public:
    static constexpr std::size_t kMostTransitions = 65'536;  ///< of a block

    TransitionEncoder() { begin(); }
    void begin();  ///< the next block
    /// At most kMostTransitions in all since begin().
    void add(std::span<const Transition> events);
    std::size_t size() const { return m_rows; }
    std::uint64_t firstTs() const { return m_firstTs; }  ///< the smallest; ~0 without any
    std::uint64_t lastTs() const { return m_lastTs; }
    void write(ColumnWriter &payload) const;  ///< the section

private:
    std::uint32_t codeOf(const Cell &cell);
    void putSeq(const Transition &event, std::size_t row);

    BlockCoroutines m_coroutines;
    std::vector<Cell> m_cells;
    std::vector<std::uint32_t> m_cellSlots;  ///< number of an entry + 1, by hash; 0 = free
    ColumnWriter m_time, m_coroutine, m_cell, m_firstN, m_jumpRow, m_jumpN, m_seqRow, m_seq;
    std::size_t m_rows = 0;
    std::uint64_t m_latestTs = 0;
    CoroutineId m_latest = 0;
    std::uint64_t m_firstTs = 0;
    std::uint64_t m_lastTs = 0;
};

class TransitionDecoder {
public:
    /// Replaces `events` by the `count` of the section (at most kMostRows). False: it contradicts itself.
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
