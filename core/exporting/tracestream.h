// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Turns a trace back into a stream. If memory has evicted any of it, the recording comes first, in stream order, with
// events that it lacks taken from memory if possible. The rest of memory follows, coroutine by
// coroutine.
#pragma once

#include "core/exporting/exportedcoroutines.h"
#include "core/exporting/exportednotes.h"
#include "core/exporting/exporttrace.h"
#include "core/recording/read/rangereader.h"
#include "core/trace/pagedvector.h"

#include <memory>
#include <optional>
#include <vector>

namespace ct {

/// For one run(), on the thread of the export. The trace may grow at the same time; new events are left out.
class TraceStream {
public:
    /// `streamIndex`: index of the recording; nullptr = no recording.
    TraceStream(const Population &population, const History &history, Sink &sink, const ExportProgress &progress,
                const Accounting &sums, std::shared_ptr<const StreamIndex> streamIndex);

    Result<ExportReport> run();

private:
    /// How much of the stream the recording has, as far as it is known before reading.
    enum class Recorded {
        Nothing,  ///< the recording is not used: everything is in memory, or there is no recording
        Part,
        All,
    };
    Result<void> fillCoroutines();
    void addEventsOutsideTheTrace(std::uint64_t lost, std::uint64_t missed);
    void chooseSource();
    bool awaitRecording() const;
    Result<void> exportBirths();
    Result<void> exportRecorded();
    Result<void> exportBlock(const StreamIndex::Block &block);
    Result<void> exportEvents(const Transitions &events);
    Result<void> exportMemory(const CoroutineSnapshot &snapshot, std::uint64_t end);
    Result<void> exportCoroutine(CoroutineId id);
    Result<void> exportCauses();
    Result<void> exportEnd(CoroutineId id);
    std::uint64_t expectedEvents() const;
    std::uint64_t missingEvents() const;
    /// The coroutine had a record when the export began, and still had it when its turn came.
    bool hasRecord(CoroutineId id) const
    {
        return id < m_coroutinesAtStart.size() && m_coroutinesAtStart[id].hasRecord();
    }
    bool stillThere(const CoroutineSnapshot &snapshot);
    void addOverflowEvents(std::uint64_t count);
    void countDrops();
    void addBirth(const CoroutineSnapshot &snapshot);
    MissingEvents whyMissing(CoroutineId id, std::uint64_t firstN, std::uint64_t count) const;
    void addLoss(CoroutineId id, std::uint64_t firstN, std::uint64_t count);
    void addEndOfLosses(CoroutineId id);
    void addTransition(const Transition &transition);
    Result<void> flush();
    Result<void> report() const;

    const Population &m_population;
    const History &m_history;
    Sink &m_sink;
    const ExportProgress &m_progress;
    const std::shared_ptr<const StreamIndex> m_streamIndex;
    // Values at the beginning of the export.
    ExportedCoroutines m_coroutinesAtStart;  ///< without coroutines whose record was evicted since
    std::uint64_t m_streamed = 0;            ///< position in the stream after all exported events
    ExportedNotes m_notes;
    Recorded m_recorded = Recorded::Nothing;
    bool m_isComplete = false;  ///< the recording is used, and had everything so far
    std::optional<RangeReader> m_reader;
    Batch m_batch;
    const Accounting m_capture;  ///< sums of the capture, at the latest batch
    Accounting m_sums;           ///< sums of the export
    std::uint64_t m_causes = 0;  ///< causes exported
    /// Events whose records were evicted during the export of their coroutine.
    std::uint64_t m_eventsOfEvictedRecords = 0;
    // By coroutine.
    PagedVector<std::uint64_t> m_next;        ///< one past the latest exported number
    std::vector<bool> m_isNextKnown;          ///< m_next is exact: numbers missing after it were lost or missed
    PagedVector<std::uint64_t> m_unreported;  ///< lost or missed when the export began, and not exported so far
    SiteId m_sitesSent = 0;
    std::uint32_t m_coroutinesDone = 0;
};

}  // namespace ct
