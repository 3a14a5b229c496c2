// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/finding.h"

#include <array>
#include <string_view>

namespace ct {

/// What a rule finds, in one sentence without a full stop.
constexpr std::string_view descriptionOf(Rule rule)
{
    constexpr std::array<std::string_view, kRules> kDescriptions = {
        "what a coroutine waits for was satisfied, and no wake followed",
        "a coroutine was woken, and no thread has resumed it",
        "a wake came before the suspension was published, and was lost",
        "all threads wait without a time limit, and so do coroutines",
        "coroutines wait for one another in a cycle",
        "ever more coroutines of a function live longer than all that ended",
        "a runnable coroutine waits long for a thread",
        "a coroutine runs long without suspending",
        "a coroutine blocks its thread in a system call",
        "a coroutine was created, and nothing is left that would start it",
        "two threads resumed a coroutine for one suspension",
        "a coroutine was used after it was destroyed",
        "data are missing, so some findings may be missing",
    };
    return kDescriptions.at(static_cast<std::size_t>(rule));
}

}  // namespace ct
