// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// After death: a coroutine was woken after it was destroyed. Whoever woke it still has a handle, and used freed memory.
#include "core/analysis/rules/rules.h"
#include "core/base/quantitytext.h"

namespace ct::rules {

namespace {

/// A thread can lose its processor between the wake and the report of it. A wake that is earlier than this after the
/// death may have been before it.
constexpr std::uint64_t kShortestNs = 1'000'000;

}  // namespace

void findUsesAfterDeath(const Facts &facts, VerdictBuilder &verdict)
{
    std::size_t examples = 0;
    for (const EndedCoroutines::WokenLate &late : facts.ended().wokenLate()) {
        const std::uint64_t afterNs = late.wake.ts - late.deathTs;
        if (late.wake.ts > facts.now() || afterNs < kShortestNs || examples == Facts::kMostExamples)
            continue;
        ++examples;
        const bool isSure = afterNs >= facts.thresholds().afterDeathNs;
        const CoroutineSnapshot snapshot = facts.population().at(late.coroutine);
        VerdictBuilder::Suspect suspect;
        suspect.rule = Rule::AfterDeath;
        suspect.severity = isSure ? Severity::Error : Severity::Info;
        suspect.confidence = isSure ? 0.9 : 0.5;
        suspect.coroutine = late.coroutine;
        suspect.site = snapshot.site;
        suspect.addr = snapshot.site == kUnknownSite ? snapshot.addr : 0;
        suspect.since = late.wake.ts;
        suspect.message = "woken " + durationText(afterNs) + " after it was destroyed";
        suspect.evidence.push_back(wakerText(facts.population(), late.wake));
        if (!isSure)
            suspect.evidence.push_back("so short after the death, the report of an earlier wake may only be late");
        verdict.add(std::move(suspect));
    }
}

}  // namespace ct::rules
