// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads one coroutine from slab to slab. Gaps are not stored. They follow from jumps in the numbers of neighbouring
// events, from the first number of the coroutine, and, behind its last event, from the table of losses.
#include "core/trace/historydata.h"

#include "core/base/relaxed.h"

#include <algorithm>
#include <utility>

namespace ct::history {

namespace {

constexpr auto kAcquire = std::memory_order_acquire;

}  // namespace

Cursor::Cursor(const History::Data &data, CoroutineId id, std::size_t piece)
    : m_data(data), m_id(id), m_piece(std::clamp<std::size_t>(piece, 1, kPiece))
{
    if (id >= data.coroutines.heads.size())
        return;
    const Head &head = data.coroutines.heads[id];
    // Load the loss first: then all events before it are visible below.
    if (const std::uint32_t lossIndex = head.loss.load(kAcquire); lossIndex != 0) {
        m_lossEnd = data.losses[lossIndex - 1].endN.load(kAcquire);
        m_lossTs = data.losses[lossIndex - 1].ts.load(kRelaxed);
    }
    m_last = head.last.load(kAcquire);
    m_first = data.coroutines.lives[id].first.load(kRelaxed);
}

void Cursor::start(RowPosition rowPosition, std::uint64_t nextN)
{
    m_slab = rowPosition.slab;
    m_row = rowPosition.row;
    m_known = true;
    m_nextN = nextN;
}

void Cursor::start(RowPosition rowPosition)
{
    m_slab = rowPosition.slab;
    m_row = rowPosition.row;
    m_known = false;
    if (m_last != 0 && m_slab == m_first && m_row == 0) {
        m_known = true;
        m_nextN = m_data.coroutines.lives[m_id].firstN.load(kRelaxed);
    }
}

bool Cursor::enter(SlabView &slab)
{
    if (m_at != m_count)
        return false;
    while (m_slab != 0 && m_slab <= m_last) {
        if (!m_data.log.view(m_slab, slab)) {
            leap();
            continue;
        }
        m_until = slab.maxTs;
        if (m_row < slab.rows)
            return true;
        if (m_slab == m_last)
            return false;
        ++m_slab;
        m_row = 0;
    }
    return false;
}

/// Skips a slab that is not in memory, or was evicted during the read, up to the next slab in memory.
void Cursor::leap()
{
    m_slab = std::max(m_slab + 1, m_data.log.nextKept(m_slab + 1));
    m_row = 0;
    if (!m_leapt)
        m_leaptAt = m_until;
    m_leapt = true;
    if (m_until == 0)
        m_known = false;  // no slab was entered yet: an Absent entry would have no time
}

bool Cursor::refill()
{
    SlabView slab;
    m_at = 0;
    m_count = 0;
    while (enter(slab)) {
        Copied copied;
        if (!copyEvents(m_data, slab, m_id, m_row, std::span(m_events).first(m_piece), m_rows, copied))
            continue;  // evicted; enter() skips it
        m_row = copied.nextRow;
        m_count = copied.count;
        if (m_count != 0)
            return true;
    }
    return false;
}

bool Cursor::gapBefore(std::uint64_t n, std::uint64_t ts, HistoryEvent &gap)
{
    const bool leapt = std::exchange(m_leapt, false);
    if (!m_known || n <= m_nextN)
        return false;
    gap = HistoryEvent();
    gap.type = leapt ? HistoryEvent::Type::Absent : HistoryEvent::Type::Gap;
    gap.ts = leapt ? m_leaptAt : ts;
    gap.n = m_nextN;
    gap.count = n - m_nextN;
    m_nextN = n;
    return true;
}

bool Cursor::absentEnd(HistoryEvent &absent)
{
    if (!m_known || !std::exchange(m_leapt, false))
        return false;
    absent = HistoryEvent();
    absent.type = HistoryEvent::Type::Absent;
    absent.ts = m_leaptAt;
    absent.n = m_nextN;
    m_known = false;
    return true;
}

bool Cursor::next(HistoryEvent &event)
{
    if (m_at == m_count && !refill())
        return absentEnd(event) || gapBefore(m_lossEnd, m_lossTs, event);
    const HistoryEvent &found = m_events[m_at];
    if (gapBefore(found.n, found.ts, event))
        return true;
    event = found;
    m_known = true;
    m_nextN = found.n + 1;
    ++m_at;
    return true;
}

RowPosition Cursor::rowPosition() const
{
    return {m_slab, m_at < m_count ? m_rows[m_at] : m_row};
}

void Cursor::skipTo(std::uint32_t row, std::uint64_t nextN)
{
    m_row = row;
    m_known = true;
    m_nextN = nextN;
}

}  // namespace ct::history
