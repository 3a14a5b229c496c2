// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/format/transitioncolumns.h"

#include <algorithm>

namespace ct::ctr {

namespace {

std::uint32_t hashOf(const Cell &cell)
{
    std::uint64_t hash = cell.addr * 0x9E37'79B9'7F4A'7C15ULL;
    hash ^= (std::uint64_t{cell.tid} << 32 | cell.site) * 0xC2B2'AE3D'27D4'EB4FULL;
    hash += cell.bits * 0x1656'67B1'9E37'79F9ULL;
    return static_cast<std::uint32_t>((hash ^ hash >> 29) * 0x9E37'79B9'7F4A'7C15ULL >> 40);
}

constexpr std::size_t kFewestCellSlots = 256;

// Most seqs follow from the event's number and a bit of its cell. Only the others have columns of their own.

std::uint32_t seqBits(const Transition &event)
{
    return event.seq == event.n ? Cell::kSeqIsNumber : 0;
}
std::uint64_t seqOf(std::uint32_t bits, std::uint64_t n)
{
    return slotSeq(bits & Cell::kSeqIsNumber ? Dialect::Monotonic : Dialect::Seqlock, n);
}
bool isSeqStored(std::uint32_t bits, const Transition &event)
{
    return event.seq == seqOf(bits, event.n);
}

}  // namespace

void TransitionEncoder::beginBlock()
{
    m_coroutines.beginBlock(kMostTransitions);
    m_cells.clear();
    m_cellSlots.assign(kFewestCellSlots, 0);
    for (ColumnWriter *column : {&m_time, &m_coroutine, &m_cell, &m_firstN, &m_jumpRow, &m_jumpN, &m_seqRow, &m_seq})
        column->clear();
    m_rows = 0;
    m_latestTs = 0;
    m_latest = 0;
    m_firstTs = ~std::uint64_t{0};
    m_lastTs = 0;
}

/// The code of `cell` for the column of cells. Adds `cell` to the dictionary when it is new.
std::uint32_t TransitionEncoder::codeOf(const Cell &cell)
{
    std::size_t mask = m_cellSlots.size() - 1;
    std::size_t slot = hashOf(cell) & mask;
    for (; m_cellSlots[slot] != 0; slot = (slot + 1) & mask) {
        if (m_cells[m_cellSlots[slot] - 1] == cell)
            return m_cellSlots[slot] - 1 + kFirstEntry;
    }
    m_cells.push_back(cell);
    m_cellSlots[slot] = static_cast<std::uint32_t>(m_cells.size());
    if (m_cells.size() * 2 > m_cellSlots.size()) {
        m_cellSlots.assign(m_cellSlots.size() * 4, 0);
        mask = m_cellSlots.size() - 1;
        for (std::uint32_t entry = 1; entry <= m_cells.size(); ++entry) {
            slot = hashOf(m_cells[entry - 1]) & mask;
            while (m_cellSlots[slot] != 0)
                slot = (slot + 1) & mask;
            m_cellSlots[slot] = entry;
        }
    }
    return kNewEntry;
}

void TransitionEncoder::putSeq(const Transition &event, std::size_t row)
{
    m_seqRow.delta(row);
    m_seq.plain(event.seq);
}

void TransitionEncoder::addTransitions(std::span<const Transition> events)
{
    std::uint8_t *time = m_time.space(events.size() * kLongestVarint);
    std::uint8_t *coroutine = m_coroutine.space(events.size() * kLongestVarint);
    std::uint8_t *cellAt = m_cell.space(events.size() * kLongestVarint);
    std::size_t row = m_rows;
    std::uint64_t latestTs = m_latestTs;
    std::uint64_t latest = m_latest;
    std::uint64_t firstTs = m_firstTs;
    std::uint64_t lastTs = m_lastTs;
    for (const Transition &event : events) {
        time = putVarint(time, zigzag(event.ts - latestTs));
        latestTs = event.ts;
        firstTs = std::min(firstTs, event.ts);
        lastTs = std::max(lastTs, event.ts);
        coroutine = putVarint(coroutine, zigzag(event.coroutine - latest));
        latest = event.coroutine;

        bool isNew = false;
        BlockCoroutines::One &one = m_coroutines.of(event.coroutine, isNew);
        if (isNew) [[unlikely]] {
            m_firstN.delta(event.n);
        } else if (event.n != one.nextN) [[unlikely]] {
            m_jumpRow.delta(row);
            m_jumpN.plain(event.n);
        }
        one.nextN = event.n + 1;
        if (one.addr == 0) [[unlikely]]
            one.addr = event.addr;

        Cell cell;
        const bool own = event.addr == one.addr && event.addr != 0;
        cell.addr = own ? 0 : event.addr;
        cell.tid = event.tid;
        cell.site = event.site;
        cell.bits = (static_cast<std::uint32_t>(event.kind) & Cell::kKindMask) | (event.active ? Cell::kRunning : 0) |
                    seqBits(event) | (own ? Cell::kOwnAddr : 0);
        if (!isSeqStored(cell.bits, event)) [[unlikely]]
            putSeq(event, row);
        std::uint32_t entry = one.beforeLast;
        if (entry != BlockCoroutines::kNoCell && m_cells[entry] == cell) {
            *cellAt++ = kBeforeLast;
        } else {
            const std::uint32_t code = codeOf(cell);
            entry = code == kNewEntry ? static_cast<std::uint32_t>(m_cells.size() - 1) : code - kFirstEntry;
            cellAt = putVarint(cellAt, code);
        }
        one.beforeLast = one.last;
        one.last = entry;
        ++row;
    }
    m_time.used(time);
    m_coroutine.used(coroutine);
    m_cell.used(cellAt);
    m_rows = row;
    m_latestTs = latestTs;
    m_latest = static_cast<CoroutineId>(latest);
    m_firstTs = firstTs;
    m_lastTs = lastTs;
}

void TransitionEncoder::write(ColumnWriter &payload) const
{
    if (m_rows == 0)
        return;
    ColumnWriter section;
    ColumnWriter column;
    for (const ColumnWriter *done : {&m_time, &m_coroutine, &m_cell, &m_firstN})
        section.column(*done);
    for (std::uint32_t i = 0; i < m_coroutines.count(); ++i)
        column.delta(m_coroutines[i].addr);
    section.column(column);
    section.column(m_jumpRow);
    section.column(m_jumpN);
    const auto put = [&](auto &&add) {
        column.clear();
        for (const Cell &cell : m_cells)
            add(cell);
        section.column(column);
    };
    put([&](const Cell &cell) { column.delta(cell.addr); });
    put([&](const Cell &cell) { column.plain(cell.tid); });
    put([&](const Cell &cell) { column.plain(cell.site); });
    put([&](const Cell &cell) { column.plain(cell.bits); });
    section.column(m_seqRow);
    section.column(m_seq);
    const auto tag = static_cast<std::uint8_t>(Tag::Transitions);
    payload.bytes(&tag, 1);
    payload.plain(m_rows);
    payload.column(section);
}

bool TransitionDecoder::readCells(ColumnReader &section)
{
    ColumnReader addr = section.column();
    ColumnReader tid = section.column();
    ColumnReader site = section.column();
    ColumnReader bits = section.column();
    m_cells.clear();
    while (!bits.atEnd()) {
        Cell cell;
        cell.addr = addr.delta();
        const std::uint64_t thread = tid.plain();
        const std::uint64_t point = site.plain();
        const std::uint64_t flags = bits.plain();
        cell.tid = static_cast<std::uint32_t>(thread);
        cell.site = static_cast<SiteId>(point);
        cell.bits = static_cast<std::uint32_t>(flags);
        if (cell.tid != thread || cell.site != point || flags >= Cell::kBitsEnd)
            return false;
        m_cells.push_back(cell);
    }
    return addr.atEnd() && tid.atEnd() && site.atEnd() && !addr.failed() && !tid.failed() && !site.failed() &&
           !bits.failed();
}

bool TransitionDecoder::readRows(Transitions &events)
{
    bool good = true;
    std::uint32_t newEntries = 0;
    const auto entries = static_cast<std::uint32_t>(m_cells.size());
    const std::uint64_t rows = events.size();
    std::uint64_t jump = m_jumpRow.atEnd() ? rows : m_jumpRow.delta();
    for (std::uint64_t row = 0; row < rows; ++row) {
        Transition &event = events[row];
        event.ts = m_time.delta();
        const std::uint64_t id = m_coroutine.delta();
        good &= id < kNoCoroutine;
        event.coroutine = static_cast<CoroutineId>(id);

        bool isNew = false;
        BlockCoroutines::One &one = m_coroutines.of(event.coroutine, isNew);
        if (isNew) [[unlikely]] {
            one.nextN = m_firstN.delta();
            one.addr = m_ownAddr.delta();
        } else if (row == jump) [[unlikely]] {
            one.nextN = m_jumpN.plain();
            jump = m_jumpRow.atEnd() ? rows : m_jumpRow.delta();
            good &= jump > row;
        }
        event.n = one.nextN++;
        good &= event.n < kNumberEnd;

        const std::uint64_t code = m_cell.plain();
        std::uint32_t entry = one.beforeLast;
        if (code == kNewEntry)
            entry = newEntries++;
        else if (code >= kFirstEntry)
            entry = code - kFirstEntry < newEntries ? static_cast<std::uint32_t>(code - kFirstEntry) : entries;
        if (entry >= entries) [[unlikely]]
            return false;
        one.beforeLast = one.last;
        one.last = entry;
        const Cell &cell = m_cells[entry];
        event.addr = cell.addr | (cell.bits & Cell::kOwnAddr ? one.addr : 0);
        event.seq = seqOf(cell.bits, event.n);
        event.tid = cell.tid;
        event.site = cell.site;
        event.kind = static_cast<PointKind>(cell.bits & Cell::kKindMask);
        event.active = (cell.bits & Cell::kRunning) != 0;
    }
    for (const ColumnReader *column : {&m_time, &m_coroutine, &m_cell, &m_firstN, &m_ownAddr, &m_jumpRow, &m_jumpN})
        good &= column->atEnd() && !column->failed();
    return good && newEntries == entries && jump == rows;
}

bool TransitionDecoder::patchSeqs(ColumnReader rows, ColumnReader seqs, Transitions &events)
{
    while (!rows.atEnd() && !rows.failed()) {
        const std::uint64_t row = rows.delta();
        if (row >= events.size())
            return false;
        events[row].seq = seqs.plain();
    }
    return !rows.failed() && !seqs.failed() && seqs.atEnd();
}

bool TransitionDecoder::read(ColumnReader section, std::uint64_t count, Transitions &events)
{
    events.clear();
    for (ColumnReader *column : {&m_time, &m_coroutine, &m_cell, &m_firstN, &m_ownAddr, &m_jumpRow, &m_jumpN})
        *column = section.column();
    // Each row has at least one byte in each of these columns, which limits the allocation.
    if (section.failed() || count > m_time.left() || count > m_coroutine.left() || count > m_cell.left())
        return false;
    if (!readCells(section))
        return false;
    const ColumnReader seqRows = section.column();
    const ColumnReader seqs = section.column();
    m_coroutines.beginBlock(static_cast<std::size_t>(count));
    events.resize(static_cast<std::size_t>(count));
    return !section.failed() && readRows(events) && patchSeqs(seqRows, seqs, events);
}

}  // namespace ct::ctr
