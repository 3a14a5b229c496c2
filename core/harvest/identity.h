// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How records and lines name a coroutine (generation << 32 | index of its compact station), and a suspension point;
// and where records come from.
#pragma once

#include "core/trace/stream.h"
#include "corotracer/layout.h"

#include <cstdint>

namespace ct {

/// Where records come from.
struct LaneOrigin {
    std::uint32_t process = 0;  ///< index in the process table; untrusted
    std::uint32_t tid = 0;
    bool drained = false;  ///< an engine before us had read them
};

constexpr std::uint32_t indexOf(std::uint64_t identity)
{
    return static_cast<std::uint32_t>(identity);
}

constexpr std::uint32_t generationOf(std::uint64_t identity)
{
    return static_cast<std::uint32_t>(identity >> 32);
}

constexpr std::uint64_t identityOf(std::uint32_t generation, std::uint32_t index)
{
    return std::uint64_t{generation} << 32 | index;
}

/// Of the kind of a transition's record; a point that we do not know counts as an await.
constexpr PointKind pointOf(std::uint8_t untrustedKind)
{
    const std::uint8_t point = untrustedKind & 0x0F;
    return point <= corotracer::kYieldPoint ? static_cast<PointKind>(point) : PointKind::Await;
}

}  // namespace ct
