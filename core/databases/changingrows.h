// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows that change during the stream: those about coroutines, processes, threads and sites. They are kept in memory and
// written again after a change, so a store needs no UPDATE.
#pragma once

#include "core/databases/rowstore.h"
#include "core/recording/text/coroutinesums.h"
#include "core/stream/stream.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct {

class ChangingRows {
public:
    /// Adds the rows of the batch. `events`: number of events in the stream before it.
    void addBatch(const Batch &batch, std::uint64_t events);
    /// Writes the rows that have changed since the last call, with the counts of `sums`.
    Result<void> writeChanged(RowStore &store, const CoroutineSums &sums);
    /// Writes all rows with counts other than 0, and the processes that no note has named. Call it once, at the end.
    Result<void> writeLast(RowStore &store, const CoroutineSums &sums);
    /// Call it when the store has committed the rows that writeChanged() wrote.
    void noteCommitted() { m_newborn.clear(); }
    /// Call it when the store has lost its rows since the latest noteCommitted(): forgets the births among them.
    void takeBackBirths();

    /// True if the birth of the coroutine was added.
    bool has(CoroutineId id) const { return id < m_coroutines.size() && m_coroutines[id].isBorn; }
    std::uint64_t births() const { return m_births; }  ///< that were added and not taken back

private:
    struct Coroutine {
        std::uint32_t station = 0;
        std::uint32_t generation = 0;
        std::uint64_t bornAfter = 0;
        std::uint64_t diedAfter = 0;
        std::uint64_t finishedAfter = 0;
        std::optional<std::uint64_t> deathTs;   ///< nullopt: it lives; 0: at an unknown time
        std::optional<std::uint64_t> finishTs;  ///< as deathTs
        SiteId finishSite = kUnknownSite;
        CoroutineId parent = kNoCoroutine;
        Dialect dialect = Dialect::Unknown;
        bool isBorn = false;
        bool isFlagged = false;
        bool isChanged = false;
    };
    struct Process {
        std::uint32_t pid = 0;
        std::uint64_t firstTs = 0;
        std::optional<std::uint64_t> endTs;
        std::string name;
        std::optional<std::uint64_t> after;  ///< nullopt: no note, only coroutines or its end name it
        std::uint64_t endedAfter = 0;
    };

    void addBirths(const Batch &batch, std::uint64_t events);
    void addProcesses(const Notes &notes, std::uint64_t eventsAfter);
    Coroutine *change(CoroutineId id);
    Result<void> writeCoroutine(RowStore &store, const CoroutineSums &sums, CoroutineId id) const;
    Result<void> writeProcess(RowStore &store, std::size_t index) const;

    std::vector<Coroutine> m_coroutines;                   ///< by id
    std::unordered_map<CoroutineId, std::string> m_names;  ///< valid UTF-8
    std::vector<CoroutineId> m_changed;
    std::vector<CoroutineId> m_newborn;  ///< since noteCommitted()
    std::uint64_t m_births = 0;
    std::vector<Process> m_processes;
    std::set<std::size_t> m_changedProcesses;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> m_changedThreads;  ///< by pid and tid
    std::map<SiteId, Site> m_changedSites;
};

}  // namespace ct
