// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Passes the selected part of a stream. What it leaves out counts as not selected, not as lost.
#pragma once

#include "core/exporting/traceselection.h"
#include "core/stream/unselected.h"

#include <memory>
#include <vector>

namespace ct {

/// A Sink in front of the Sink of an export, on its thread. Apart from gaps in the trace, the selected events of a
/// coroutine have consecutive numbers, from the first event in the time range to the last one before the first event
/// after the range. A loss belongs to the event after it.
class SelectedStream final : public Sink {
public:
    /// All must outlive this object. `unselected`: the writer of the export reads it.
    SelectedStream(Sink &sink, const TraceSelection &selection, const Population &population, Unselected &unselected);

    Result<void> consume(const Batch &batch) override;
    Result<void> finish(const Accounting &accounting) override;

    /// The sums of the selection. Valid after finish().
    const Accounting &sums() const { return m_sums; }
    std::uint64_t causes() const { return m_causes; }

private:
    enum class Progress : std::uint8_t { Before, Within, Behind };
    struct Coroutine {
        bool isSelected = false;
        bool hasEarlier = false;  ///< has events before the time range
        Progress progress = Progress::Before;
        std::uint64_t firstN = 0;  ///< selected events have the numbers [firstN, endN)
        std::uint64_t endN = 0;
        std::vector<Loss> losses;  ///< those from nextLoss on have no later event so far
        std::size_t nextLoss = 0;
    };

    bool isSelected(CoroutineId id) const { return id < m_coroutines.size() && m_coroutines[id].isSelected; }
    bool isInTime(std::uint64_t ts) const { return ts >= m_selection.from && ts < m_selection.to; }
    void addBirths(const Batch &batch);
    void addLosses(const Batch &batch);
    void addTransition(const Transition &transition);
    bool selects(Coroutine &coroutine, const Transition &transition);
    void addNotes(const Notes &notes);
    void addCauses(const Notes &notes);
    void addWait(WaitsOn waits);
    void addEnds(const Batch &batch);
    void decideLosses(Coroutine &coroutine, std::uint64_t end, bool passes);
    void clearUnselected(CoroutineId &other) const;

    Sink &m_sink;
    const TraceSelection &m_selection;
    const Population &m_population;
    Unselected &m_unselected;
    std::vector<Coroutine> m_coroutines;  ///< by id
    Batch m_batch;                        ///< what passes
    Accounting m_sums;
    std::uint64_t m_causes = 0;
    std::uint64_t m_recordsDropped = 0;
};

}  // namespace ct
