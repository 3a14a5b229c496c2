// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The stacks of all living coroutines as texts: which coroutine awaits which, and what the innermost one does. Reports,
// the window and the answer to a signal show the same text.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/chaingroups.h"
#include "core/trace/population.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

/// Stacks of coroutines that look alike.
struct ReportedStack {
    std::uint64_t count = 0;
    std::string state;  ///< "waits for a lock"
    /// How long the first coroutine has been in this state, without times in which its process was stopped or not
    /// traced.
    std::uint64_t longestNs = 0;
    std::vector<std::string> links;  ///< innermost first: "async_read (net.cpp:88)"
    /// The coroutines of all these stacks: links.size() for each stack, innermost first.
    std::vector<CoroutineId> coroutines;
};

/// The groups with their locations, most frequent first. `resolver` gives locations that the target did not name, as
/// far as they are resolved; may be null. Stacks of addresses that turn out to have equal locations become one. `now`:
/// ns, CLOCK_MONOTONIC. Any thread.
std::vector<ReportedStack> reportedStacks(const std::vector<ChainGroup> &groups, std::uint64_t now,
                                          const Population &population, const AddressResolver *resolver);

/// The links as reports list them: equal ones in a row, as of a recursion, are one line with their number.
std::vector<std::string> foldedLinks(const ReportedStack &stack);
/// One entry of stacksText(), with a line feed at its end.
std::string stackText(const ReportedStack &stack);
/// The stacks as in `--report text`: several lines for each, with an empty line before. Empty without stacks.
std::string stacksText(const std::vector<ReportedStack> &stacks);

}  // namespace ct
