// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A trace turned back into a stream: if memory has dropped any of it, in the order in which it came what the recording
// has, its holes filled from memory as far as possible; then coroutine by coroutine the rest of what is in memory.
#pragma once

#include "core/exporting/exporting.h"
#include "core/exporting/tracestock.h"
#include "core/recording/pastreader.h"
#include "core/trace/pagedvector.h"

#include <memory>
#include <optional>
#include <vector>

namespace ct {

/// For one run(), on the thread of the export; the trace may grow meanwhile, what comes is left out.
class TraceReplay {
public:
    /// `places`: of the recording; nullptr: there is none.
    TraceReplay(const Population &population, const History &history, Sink &sink, const ExportProgress &progress,
                const Accounting &sums, std::shared_ptr<const StreamPlaces> places);

    Result<ExportReport> run();

private:
    /// How much of the stream the recording has, as far as it can be told before it is read.
    enum class Recorded {
        Nothing,  ///< it is not asked: all is in memory, or there is no recording
        Part,
        All,
    };
    Result<void> takeStock();
    void addEventsOutsideTheTrace(std::uint64_t lost, std::uint64_t missed);
    void chooseSource();
    bool awaitRecording() const;
    Result<void> replayBirths();
    Result<void> replayRecorded();
    Result<void> replayBlock(const StreamPlaces::Block &block);
    Result<void> replayEvents(const Transitions &events);
    Result<void> replayMemory(const CoroutineSnapshot &snapshot, std::uint64_t end);
    Result<void> replay(CoroutineId id);
    Result<void> replayWakesAndWaits();
    Result<void> replayNotes(CoroutineId id);
    std::uint64_t expectedEvents() const;
    std::uint64_t missingEvents() const;
    /// Had a record when the export began, and still had it when its turn came.
    bool isThere(CoroutineId id) const { return id < m_stock.size() && m_stock[id].isThere(); }
    bool stillThere(const CoroutineSnapshot &snapshot);
    void addEventsNotKept(std::uint64_t count);
    bool isExported(CoroutineId other) const { return other == kNoCoroutine || isThere(other); }
    void addEnd(const CoroutineSnapshot &snapshot);
    void addProcesses();
    void addProcessEnds();
    void addBirth(const CoroutineSnapshot &snapshot);
    MissingEvents whyMissing(CoroutineId id, std::uint64_t firstN, std::uint64_t count) const;
    void addLoss(CoroutineId id, std::uint64_t firstN, std::uint64_t count);
    void addEndOfLosses(CoroutineId id);
    void addTransition(const Transition &transition);
    void addNotes(Notes notes);
    Result<void> flush();
    Result<void> report() const;

    const Population &m_population;
    const History &m_history;
    Sink &m_sink;
    const ExportProgress &m_progress;
    const std::shared_ptr<const StreamPlaces> m_places;
    // When the export began.
    TraceStock m_stock;            ///< without the coroutines whose record has gone since
    std::uint64_t m_streamed = 0;  ///< place in the stream behind all that is exported
    std::uint64_t m_notes = 0;     ///< wakes and waits
    Recorded m_recorded = Recorded::Nothing;
    bool m_isComplete = false;  ///< the recording was asked, and had it all so far
    std::optional<PastReader> m_reader;
    Batch m_batch;
    const Accounting m_capture;      ///< sums of the capture, as of the latest batch
    Accounting m_sums;               ///< sums of the export
    std::uint64_t m_notesRead = 0;   ///< from the recording
    std::uint64_t m_eventsGone = 0;  ///< with records that were dropped while their coroutines were exported
    // By coroutine.
    PagedVector<std::uint64_t> m_next;    ///< one past the latest number that was exported
    std::vector<bool> m_isNextKnown;      ///< that it is m_next: what is missing before another one was lost
    PagedVector<std::uint64_t> m_untold;  ///< lost or missed when the export began, and not exported as such so far
    std::vector<bool> m_waitTold;
    std::vector<bool> m_wakeTold;
    SiteId m_sitesSent = 0;
    std::uint32_t m_coroutinesDone = 0;
};

}  // namespace ct
