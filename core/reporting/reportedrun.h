// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The coroutines of a run and their latest steps, as a report lists them. In two parts: the list is a copy of the
// population at the instant of the verdict; the steps are read later, when the stream has ended and addresses are
// resolved.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/finding.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ct {

/// A coroutine at the instant of the verdict.
struct ListedCoroutine {
    CoroutineSnapshot snapshot;
    std::string name;
};

struct CoroutineList {
    static constexpr std::size_t kMost = 200'000;

    std::vector<ListedCoroutine> coroutines;  ///< by id
    std::uint64_t notListed = 0;              ///< further coroutines, those without a record included
    std::uint64_t alive = 0;
};

/// Lists at most `most` coroutines. Coroutines with findings come first, then living ones, then those born last.
CoroutineList listCoroutines(const Population &population, const Verdict &verdict,
                             std::size_t most = CoroutineList::kMost);

/// Adds the addresses at which listed coroutines are suspended, up to kMostQueries in all.
void addOpenLocations(const CoroutineList &list, std::vector<AddressResolver::Query> &open);

/// An event of a coroutine, or missing ones.
struct ReportedStep {
    std::uint64_t ts = 0;      ///< ns, CLOCK_MONOTONIC
    std::uint64_t count = 0;   ///< Gap and Absent: missing events; 0 = unknown
    std::uint32_t thread = 0;  ///< index in ReportedRun::threads
    std::uint32_t where = 0;   ///< Suspend: index in ReportedRun::texts
    HistoryEvent::Type type = HistoryEvent::Type::Suspend;
    bool isFinal = false;  ///< a suspension at the final suspension point
};

struct ReportedCoroutine {
    CoroutineId id = kNoCoroutine;
    CoroutineState state = CoroutineState::Created;
    std::uint32_t function = 0;  ///< index in ReportedRun::texts, like the next two; 0 = an empty text
    std::uint32_t where = 0;     ///< of the latest suspension
    std::uint32_t name = 0;      ///< as the target gave it
    std::uint32_t thread = 0;    ///< of the latest event; index in ReportedRun::threads
    std::uint64_t since = 0;     ///< ns, CLOCK_MONOTONIC, of the latest change of state
    std::uint64_t birthTs = 0;   ///< ns, CLOCK_MONOTONIC; 0 = unknown
    std::uint64_t events = 0;    ///< captured up to the instant
    std::size_t firstStep = 0;   ///< in ReportedRun::steps
    std::size_t steps = 0;       ///< the latest ones
    std::uint64_t stepsCut = 0;  ///< events before them
};

/// Names by CoroutineState: "created", "runnable", ...
std::vector<std::string> stateNames();

struct StepLimits {
    std::size_t ofCoroutine = 1000;
    std::size_t inAll = 1'000'000;
};

struct ReportedRun {
    std::vector<std::string> texts;    ///< printable; the first one is empty
    std::vector<std::string> threads;  ///< "worker (5/11)": name, pid if there are several, and tid; empty = unknown
    std::vector<ReportedCoroutine> coroutines;  ///< by id
    std::vector<ReportedStep> steps;
    std::uint64_t notListed = 0;
    std::uint64_t alive = 0;
    std::uint64_t stepsCut = 0;   ///< events of listed coroutines that are no steps
    std::uint64_t startedAt = 0;  ///< ns, CLOCK_MONOTONIC, of the first birth or step
};

/// Reads the latest steps up to the verdict. Where they are too many, coroutines of findings come first, and the others
/// have equal limits. `resolver` may be null.
ReportedRun makeReportedRun(const CoroutineList &list, const Verdict &verdict, const Population &population,
                            const History &history, const AddressResolver *resolver, const StepLimits &limits = {});

}  // namespace ct
