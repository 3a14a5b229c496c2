// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A verdict with everything that a report says about it, as a value: the locations resolved, the findings of one
// location together, and a fingerprint for each.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/finding.h"
#include "core/reporting/locations.h"
#include "core/reporting/reportedrun.h"
#include "core/reporting/stacks.h"
#include "core/trace/population.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

struct ReportedFinding {
    Finding finding;
    std::string function;  ///< empty if not known, as the file
    std::string file;
    std::uint32_t line = 0;  ///< 1-based; 0 = unknown
    std::uint32_t pid = 0;   ///< of its coroutines; 0 = it has none, or those of several processes
    std::string process;     ///< name and pid of that process; empty if the run has only one
    /// 16 hexadecimal digits, the same in every run of a program until its function is renamed. It depends on the rule,
    /// the function and the name of the file, and not on the line or the process.
    std::string fingerprint;
    std::vector<std::string> names;  ///< names of the first coroutines, as many as kMostNames; empty ones included
    static constexpr std::size_t kMostNames = 100;
};

struct Report {
    std::string target;            ///< name of the program or the recording
    std::uint64_t judgedAt = 0;    ///< ns, CLOCK_MONOTONIC
    std::uint64_t coroutines = 0;  ///< born so far
    std::uint64_t events = 0;      ///< captured so far
    std::uint64_t lost = 0;
    std::vector<ReportedFinding> findings;  ///< in the order of the verdict
    std::vector<Abstention> abstained;
    std::vector<ReportedStack> stacks;  ///< of all coroutines that are alive, most frequent first
    /// The coroutines of the run, one by one. Empty unless the format lists them (ReportFormat::listsCoroutines).
    ReportedRun run;
};

/// `stacks`: those of the instant of the verdict. `resolver` gives locations that the target did not name, as far as
/// they are resolved; may be null. Findings that turn out to have one location become one.
Report makeReport(const Verdict &verdict, const std::vector<ChainGroup> &stacks, const Population &population,
                  const AddressResolver *resolver, const std::string &target);

/// The addresses that makeReport() would like to have resolved, those of the findings first; at most kMostQueries.
std::vector<AddressResolver::Query> openLocations(const Verdict &verdict, const std::vector<ChainGroup> &stacks,
                                                  const Population &population);
inline constexpr std::size_t kMostQueries = AddressResolver::kMostWaiting / 2;

// Texts for people. Names from the target are changed so that they are safe to print.

/// "async_read (net.cpp:88)", or an address, or "an unknown location".
std::string locationText(const ReportedFinding &reported);
/// "3 coroutines suspended in async_read (net.cpp:88): channel 0x10 was signalled 1.20 s ago, and no waiter was woken".
/// In a run of several processes: "3 coroutines of process server (4711) suspended in ...".
std::string sentenceOf(const ReportedFinding &reported);
/// "server: 12 coroutines, 3456 events, 0 lost", with a line feed.
std::string summaryLine(const Report &report);
std::string confidenceText(double confidence);  ///< "95 %"

}  // namespace ct
