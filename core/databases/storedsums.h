// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sums of a run in the table trace_info: their names and the members of Accounting.
#pragma once

#include "core/stream/accounting.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace ct {

struct StoredSum {
    std::string_view name;
    std::uint64_t (*get)(const Accounting &sums);
    void (*set)(Accounting &sums, std::uint64_t value);
};

std::span<const StoredSum> storedSums();

// Other rows of trace_info.
inline constexpr std::string_view kFormatName = "format";               ///< version of the tables
inline constexpr std::string_view kDroppedName = "dropped_events";      ///< numbers missing without a loss
inline constexpr std::string_view kObservedName = "observed_until_ts";  ///< ns, CLOCK_MONOTONIC: the latest pass
inline constexpr std::string_view kJudgedName = "judged_ts";   ///< ns, CLOCK_MONOTONIC, of the findings; 0: not judged
inline constexpr std::string_view kCompleteName = "complete";  ///< 0 until the end
/// 1: only a part of the run was read when it was exported. Only the session of such a part has the row.
inline constexpr std::string_view kPartName = "part_of_a_recording";
/// Only the session of a selection has the row.
inline constexpr std::string_view kCoroutinesNotSelectedName = "coroutines_not_selected";
/// The number of events that the exported coroutines had before the selected time range. The session lacks these events
/// because of the selection: they were not lost.
inline constexpr std::string_view kNotSelectedBeforeName = "events_not_selected_before";
inline constexpr std::uint64_t kFormat = 4;

}  // namespace ct
