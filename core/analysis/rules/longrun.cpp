// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Long run: a coroutine has had its thread for long without a suspension, and computes.
#include "core/analysis/rules/occupants.h"

namespace ct::rules {

void findLongRuns(const Facts &facts, VerdictBuilder &verdict)
{
    addOccupants(facts, Rule::LongRun, false, verdict);
}

}  // namespace ct::rules
