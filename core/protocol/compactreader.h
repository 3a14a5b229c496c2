// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes a consistent copy of a compact station while its coroutine runs. Standard library only.
#pragma once

#include "corotracer/layout.h"

#include <cstdint>
#include <optional>

namespace ct {

/// A compact station at one moment: its state record and its birth record. All values are untrusted. Times are raw
/// clocks of the target's process. The fields of the latest event are 0 if `events` is 0 or `latestTorn` is set.
struct CompactCopy {
    std::uint32_t generation = 0;
    std::uint32_t life = 0;    ///< corotracer::kCompactFree ...
    std::uint64_t events = 0;  ///< events published in this generation; the latest has number events - 1
    std::uint64_t ts = 0;      ///< time of the latest event
    std::uint64_t addr = 0;    ///< address of the latest event
    std::uint32_t site = 0;    ///< site of the latest event
    std::uint8_t kind = 0;     ///< record kind of the latest event
    std::uint64_t tid = 0;     ///< thread of the latest event
    std::uint64_t deathTs = 0;
    std::uint64_t finishedTs = 0;  ///< 0 = it has not finished without a traced final suspension
    std::uint64_t probeId = 0;
    std::uint64_t birthTs = 0;
    std::uint64_t name = 0;
    std::uint64_t parent = corotracer::kNoIdentity;
    std::uint32_t process = 0;
    bool latestTorn = false;  ///< the writer stopped in the middle of the next event, so the latest event is unknown

    /// True if finishedTs belongs to this coroutine. Older probes leave the time of an earlier one there.
    bool hasFinished() const { return finishedTs != 0 && finishedTs >= birthTs; }
};

/// Returns nullopt if the station changed during every attempt, because its coroutine is busy. Call again later. If the
/// writer stopped in the middle of an event, returns a copy with latestTorn set.
std::optional<CompactCopy> readCompact(const corotracer::CompactState &state, const corotracer::CompactBirth &birth);

}  // namespace ct
