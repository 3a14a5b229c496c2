// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/eventcursor.h"

#include "core/stream/pointkind.h"

namespace ct::query {

namespace {

constexpr std::uint64_t kFirstNegative = std::uint64_t{1} << 63;

bool isEvent(const HistoryEvent &event)
{
    return event.type == HistoryEvent::Type::Suspend || event.type == HistoryEvent::Type::Resume;
}

}  // namespace

void EventCursor::start(const Filter &filter)
{
    m_filter = filter;
    m_isOpen = false;
    m_at = m_count = 0;
    setRange(filter, m_snapshot.coroutineCount(), m_next, m_end);
}

bool EventCursor::next()
{
    for (;;) {
        while (m_at < m_count) {
            const HistoryEvent &event = m_events[m_at++];
            if (!isEvent(event))
                continue;
            if (isPastTheEnd(event)) {
                m_isOpen = false;
                break;
            }
            ++m_rows;
            if (passes(event))
                return true;
        }
        if (m_isOpen && refill())
            continue;
        if (m_snapshot.isCancelled() || !openNextCoroutine())
            return false;
    }
}

bool EventCursor::openNextCoroutine()
{
    m_at = m_count = 0;
    for (; m_next < m_end; ++m_next) {
        if (!m_snapshot.hasRecord(m_next) || m_snapshot.coroutine(m_next).captured == 0)
            continue;
        m_coroutine = m_snapshot.population().at(m_next);
        if (isBefore(m_coroutine))
            continue;
        m_atStart = m_snapshot.coroutine(m_next);
        m_isLossless = !m_atStart.isFlagged() && m_atStart.captured == m_atStart.end - m_atStart.first;
        m_reader.open(m_next, m_atStart, m_end, neededTimes());
        m_rows = 0;
        m_isOpen = true;
        ++m_next;
        return true;
    }
    return false;
}

/// True if all events of the coroutine are before the times of the filter. Like all views, assumes that the events of a
/// coroutine are in time order.
bool EventCursor::isBefore(const CoroutineSnapshot &coroutine) const
{
    const bool isKnown = coroutine.state == CoroutineState::Running || isSuspended(coroutine.state);
    return coroutine.kept && isKnown && coroutine.since < m_filter.from;
}

/// The id of an event after a gap depends on the number of events before it, so all of these are needed.
Times EventCursor::neededTimes() const
{
    return m_isLossless && m_snapshot.history().lastTs() < kFirstNegative ? Times{m_filter.from, m_filter.to} : Times();
}

bool EventCursor::refill()
{
    m_at = 0;
    m_count = m_reader.read(m_events);
    m_isOpen = m_count != 0;
    return m_isOpen;
}

/// True if the event is after the times of the filter.
bool EventCursor::isPastTheEnd(const HistoryEvent &event) const
{
    if (m_filter.number && event.n > *m_filter.number && event.n < kFirstNegative)
        return true;
    return event.ts > m_filter.to && event.ts < kFirstNegative;
}

bool EventCursor::passes(const HistoryEvent &event) const
{
    return event.ts >= m_filter.from && (!m_filter.tid || *m_filter.tid == event.tid) &&
           (!m_filter.number || *m_filter.number == event.n);
}

std::uint64_t EventCursor::rowId() const
{
    const std::uint64_t before = m_isLossless ? m_events[m_at - 1].n - m_atStart.first : m_rows - 1;
    return m_snapshot.firstEventId(m_coroutine.id) + before;
}

void EventCursor::put(int column, SqlValue &value)
{
    const HistoryEvent &event = m_events[m_at - 1];
    switch (column) {
    case Id: return value.integer(rowId());
    case ProbeId: return value.decimalText(m_coroutine.probeId);
    case Tid: return value.integer(event.tid);
    case Addr: return value.hexText(event.addr);
    case Seq: return value.integer(slotSeq(m_coroutine.dialect, event.n));
    case IsActive: return value.integer(event.type == HistoryEvent::Type::Resume ? 1 : 0);
    case Ts: return value.integer(event.ts);
    case N: return value.integer(event.n);
    case Coroutine: return value.integer(m_coroutine.id);
    case Pid: return value.known(m_coroutine.pid);
    case SiteColumn: return value.known(event.site);
    case Kind: return value.word(pointKindName(event.kind));
    default: return value.null();
    }
}

}  // namespace ct::query
