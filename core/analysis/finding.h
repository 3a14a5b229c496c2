// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a judgement says: findings, and what it could not judge. See docs/diagnosis.md.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// The rules of the diagnosis, in the order of reports. Each has a file in core/analysis/rules.
enum class Rule : std::uint8_t {
    LostWakeup,
    NeverRun,
    LostWakeRace,
    Stall,
    Deadlock,
    Leak,
    Starvation,
    LongRun,
    BlockingCall,
    NeverStarted,
    DoubleResume,
    AfterDeath,
    Capture,
};
inline constexpr std::size_t kRules = 13;

/// The name of a rule in options, reports and docs: "lost-wakeup".
std::string_view nameOf(Rule rule);

enum class Severity : std::uint8_t {
    Info,     ///< unusual; a healthy program may do this
    Warning,  ///< probably a defect
    Error,    ///< a defect, as far as the reports of the target are true
};
std::string_view nameOf(Severity severity);

/// A rule's judgement of some coroutines at one site.
struct Finding {
    Rule rule = Rule::LostWakeup;
    Severity severity = Severity::Info;
    double confidence = 0;                ///< 0..1: how sure the rule is
    std::vector<CoroutineId> coroutines;  ///< longest first; empty: the finding is of the whole run
    SiteId site = kUnknownSite;           ///< where they are suspended, or what `rule` states
    std::uint64_t addr = 0;               ///< as `site`, where no site is known
    std::uint64_t since = 0;              ///< ns, CLOCK_MONOTONIC: since when the first of them is in this state
    std::string message;                  ///< one sentence about the first coroutine, without its location
    std::vector<std::string> evidence;    ///< further sentences: what the message rests on
};

/// What a rule could not judge, because data were missing.
struct Abstention {
    Rule rule = Rule::LostWakeup;
    std::string reason;       ///< one sentence
    std::uint64_t count = 0;  ///< coroutines, or 1 for a whole run
};

struct Verdict {
    std::uint64_t judgedAt = 0;  ///< ns, CLOCK_MONOTONIC
    /// By severity, then in the order of the rules, then with the most coroutines first.
    std::vector<Finding> findings;
    std::vector<Abstention> abstained;  ///< in the order of the rules
};

}  // namespace ct
