// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The result of a batch run as a value, with its two forms: JSON for programs, text for people. Qt-free.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/stuck.h"
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
    std::uint64_t addr = 0;  ///< as the target published it; 0 = none
    std::string name;        ///< that the target gave it; empty = none
    Rule rule = Rule::LostWakeup;
};

/// Stuck coroutines of one site. Texts are copied, because the population changes.
struct FoundGroup {
    std::string site;       ///< "file:line function", "function", "0x..." or "unknown"
    std::string shortSite;  ///< "function file:line", names without path and signature
    /// Why only the address is known, and the remedy. Empty: the location is known, or the reason is not.
    std::string remedy;
    std::optional<std::uint64_t> usualNs;
    std::uint64_t longestNs = 0;
    std::vector<FoundCoroutine> coroutines;  ///< longest first
};

/// Any thread, while the stream continues. `resolver`: has the locations that are resolved so far; may be null.
std::vector<FoundGroup> groupsOf(const std::vector<StuckGroup> &found, const Population &population,
                                 const AddressResolver *resolver = nullptr);

/// The time of a judgement, and the number of coroutines that were stuck.
struct StuckInstant {
    std::uint64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    std::uint64_t coroutines = 0;
};
/// Returns the number of coroutines in all groups.
std::uint64_t stuckIn(const std::vector<StuckGroup> &groups);

struct Summary {
    Accounting accounting;
    std::size_t processes = 0;  ///< processes that wrote into the region, alive or not
    std::uint64_t durationNs = 0;
    std::optional<int> exitCode;  ///< exit status of a launched target
    std::optional<int> signal;    ///< signal that killed a launched target
    std::string endedBy;          ///< exit, duration, signal
    /// From the judgement when the end was decided, or else from that at the end of the stream.
    std::vector<FoundGroup> stuck;
    std::optional<StuckInstant> stuckWhenDecided;  ///< just before this program ended the target; else empty
    StuckInstant stuckAtEnd;                       ///< at the end of the stream, where its recording is judged
    std::vector<Abstention> abstained;             ///< what could not be judged
    std::string regionPath;
    bool regionKept = false;
    std::vector<std::string> dumps;       ///< files, in order
    std::uint64_t findingsNotDumped = 0;  ///< stuck coroutines without a dump
    std::uint64_t overflowNames = 0;      ///< names that memory had no room for
    std::uint64_t eventsNotWritten = 0;   ///< captured events that are not in the output file
    std::string captureError;             ///< empty: the region could be read to the end
    std::string outputError;              ///< empty: all requested output was written
};

/// One JSON object, with a line break at the end.
std::string toJson(const Summary &summary);

/// "stuck when the end was decided: 15 coroutines; at the end of the run, 312 ms later: 21"; empty if none was stuck.
std::string describeInstants(const Summary &summary);
/// "47 coroutines at async_read server.cpp:88, longest 4.2 s, usually 1.1 ms"
std::string describe(const FoundGroup &group);
/// "1234 events of 10 coroutines in 1.2 s; lost 0, untraced 0, missed before attach 0"
std::string describe(const Accounting &accounting, std::uint64_t durationNs, std::uint64_t overflowNames = 0);

}  // namespace ct
