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
    bool areCausesExact = true;
};

/// Takes some milliseconds: examines only a sample of many coroutines. `hasRecording`: evicted events can be exported;
/// those in a time range are assumed to be spread evenly over the life of their coroutine. Any thread.
RowEstimate estimateRows(const Population &population, const History &history, const TraceSelection &selection,
                         bool hasRecording);

}  // namespace ct
