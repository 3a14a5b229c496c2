// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table coro_trace_events: reads the history, coroutine by coroutine.
#pragma once

#include "core/query/virtualtable.h"

namespace ct::query {

/// The id of an event is its position among all events that had been captured when the query began, coroutine by
/// coroutine. Events that cannot be read leave a gap.
class EventCursor final : public Cursor {
public:
    enum Column { Id, ProbeId, Tid, Addr, Seq, IsActive, Ts, N, Coroutine, Pid, SiteColumn, Kind };

    explicit EventCursor(Snapshot &snapshot) : m_snapshot(snapshot), m_reader(snapshot.makeReader()) {}

    void start(const Filter &filter) override;
    bool next() override;
    void put(int column, SqlValue &value) override;
    std::uint64_t rowId() const override;

private:
    bool openNextCoroutine();
    bool isBefore(const CoroutineSnapshot &coroutine) const;
    Times neededTimes() const;
    bool refill();
    bool isPastTheEnd(const HistoryEvent &event) const;
    bool passes(const HistoryEvent &event) const;

    Snapshot &m_snapshot;
    Filter m_filter;
    CoroutineId m_next = 0;  ///< coroutine
    CoroutineId m_end = 0;
    CoroutineSnapshot m_coroutine;  ///< the one being read
    ExportedCoroutine m_atStart;    ///< its numbers
    bool m_isLossless = false;      ///< its numbers have no gap
    bool m_isOpen = false;
    CoroutineEvents m_reader;
    CoroutineEvents::Entries m_events;
    std::size_t m_at = 0;  ///< one past the present event
    std::size_t m_count = 0;
    std::uint64_t m_rows = 0;  ///< rows of this coroutine, including the present one
};

}  // namespace ct::query
