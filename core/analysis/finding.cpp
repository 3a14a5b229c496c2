// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/finding.h"

#include <array>

namespace ct {

std::string_view nameOf(Rule rule)
{
    static constexpr std::array<std::string_view, kRules> kNames = {
        "lost-wakeup", "never-run",     "lost-wake-race", "stall",         "deadlock",    "leak",   "starvation",
        "long-run",    "blocking-call", "never-started",  "double-resume", "after-death", "capture"};
    return kNames.at(static_cast<std::size_t>(rule));
}

std::string_view nameOf(Severity severity)
{
    static constexpr std::array<std::string_view, 3> kNames = {"info", "warning", "error"};
    return kNames.at(static_cast<std::size_t>(severity));
}

}  // namespace ct
