// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a batch run found, as a value, and its two forms: JSON for programs, lines for people. Qt-free.
#pragma once

#include "core/analysis/stuck.h"
#include "core/session/places.h"
#include "core/trace/population.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ct {

struct FoundCoroutine {
    CoroutineId coroutine = kNoCoroutine;
    std::uint64_t probeId = 0;
    std::uint64_t suspendedNs = 0;
    std::uint64_t addr = 0;  ///< as the target wrote it; 0 = it wrote none
};

/// Stuck coroutines of one place. Texts are copied: the population goes on changing.
struct FoundGroup {
    std::string site;       ///< "file:line function", "function", "0x..." or "unknown"
    std::string shortSite;  ///< "function file:line", names without path and signature
    std::string remedy;     ///< why it is an address alone, and what to do; empty =
                            ///< it is not, or nobody knows
    std::optional<std::uint64_t> usualNs;
    std::uint64_t longestNs = 0;
    std::vector<FoundCoroutine> coroutines;  ///< longest first
};

/// Judges at `now` (ns, CLOCK_MONOTONIC); any thread, while the stream goes on. `places`: what is known of addresses;
/// may be null.
std::vector<FoundGroup> findAt(const Population &population, std::uint64_t now, const Places *places = nullptr);
/// The same of what was judged before.
std::vector<FoundGroup> groupsOf(const std::vector<StuckGroup> &found, const Population &population,
                                 const Places *places = nullptr);

/// A judgement: when it was made, and how many coroutines were stuck then.
struct StuckInstant {
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t coroutines = 0;
};
/// Coroutines in all groups.
std::uint64_t stuckIn(const std::vector<StuckGroup> &groups);

struct Summary {
    Accounting accounting;
    std::size_t processes = 0;  ///< that wrote into the region, whether they live or not
    std::uint64_t durationNs = 0;
    std::optional<int> exitCode;  ///< of a launched target that exited
    std::optional<int> signal;    ///< that killed a launched target
    std::string endedBy;          ///< exit, duration, signal
    /// Of the judgement when the end was decided; without one, of that at the end.
    std::vector<FoundGroup> stuck;
    std::optional<StuckInstant> stuckWhenDecided;  ///< the target was ended by us: just before
    StuckInstant stuckAtEnd;                       ///< at the end of the stream, as in its recording
    std::string regionPath;
    bool regionKept = false;
    std::vector<std::string> dumps;       ///< files, in order
    std::uint64_t findingsNotDumped = 0;  ///< stuck coroutines that no dump was made for
    std::uint64_t namesNotKept = 0;       ///< names that memory had no room for
    std::uint64_t eventsNotWritten = 0;   ///< captured ones that are not in the output file
    std::string captureError;             ///< empty: the region could be read to the end
    std::string outputError;              ///< empty: what was asked for was written
};

/// One JSON object, with a line break at the end.
std::string toJson(const Summary &summary);

/// "stuck when the end was decided: 15 coroutines; at the end of the run, 312 ms later: 21"; empty: none at all.
std::string describeInstants(const Summary &summary);
/// "47 coroutines at async_read server.cpp:88, longest 4.2 s, usually 1.1 ms"
std::string describe(const FoundGroup &group);
/// "1234 events of 10 coroutines in 1.2 s; lost 0, untraced 0, missed before attach 0"
std::string describe(const Accounting &accounting, std::uint64_t durationNs, std::uint64_t namesNotKept = 0);
/// Three significant digits and a unit.
std::string durationText(std::uint64_t ns);

}  // namespace ct
