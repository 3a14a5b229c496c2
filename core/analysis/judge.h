// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The diagnosis: applies all rules at one instant.
#pragma once

#include "core/analysis/facts.h"
#include "core/analysis/finding.h"

namespace ct {

/// Judges the run at time `now` (ns, CLOCK_MONOTONIC), without side effects. Any thread. The verdict depends only on
/// the stream up to now: a live run and its recording have the same one.
Verdict judge(const Subject &subject, std::uint64_t now, const Thresholds &thresholds = {});

}  // namespace ct
