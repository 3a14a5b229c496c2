// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Estimates how much a selection of a trace has.
#pragma once

#include "core/exporting/traceselection.h"
#include "core/trace/history.h"

#include <cstdint>

namespace ct {

struct RowEstimate {
    std::uint64_t events = 0;
    std::uint64_t coroutines = 0;
    std::uint64_t causes = 0;  ///< Notes::causes()
    bool isExact = true;       ///< of events and coroutines
};

/// Takes some milliseconds: examines only a sample of many coroutines, and assumes that the events of a coroutine are
/// spread evenly over its life. `now`: ns, CLOCK_MONOTONIC, the end of the trace. Any thread.
RowEstimate estimateRows(const Population &population, const History &history, const TraceSelection &selection,
                         std::uint64_t now);

}  // namespace ct
