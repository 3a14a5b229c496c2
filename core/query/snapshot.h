// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The extent of a trace when a query begins, and the data that its tables share.
#pragma once

#include "core/exporting/exportedcoroutines.h"
#include "core/exporting/exportednotes.h"
#include "core/query/coroutineevents.h"
#include "core/query/tracequery.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace ct::query {

/// The causes of one kind, indexed by coroutine: those of the coroutines in [first, end), as many as fit.
template <class Row>
struct CauseIndex {
    static constexpr std::size_t kMostRows = std::size_t{1} << 21;
    CoroutineId first = 0;
    CoroutineId end = 0;    ///< 0: not built
    std::vector<Row> rows;  ///< by coroutine, then in the order of the stream
};

/// For one query, on its thread.
class Snapshot {
public:
    /// `trace` and `cancelled` must outlive this object.
    Snapshot(const QueriedTrace &trace, const std::atomic<bool> &cancelled);

    /// Fixes the extent: later events are not part of the query. Returns false when cancelled.
    bool fill();
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

    const Population &population() const { return *m_trace.population; }
    const History &history() const { return *m_trace.history; }
    ExportResolver *resolver() const { return m_trace.resolver.get(); }

    std::uint32_t coroutineCount() const { return m_coroutines.size(); }
    const ExportedCoroutine &coroutine(CoroutineId id) const { return m_coroutines[id]; }
    bool hasRecord(CoroutineId id) const { return id < m_coroutines.size() && m_coroutines[id].hasRecord(); }
    /// Number of events that are missing in the stream without a reported loss.
    std::uint64_t unexplained(CoroutineId id);
    std::uint64_t firstEventId(CoroutineId id) const { return m_firstEventIds[id]; }
    SiteId siteCount() const { return m_siteCount; }
    /// Returns a reader of the events of single coroutines.
    CoroutineEvents makeReader() { return {history(), m_blocks, m_recordedEvents}; }
    RecordedBlocks &recordedBlocks() { return m_blocks; }
    /// Number of evicted events that no recording has.
    std::uint64_t missingEvents() const { return m_blocks.missingEvents(); }
    /// Number of evicted causes that no recording has.
    std::uint64_t missingCauses() const;
    /// True if memory has evicted causes and the recording has all of them. May wait for the recording.
    bool areCausesRecorded();
    /// Position in the stream after all events of the query.
    std::uint64_t streamed() const { return m_streamed; }
    std::uint64_t events() const { return m_coroutines.sums().captured; }
    std::uint64_t causes() const { return m_causes; }

    /// Processes, threads, drops, switches and samples.
    const Notes &fewNotes();
    std::vector<ProcessSnapshot> processes() const;
    /// The latest finish of the coroutine; nullptr = none.
    const Finish *finishOf(CoroutineId id);
    /// The judgement at the instant of the first call; nullptr: there is no judge.
    const Report *report();
    /// The rows of the table trace_info. infoValues() reads all causes if memory has evicted any; it has 0 for the
    /// instant of the report.
    static std::vector<std::string_view> infoNames();
    std::vector<std::uint64_t> infoValues();
    /// ns, CLOCK_MONOTONIC: the time up to which the run was observed.
    std::uint64_t observedUntil() const { return population().now(); }
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
    /// The resolved addresses of suspensions without a site, of the coroutines in [first, end).
    std::vector<Address> addresses(CoroutineId first, CoroutineId end);
    /// Like addresses(id, id + 1), but cheap for the coroutine of the latest call.
    const std::vector<Address> &addressesOf(CoroutineId id);

private:
    std::uint64_t unexplainedOfFlagged(CoroutineId id);
    void addAddressesOf(CoroutineId id, CoroutineId end, std::vector<EventAddress> &to);

    const QueriedTrace &m_trace;
    const std::atomic<bool> &m_cancelled;
    ExportedCoroutines m_coroutines;
    RecordedBlocks m_blocks;
    RecordedEvents m_recordedEvents;
    ExportedNotes m_notes;                       ///< as at the beginning; each reader copies it
    std::vector<std::uint64_t> m_firstEventIds;  ///< by coroutine
    std::uint64_t m_streamed = 0;
    SiteId m_siteCount = 0;
    std::uint64_t m_causes = 0;
    std::uint64_t m_overflowNames = 0;
    std::uint64_t m_lostWithoutCoroutine = 0;    ///< see RunSums
    std::uint64_t m_missedWithoutCoroutine = 0;  ///< see RunSums
    // Created when a table needs them.
    std::optional<Notes> m_fewNotes;
    std::optional<std::shared_ptr<const Report>> m_report;
    std::optional<bool> m_areCausesRecorded;
    std::optional<std::vector<Finish>> m_finishes;  ///< by coroutine
    std::tuple<CauseIndex<WaitsOn>, CauseIndex<Wake>, CauseIndex<Use>, CauseIndex<WakersLeft>> m_causeIndexes;
    CoroutineId m_addressesOf = kNoCoroutine;
    std::vector<Address> m_addresses;
};

/// Reads all causes of a snapshot: from the recording if memory has evicted any, else from memory, and then the latest
/// ones of each coroutine that are in neither.
class CauseReader {
public:
    explicit CauseReader(Snapshot &snapshot)
        : m_snapshot(snapshot), m_notes(snapshot.notes()), m_isRecorded(snapshot.areCausesRecorded())
    {
    }

    /// Replaces the content of `to` by the next causes. Returns false at the end.
    bool next(Notes &to);
    std::uint64_t evicted() const { return m_notes.evicted(); }  ///< valid at the end

private:
    bool nextRecorded(Notes &to);

    Snapshot &m_snapshot;
    ExportedNotes m_notes;
    const bool m_isRecorded;
    bool m_isComplete = true;  ///< every block of the recording was read
    std::size_t m_block = 0;   ///< next block of the recording
    bool m_isHistoryRead = false;
    CoroutineId m_coroutine = 0;
};

}  // namespace ct::query
