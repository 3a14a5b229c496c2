// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The present state of everything in a stream, which is the content of a keyframe (docs/recording.md).
#pragma once

#include "core/recording/write/presentsamples.h"
#include "core/stream/acquisitions.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct::ctr {

/// Needs some 150 bytes for each living coroutine, and 260 if the target reports waits or wakes. Dead coroutines need
/// no memory. Not thread-safe: one thread.
class PresentState {
public:
    void consume(const Batch &batch);

    /// Returns all sites, and all threads and processes that were not removed. Also returns each living coroutine's
    /// birth, name, parent, flag, losses, finish, latest suspension and resumption, wait, latest wake and wakers left.
    /// Coroutines keep their ids, and come in ascending order. Also returns the acquisitions without a release, in the
    /// order of their times. One by a coroutine that has died names no coroutine. Also returns the latest samples.
    Batch keyframe() const;
    /// Number of coroutines born so far, alive or not. The next one gets this id.
    CoroutineId born() const { return m_born; }
    bool lives(CoroutineId id) const { return indexOf(id) != kNone; }
    /// Returns the pids of processes that ended more than kLateRowsNs ago and have no living coroutine. No later row
    /// belongs to them.
    std::set<std::uint32_t> endedProcesses() const;
    static constexpr std::uint64_t kLateRowsNs = 10'000'000'000;
    /// Removes everything about the processes with these pids.
    void removeProcesses(const std::set<std::uint32_t> &pids);

private:
    struct Living {
        Birth birth;
        std::array<Transition, 2> latest;  ///< suspension, resumption; kNoCoroutine = none
        CoroutineId parent = kNoCoroutine;
    };
    /// Data that few coroutines have.
    struct Rare {
        std::string name;
        std::uint64_t lost = 0;
        std::uint64_t missed = 0;
        std::optional<Flag::Reason> flag;
        std::optional<Finish> finish;
        std::vector<WaitsOn> furtherWaits;  ///< objects of the latest wait after its first, at most kMostFurtherWaits
    };
    /// Data that either all coroutines of a target have, or none. kNoCoroutine in a row = none.
    struct Causes {
        WaitsOn waits;
        Wake wake;
        WakersLeft wakersLeft;
    };
    static constexpr std::size_t kMostFurtherWaits = 255;
    static constexpr std::uint32_t kPageBits = 12;
    static constexpr std::uint32_t kPageMask = (1U << kPageBits) - 1;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    /// When a pid was in use: ns, CLOCK_MONOTONIC. The system reuses pids, and an exec reports another start.
    struct Span {
        std::uint64_t start = 0;  ///< the latest start
        std::uint64_t end = 0;    ///< the latest end; 0 = none
    };
    /// Indices in m_living of neighbouring ids. Freed when these coroutines are all dead.
    struct Page {
        std::array<std::uint32_t, 1U << kPageBits> indexes;
        std::uint32_t used = 0;  ///< living coroutines
    };

    void addBirth(const Birth &birth);
    void remove(CoroutineId id);
    std::uint32_t indexOf(CoroutineId id) const;
    Rare *rareOf(CoroutineId id);
    Causes *causesOf(CoroutineId id);
    void consumeNotes(const Notes &notes);
    void consumeCauses(const Notes &notes);
    void appendTo(Batch &batch, std::uint32_t index) const;

    std::vector<std::unique_ptr<Page>> m_pages;  ///< pages of neighbouring ids, by id >> kPageBits
    std::vector<Living> m_living;
    std::vector<Causes> m_causes;       ///< parallel to m_living; empty until the first wait or wake
    std::vector<std::uint32_t> m_free;  ///< free indices of m_living
    std::unordered_map<CoroutineId, Rare> m_rare;
    Acquisitions m_acquisitions;
    PresentSamples m_samples;
    CoroutineId m_born = 0;
    std::vector<Site> m_sites;
    std::vector<Process> m_processes;
    std::vector<ProcessEnd> m_ends;
    std::map<std::uint32_t, Span> m_spans;                                     ///< spans of the processes, by pid
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> m_threads;  ///< names of the threads, by pid and tid
    std::map<std::uint32_t, Switch> m_switches;  ///< the latest switch of each process, by pid
    std::uint64_t m_now = 0;
};

}  // namespace ct::ctr
