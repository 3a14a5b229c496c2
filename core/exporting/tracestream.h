// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Turns a trace back into a stream. A recording comes first, in stream order and with its batches, so that the export
// has the verdict of the run. Events that it lacks are taken from memory if possible. The rest of memory follows,
// coroutine by coroutine. A recording that lacks a part of the stream is used only if memory has evicted events.
#pragma once

#include "core/exporting/exportedcoroutines.h"
#include "core/exporting/exportednotes.h"
#include "core/exporting/exportedsamples.h"
#include "core/exporting/exporttrace.h"
#include "core/recording/read/rangereader.h"
#include "core/trace/pagedvector.h"

#include <memory>
#include <optional>
#include <span>
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
        Nothing,  ///< the recording is not used
        Part,
        All,
    };
    Result<void> fillCoroutines();
    void addEventsOutsideTheTrace(std::uint64_t lost, std::uint64_t missed);
    void chooseSource();
    Result<void> exportBirths();
    Result<void> exportRecorded();
    Result<void> exportBlock(const StreamIndex::Block &block);
    Result<void> exportBatch(const RangeReader::RecordedBatch &batch);
    void addRecorded(const Batch &recorded);
    Result<void> exportEvents(std::span<const Transition> events);
    Result<void> exportMemory(const CoroutineSnapshot &snapshot, std::uint64_t end);
    Result<void> exportCoroutine(CoroutineId id);
    Result<void> exportCauses();
    Result<void> exportSamples();
    Result<void> exportEnd(CoroutineId id);
    std::uint64_t expectedEvents() const;
    std::uint64_t missingEvents() const;
    /// The coroutine had a record when the export began, and still had it when its turn came.
    bool hasRecord(CoroutineId id) const
    {
        return id < m_coroutinesAtStart.size() && m_coroutinesAtStart[id].hasRecord();
    }
    bool addBirthOnce(const CoroutineSnapshot &snapshot);
    void addOverflowEvents(std::uint64_t count);
    void countDrops();
    void addBirth(const Birth &birth);
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
    std::uint64_t m_now = 0;                 ///< ns: end of the observation
    ExportedNotes m_notes;
    std::optional<ExportedSamples> m_samples;
    Recorded m_recorded = Recorded::Nothing;
    bool m_isComplete = false;  ///< the recording is used, and had everything so far
    std::optional<RangeReader> m_reader;
    Batch m_batch;
    const Accounting m_capture;  ///< sums of the capture, at the latest batch
    Accounting m_sums;           ///< sums of the export
    std::uint64_t m_causes = 0;  ///< causes exported
    /// Events whose records were evicted during the export of their coroutine.
    std::uint64_t m_eventsOfEvictedRecords = 0;
    std::uint64_t m_latestSwitch = 0;  ///< ns: of the exported ones
    // By coroutine.
    std::vector<bool> m_isBorn;               ///< its birth is exported
    std::vector<bool> m_isDead;               ///< its death is exported
    PagedVector<std::uint64_t> m_next;        ///< one past the latest exported number
    std::vector<bool> m_isNextKnown;          ///< m_next is exact: numbers missing after it were lost or missed
    PagedVector<std::uint64_t> m_unreported;  ///< lost or missed when the export began, and not exported so far
    SiteId m_sitesSent = 0;
    std::uint32_t m_coroutinesDone = 0;
};

}  // namespace ct
