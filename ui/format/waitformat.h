// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What coroutines wait on, hold and are woken by, as text.
#pragma once

#include "core/trace/population.h"

#include <QString>

#include <vector>

namespace ct::format {

/// "lock 0x7ffd1234", "timer, in 1.2 s", "descriptor 7", "coroutine parse #17". The first of several objects of a wait
/// is followed by "or another object".
QString waitsOn(const Population &population, const WaitsOn &wait, std::uint64_t now);
/// "lock 0x7ffd1234", "any of: lock 0x7ffd1234; timer, in 1.2 s". Empty without objects.
QString waits(const Population &population, const std::vector<WaitsOn> &objects, std::uint64_t now);
/// Tooltip of the object that a coroutine waits on.
QString waitsOnToolTip();

/// "by parse #17, 1.2 s ago, from thread worker-3 (28667)".
QString wake(const Population &population, const Wake &wake, std::uint64_t now);

/// "0x7ffd1234 for 1.2 s, acquired at cache.cpp:88".
QString acquisition(const Population &population, const Use &use, std::uint64_t now);
/// Who has acquired an object: "parse #17", "thread worker-3 (28667)".
QString holder(const Population &population, const Use &use);

}  // namespace ct::format
