// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What somebody has to know to understand a stream from here on: the content of a keyframe (docs/recording.md).
#pragma once

#include "core/trace/stream.h"

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

/// Takes some 140 bytes for each coroutine that lives, 220 where wakes are told, and nothing for those that do not
/// live. One thread.
class PresentState {
public:
    void consume(const Batch &batch);

    /// All sites so far, all threads and processes but forgotten ones, and of each living coroutine the birth, name,
    /// parent, flag, losses, latest suspension and resume, what it waits for and who woke it last. Ids stay, in
    /// ascending order.
    Batch keyframe() const;
    /// Born so far, living or not: the next one gets this id.
    CoroutineId born() const { return m_born; }
    bool lives(CoroutineId id) const { return placeOf(id) != kNone; }
    /// Pids of processes that ended more than kSettleNs ago, and left no coroutine that lives: nothing that comes later
    /// is of them.
    std::set<std::uint32_t> goneProcesses() const;
    static constexpr std::uint64_t kSettleNs = 10'000'000'000;
    /// Drops all that is known of processes with these pids.
    void forget(const std::set<std::uint32_t> &pids);

private:
    struct Living {
        Birth birth;
        std::array<Transition, 2> latest;  ///< suspension, resume; those without a coroutine are none
    };
    /// What few coroutines have.
    struct Rare {
        std::string name;
        CoroutineId parent = kNoCoroutine;
        std::uint64_t lost = 0;
        std::uint64_t missed = 0;
        std::optional<Flag::Reason> flag;
    };
    /// What all have in a target that tells of it, and none elsewhere; those without a coroutine are none.
    struct Causes {
        WaitsOn waits;
        Wake wake;
    };
    static constexpr std::uint32_t kPageBits = 12;
    static constexpr std::uint32_t kPageMask = (1U << kPageBits) - 1;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    /// When a pid was in use, ns, CLOCK_MONOTONIC. The system uses pids again, and an exec reports a start again.
    struct Span {
        std::uint64_t start = 0;  ///< the latest one
        std::uint64_t end = 0;    ///< the latest one; 0 = none
    };
    /// Places in m_living of neighbouring ids; gone when they all died.
    struct Page {
        std::array<std::uint32_t, 1U << kPageBits> places;
        std::uint32_t used = 0;
    };

    void add(const Birth &birth);
    void bury(CoroutineId id);
    std::uint32_t placeOf(CoroutineId id) const;
    Rare *rareOf(CoroutineId id);
    Causes *causesOf(CoroutineId id);
    void consumeNotes(const Notes &notes);
    void appendTo(Batch &batch, std::uint32_t place) const;

    std::vector<std::unique_ptr<Page>> m_pages;  ///< by id
    std::vector<Living> m_living;
    std::vector<Causes> m_causes;       ///< in the same places; empty as long as there are none
    std::vector<std::uint32_t> m_free;  ///< of these places
    std::unordered_map<CoroutineId, Rare> m_rare;
    CoroutineId m_born = 0;
    std::vector<Site> m_sites;
    std::vector<Process> m_processes;
    std::vector<ProcessEnd> m_ends;
    std::map<std::uint32_t, Span> m_spans;                                     ///< by pid
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> m_threads;  ///< names, by pid and tid
    std::map<std::uint32_t, Switch> m_switches;                                ///< the latest, by pid
    std::uint64_t m_now = 0;
};

}  // namespace ct::ctr
