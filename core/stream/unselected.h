// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// What a selection leaves out of the stream of a run. It was captured, so it is neither lost nor missed.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <limits>
#include <unordered_map>

namespace ct {

/// Filled while the stream of the selection goes on, always ahead of it; complete when the stream ends.
struct Unselected {
    std::uint64_t from = 0;                                        ///< ns: the selection begins here
    std::uint64_t to = std::numeric_limits<std::uint64_t>::max();  ///< ns: and ends before this time
    std::uint64_t events = 0;
    std::uint64_t coroutines = 0;
    std::uint64_t causes = 0;  ///< Notes::causes()
    /// Number of the first selected event, for coroutines whose earlier events are not selected.
    std::unordered_map<CoroutineId, std::uint64_t> firstNumbers;
};

}  // namespace ct
