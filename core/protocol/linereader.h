// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads a compact station: a consistent copy of its two lines, while its coroutine goes on. Standard library only.
#pragma once

#include "corotracer/layout.h"

#include <cstdint>
#include <optional>

namespace ct {

/// A compact station at one moment. Raw clocks as the target wrote them. Untrusted.
struct LineCopy {
    std::uint32_t generation = 0;
    std::uint32_t life = 0;    ///< corotracer::kLineFree ...
    std::uint64_t events = 0;  ///< published so far; the latest has number events - 1
    std::uint64_t ts = 0;      ///< of the latest event, as all up to tid; 0 when events is 0
    std::uint64_t addr = 0;
    std::uint32_t site = 0;
    std::uint8_t kind = 0;
    std::uint64_t tid = 0;
    std::uint64_t deathTs = 0;
    std::uint64_t probeId = 0;
    std::uint64_t birthTs = 0;
    std::uint64_t name = 0;
    std::uint64_t parent = corotracer::kNoIdentity;
    std::uint32_t process = 0;
    bool latestTorn = false;  ///< its writer was interrupted in mid-event: events is right, what the event was is not
};

/// nullopt: it changed under each of a few readings (its coroutine is busy; come back later). A writer that stopped in
/// mid-event does not count: that gives latestTorn.
std::optional<LineCopy> readLine(const corotracer::StateLine &line, const corotracer::BirthLine &birth);

}  // namespace ct
