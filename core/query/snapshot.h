// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The extent of a trace when a query begins, and what its tables share during the query.
#pragma once

#include "core/exporting/exportedcoroutines.h"
#include "core/exporting/exportednotes.h"
#include "core/query/tracequery.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace ct::query {

/// The causes of one kind in memory, for queries of single coroutines.
template <class Row>
struct CauseIndex {
    bool isBuilt = false;
    std::vector<Row> rows;  ///< by coroutine, then in the order of the stream
};

/// For one query, on its thread.
class Snapshot {
public:
    /// `trace` and `cancelled` must outlive this object.
    Snapshot(const QueriedTrace &trace, const std::atomic<bool> &cancelled);

    /// Determines the extent. Later events are not part of the query. Returns false when cancelled.
    bool fill();
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

    const Population &population() const { return *m_trace.population; }
    const History &history() const { return *m_trace.history; }
    ExportResolver *resolver() const { return m_trace.resolver.get(); }

    std::uint32_t coroutineCount() const { return m_coroutines.size(); }
    const ExportedCoroutine &coroutine(CoroutineId id) const { return m_coroutines[id]; }
    bool hasRecord(CoroutineId id) const { return id < m_coroutines.size() && m_coroutines[id].hasRecord(); }
    /// Numbers that are missing in the stream without a reported loss.
    std::uint64_t unexplained(CoroutineId id) const;
    std::uint64_t firstEventId(CoroutineId id) const { return m_firstEventIds[id]; }
    SiteId siteCount() const { return m_siteCount; }
    std::uint64_t events() const { return m_coroutines.sums().captured; }
    std::uint64_t causes() const { return m_causes; }

    /// Processes, threads, drops, switches and samples.
    const Notes &fewNotes();
    std::vector<ProcessSnapshot> processes() const;
    /// The latest finish of the coroutine; nullptr = it has none.
    const Finish *finishOf(CoroutineId id);
    /// The rows of the table trace_info.
    std::vector<std::pair<std::string_view, std::uint64_t>> info();
    template <class Row>
    CauseIndex<Row> &causeIndex()
    {
        return std::get<CauseIndex<Row>>(m_causeIndexes);
    }
    const ExportedNotes &notes() const { return m_notes; }

    struct Address {
        EventAddress address;
        ExportResolver::Answer answer;  ///< not null
    };
    /// The resolved addresses of the suspensions of [first, end) that have no site.
    std::vector<Address> addresses(CoroutineId first, CoroutineId end) const;
    /// As addresses(id, id + 1), cheap for the coroutine of the latest call.
    const std::vector<Address> &addressesOf(CoroutineId id);

private:
    void awaitHistory() const;
    void addAddressesOf(CoroutineId id, std::vector<EventAddress> &to) const;

    const QueriedTrace &m_trace;
    const std::atomic<bool> &m_cancelled;
    ExportedCoroutines m_coroutines;
    ExportedNotes m_notes;                       ///< at the beginning; each reader copies it
    std::vector<std::uint64_t> m_firstEventIds;  ///< by coroutine
    SiteId m_siteCount = 0;
    std::uint64_t m_causes = 0;
    std::uint64_t m_overflowNames = 0;
    std::uint64_t m_notInMemory = 0;  ///< events
    std::uint64_t m_lostOutside = 0;  ///< events of coroutines that the trace does not have
    std::uint64_t m_missedOutside = 0;
    // Made when a table needs them.
    std::optional<Notes> m_fewNotes;
    std::optional<std::vector<Finish>> m_finishes;  ///< by coroutine
    std::tuple<CauseIndex<WaitsOn>, CauseIndex<Wake>, CauseIndex<Use>, CauseIndex<WakersLeft>> m_causeIndexes;
    CoroutineId m_addressesOf = kNoCoroutine;
    std::vector<Address> m_addresses;
};

/// Reads all causes of a snapshot: first those in memory, then the latest ones of each coroutine that the history has
/// evicted.
class CauseReader {
public:
    explicit CauseReader(Snapshot &snapshot) : m_snapshot(snapshot), m_notes(snapshot.notes()) {}

    /// Replaces the contents of `to` by the next causes. Returns false at the end.
    bool next(Notes &to);
    std::uint64_t evicted() const { return m_notes.evicted(); }  ///< valid at the end

private:
    Snapshot &m_snapshot;
    ExportedNotes m_notes;
    bool m_isHistoryRead = false;
    CoroutineId m_coroutine = 0;
};

/// Events that the trace had, and memory has not.
std::uint64_t eventsNotInMemory(const History &history);

}  // namespace ct::query
