// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows that change while the stream goes on: those about coroutines, processes, threads and sites. They are kept here,
// and written when they have changed, so that a store needs no updates.
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
    /// Adds everything of the batch, which follows `events` events of the stream.
    void addBatch(const Batch &batch, std::uint64_t events);
    /// Writes the rows that have changed since the last call. Their counts are those of `sums`.
    Result<void> writeChanged(RowStore &store, const CoroutineSums &sums);
    /// Writes all rows whose counts are not 0, and processes that no note has named.
    Result<void> writeLast(RowStore &store, const CoroutineSums &sums);

    /// True if a birth of the coroutine was added.
    bool has(CoroutineId id) const { return id < m_coroutines.size() && m_coroutines[id].isBorn; }

private:
    struct Coroutine {
        std::uint32_t station = 0;
        std::uint32_t generation = 0;
        std::uint64_t bornAfter = 0;
        std::uint64_t diedAfter = 0;
        std::uint64_t finishedAfter = 0;
        std::optional<std::uint64_t> deathTs;   ///< nullopt: it lives; 0: the time is not known
        std::optional<std::uint64_t> finishTs;  ///< in the same way
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
        std::optional<std::uint64_t> after;  ///< nullopt: only its coroutines name the process
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
    std::vector<Process> m_processes;
    std::set<std::size_t> m_changedProcesses;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> m_changedThreads;  ///< by pid and tid
    std::map<SiteId, Site> m_changedSites;
};

}  // namespace ct
