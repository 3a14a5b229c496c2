// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/coroutineevents.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ct::query {

namespace {

using Type = HistoryEvent::Type;

HistoryEvent entryOf(const Transition &event)
{
    HistoryEvent entry;
    entry.ts = event.ts;
    entry.n = event.n;
    entry.addr = event.addr;
    entry.tid = event.tid;
    entry.site = event.site;
    entry.kind = event.kind;
    entry.type = event.active ? Type::Resume : Type::Suspend;
    return entry;
}

HistoryEvent gapOf(std::uint64_t n, std::uint64_t count, std::uint64_t ts)
{
    HistoryEvent gap;
    gap.ts = ts;
    gap.n = n;
    gap.count = count;
    gap.type = Type::Gap;
    return gap;
}

}  // namespace

void CoroutineEvents::open(CoroutineId id, const ExportedCoroutine &atStart, CoroutineId end, const Times &times)
{
    m_id = id;
    m_end = end;
    m_times = times;
    m_atStart = atStart;
    m_position = {};
    m_nextN = atStart.first;
    m_events = 0;
    m_isMemoryRead = false;
    m_recordedPosition = 0;
    m_laterCount = 0;
    m_isInEvicted = false;
    if (atStart.isFlagged())
        beginEvicted(ExportedCoroutine::kNoEnd);
}

std::size_t CoroutineEvents::read(Entries &entries)
{
    for (;;) {
        if (m_blocks.isCancelled())
            return 0;
        if (m_isInEvicted) {
            if (const std::size_t count = readEvicted(entries))
                return count;
            continue;
        }
        std::size_t count = std::exchange(m_laterCount, 0);
        if (count != 0)
            std::copy_n(m_later.begin(), count, entries.begin());
        else if (!m_isMemoryRead)
            count = m_history.read(m_id, m_position, entries);
        if (count == 0) {
            if (std::exchange(m_isMemoryRead, true) || m_atStart.isFlagged() || m_nextN >= m_atStart.end)
                return 0;
            beginEvicted(m_atStart.end);
            continue;
        }
        if (const std::size_t kept = keepNext(entries, count))
            return kept;
    }
}

/// Keeps the entries up to the first evicted event, or else all. Returns their number.
std::size_t CoroutineEvents::keepNext(Entries &entries, std::size_t count)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        HistoryEvent &entry = entries[i];
        if (isPastTheEnd(entry)) {
            m_isMemoryRead = true;
            if (!m_atStart.isFlagged() && m_nextN < m_atStart.end)
                beginEvicted(m_atStart.end);
            else
                m_nextN = m_atStart.end;
            return kept;
        }
        if (entry.type == Type::Absent)
            continue;
        if (entry.n > m_nextN && !m_atStart.isFlagged()) {
            m_laterCount = count - i;
            std::copy_n(entries.begin() + static_cast<std::ptrdiff_t>(i), m_laterCount, m_later.begin());
            beginEvicted(entry.n);
            return kept;
        }
        if (entry.type == Type::Gap)
            entry.count = std::min(entry.count, m_atStart.end - entry.n);
        else
            ++m_events;
        m_nextN = entry.n + (entry.type == Type::Gap ? entry.count : 1);
        if (&entries[kept] != &entry)
            entries[kept] = entry;
        ++kept;
    }
    return kept;
}

/// True if the entry is newer than the query.
bool CoroutineEvents::isPastTheEnd(const HistoryEvent &entry) const
{
    return entry.n >= m_atStart.end || m_events >= m_atStart.captured;
}

void CoroutineEvents::beginEvicted(std::uint64_t end)
{
    m_isInEvicted = true;
    m_evictedEnd = end;
}

/// Reads the next evicted events from the recording. Returns their number; 0 after the last one.
std::size_t CoroutineEvents::readEvicted(Entries &entries)
{
    const bool isFlagged = m_atStart.isFlagged();
    std::size_t count = 0;
    while (count + 2 <= entries.size()) {
        const RecordedEvents::Piece piece = m_recorded.next(m_id, m_recordedPosition, m_end, m_times);
        if (piece.order.empty())
            return endEvicted(entries, count);
        for (const std::uint32_t index : piece.order) {
            if (count + 2 > entries.size())
                return count;
            const Transition &event = piece.events[index];
            if (!isFlagged && event.n >= m_evictedEnd)
                return endEvicted(entries, count);
            const std::uint64_t before = std::exchange(m_recordedPosition, event.seq + 1);
            if (!isFlagged && event.n < m_nextN)
                continue;
            if (!isFlagged && event.n > m_nextN && m_blocks.isReadable({before, event.seq}))
                entries[count++] = gapOf(m_nextN, event.n - m_nextN, event.ts);
            entries[count++] = entryOf(event);
            ++m_events;
            m_nextN = event.n + 1;
        }
    }
    return count;
}

/// If all of the recording can be read, numbers that are neither there nor in memory were never captured.
std::size_t CoroutineEvents::endEvicted(Entries &entries, std::size_t count)
{
    m_isInEvicted = false;
    if (m_atStart.isFlagged() || m_nextN >= m_evictedEnd)
        return count;
    const bool isKnown =
        m_events == m_atStart.captured || m_blocks.isReadable({m_recordedPosition, m_history.firstInRing()});
    if (isKnown)
        entries[count++] = gapOf(m_nextN, m_evictedEnd - m_nextN, m_laterCount != 0 ? m_later[0].ts : 0);
    m_nextN = m_evictedEnd;
    return count;
}

}  // namespace ct::query
