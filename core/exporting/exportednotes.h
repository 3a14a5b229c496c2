// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The notes of an export. They name exported coroutines only.
#pragma once

#include "core/exporting/exportedcoroutines.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ct {

/// For one export, on its thread.
class ExportedNotes {
public:
    /// `coroutines`: those of the export; must outlive this object.
    ExportedNotes(const Population &population, const History &history, const ExportedCoroutines &coroutines)
        : m_population(population), m_history(history), m_coroutines(coroutines)
    {
    }

    /// Fixes the causes of the export: later ones are not part of it.
    void begin();

    /// Adds notes about processes and threads. A process without facts is named by its coroutines.
    void addProcesses(Notes &to) const;
    void addProcessEnds(Notes &to) const;
    /// Adds the samples of threads, descriptors and processes that are in memory.
    void addSamples(Notes &to) const;
    /// Adds the switches of tracing that came after that time (ns).
    void addSwitches(std::uint64_t after, Notes &to) const;
    /// Adds the name of a coroutine, and its parent if that one is older.
    void addNameAndParent(CoroutineId id, Notes &to) const;

    /// Sets the causes of `to` to those in the recording.
    void addRecorded(const Notes &causes, Notes &to);
    /// Call it when all causes were taken from the recording. Causes that it lacks count as evicted.
    void endRecorded() { m_evicted = m_end - std::min(m_end, m_recorded); }
    /// Sets the causes of `to` to the next ones of the history. Returns false at the end, when the evicted ones are
    /// counted.
    bool addNext(Notes &to);
    /// Adds what the population knows of a coroutine even if the history has evicted it: a younger parent, and the
    /// latest wait, wake and finish. Call it last, after all births.
    void addLatest(CoroutineId id, Notes &to);

    std::uint64_t evicted() const { return m_evicted; }  ///< causes (Notes::causes()) missing in the export

private:
    /// The latest exported causes of a coroutine.
    struct Written {
        bool hasWait = false;
        bool hasWake = false;
        bool hasFinish = false;
    };
    bool hasRecord(CoroutineId id) const { return id < m_coroutines.size() && m_coroutines[id].hasRecord(); }
    bool isExported(CoroutineId other) const { return other == kNoCoroutine || hasRecord(other); }
    void addCauses(Notes causes, Notes &to);

    const Population &m_population;
    const History &m_history;
    const ExportedCoroutines &m_coroutines;
    std::uint64_t m_end = 0;       ///< number of causes when the export began
    std::uint64_t m_position = 0;  ///< of the next cause in the history
    std::uint64_t m_read = 0;      ///< causes from the history
    std::uint64_t m_recorded = 0;  ///< causes from the recording
    std::uint64_t m_evicted = 0;
    std::vector<Written> m_written;  ///< by coroutine
};

}  // namespace ct
