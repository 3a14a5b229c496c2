// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A trace turned back into a stream: coroutine by coroutine what is in memory, and before that, in the order in which
// it came, what only the recording has.
#pragma once

#include "core/exporting/exporting.h"
#include "core/recording/pastreader.h"

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
    /// How much of the stream the recording is asked for.
    enum class Recorded {
        Nothing,  ///< all is in memory, or there is no recording
        Dropped,  ///< what memory has dropped, as far as it is there
        All,
    };
    Recorded chooseSource();
    bool awaitRecording() const;
    Result<void> replayBirths();
    Result<void> replayRecorded(std::uint64_t end);
    Result<void> replayBlock(const StreamPlaces::Block &block, std::uint64_t end);
    Result<void> replayMemory(const CoroutineSnapshot &snapshot);
    Result<void> replay(CoroutineId id);
    Result<void> replayWakesAndWaits();
    Result<void> replayNotes(CoroutineId id);
    bool isExported(CoroutineId other) const { return other == kNoCoroutine || other < m_coroutines; }
    void addProcesses();
    void addProcessEnds();
    void addBirth(const CoroutineSnapshot &snapshot);
    void addLoss(const CoroutineSnapshot &snapshot, std::uint64_t firstN, std::uint64_t count);
    void addEndOfLosses(const CoroutineSnapshot &snapshot);
    void addTransition(const Transition &transition);
    void addNotes(Notes notes);
    Result<void> flush();

    const Population &m_population;
    const History &m_history;
    Sink &m_sink;
    const ExportProgress &m_progress;
    const std::shared_ptr<const StreamPlaces> m_places;
    const std::uint32_t m_coroutines;
    const std::uint64_t m_streamed;  ///< transitions there were at the beginning
    const std::uint64_t m_eventsExpected;
    Recorded m_recorded = Recorded::Nothing;
    bool m_isComplete = true;  ///< nothing is missing so far
    std::optional<PastReader> m_reader;
    Batch m_batch;
    Accounting m_sums;
    std::uint64_t m_droppedEvents = 0;
    // By coroutine.
    std::vector<std::uint64_t> m_next;    ///< one behind the latest number that was told of
    std::vector<bool> m_isNextKnown;      ///< that it is m_next: what is missing before another one was lost
    std::vector<std::uint64_t> m_lostOf;  ///< told
    std::vector<bool> m_waitTold;
    std::vector<bool> m_wakeTold;
    SiteId m_sitesSent = 0;
    std::uint32_t m_coroutinesDone = 0;
};

}  // namespace ct
