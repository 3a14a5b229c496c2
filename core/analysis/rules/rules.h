// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules, one file each. A rule reads the facts, and adds what it finds and what it could not judge.
// docs/diagnosis.md has a section about each: thresholds, data it needs, and how it can be wrong.
#pragma once

#include "core/analysis/facts.h"
#include "core/analysis/verdictbuilder.h"

namespace ct::rules {

void findLostWakeups(const Facts &facts, VerdictBuilder &verdict);  ///< by causes that the target reported
void findLateWaits(const Facts &facts, VerdictBuilder &verdict);    ///< lost wake-ups without causes
/// Lost wake-ups without causes: coroutines that only one another have ever woken.
void findMutualWaits(const Facts &facts, VerdictBuilder &verdict);
void findNeverRun(const Facts &facts, VerdictBuilder &verdict);
void findLostWakeRaces(const Facts &facts, VerdictBuilder &verdict);
void findDeadlocks(const Facts &facts, VerdictBuilder &verdict);
void findStalls(const Facts &facts, VerdictBuilder &verdict);
void findStarvation(const Facts &facts, VerdictBuilder &verdict);  ///< after findNeverRun(), whose coroutines it leaves
void findLongRuns(const Facts &facts, VerdictBuilder &verdict);
void findBlockingCalls(const Facts &facts, VerdictBuilder &verdict);
void findNeverStarted(const Facts &facts, VerdictBuilder &verdict);
void findLeaks(const Facts &facts, VerdictBuilder &verdict);
void findDoubleResumes(const Facts &facts, VerdictBuilder &verdict);
void findUsesAfterDeath(const Facts &facts, VerdictBuilder &verdict);
void findGaps(const Facts &facts, VerdictBuilder &verdict);  ///< rule capture

}  // namespace ct::rules
