// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/gapcursor.h"

#include <algorithm>
#include <span>

namespace ct::query {

void GapCursor::start(const Filter &filter)
{
    m_gaps.clear();
    m_at = 0;
    setRange(filter, m_snapshot.coroutineCount(), m_next, m_end);
}

bool GapCursor::next()
{
    while (m_at == m_gaps.size()) {
        if (m_next == m_end || m_snapshot.isCancelled())
            return false;
        m_gaps.clear();
        m_at = 0;
        readGaps();
        ++m_next;
    }
    ++m_at;
    return true;
}

/// Reads the gaps of coroutine m_next. Most coroutines have none, as their counts show.
void GapCursor::readGaps()
{
    if (!m_snapshot.hasRecord(m_next))
        return;
    const ExportedCoroutine &atStart = m_snapshot.coroutine(m_next);
    if (!atStart.isFlagged() && atStart.captured == atStart.end - atStart.first)
        return;
    m_lost = atStart.lost;
    CoroutineEvents reader = m_snapshot.makeReader();
    reader.open(m_next, atStart, m_end);
    CoroutineEvents::Entries entries;
    while (const std::size_t count = reader.read(entries)) {
        for (const HistoryEvent &event : std::span(entries).first(count)) {
            if (event.type == HistoryEvent::Type::Gap)
                addGap(event.n, event.count);
        }
    }
}

/// Assigns reasons in this order. As in an export, only what the sums count is lost.
void GapCursor::addGap(std::uint64_t firstN, std::uint64_t count)
{
    MissingEvents why = m_snapshot.population().whyMissing(m_next, firstN, count);
    why.unexplained += why.lost - std::min(why.lost, m_lost);
    why.lost = std::min(why.lost, m_lost);
    m_lost -= why.lost;
    for (const Gap &part :
         {Gap{0, why.missed, "missed"}, Gap{0, why.unexplained, "dropped"}, Gap{0, why.lost, "lost"}}) {
        if (part.count != 0)
            m_gaps.push_back({firstN, part.count, part.kind});
        firstN += part.count;
    }
}

void GapCursor::put(int column, SqlValue &value)
{
    const Gap &gap = m_gaps[m_at - 1];
    switch (column) {
    case 0: return value.integer(m_next - 1);
    case 1: return value.integer(gap.firstN);
    case 2: return value.integer(gap.count);
    default: return value.word(gap.kind);
    }
}

}  // namespace ct::query
