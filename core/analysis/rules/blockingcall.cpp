// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Blocking call: a coroutine has had its thread for long without a suspension, and the thread sleeps in a system call.
#include "core/analysis/rules/occupants.h"

namespace ct::rules {

void findBlockingCalls(const Facts &facts, VerdictBuilder &verdict)
{
    addOccupants(facts, Rule::BlockingCall, true, verdict);
}

}  // namespace ct::rules
