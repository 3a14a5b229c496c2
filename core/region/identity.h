// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decodes identities (generation << 32 | index of the compact station) and record kinds, and describes the origin of
// records.
#pragma once

#include "core/stream/stream.h"
#include "corotracer/layout.h"

#include <cstdint>

namespace ct {

/// The origin of a run of lane records.
struct LaneOrigin {
    std::uint32_t process = 0;  ///< index in the process table; untrusted
    std::uint32_t tid = 0;
    bool drained = false;  ///< retained records, which a previous engine has already read
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

/// Returns the point kind of a transition's record. An unknown kind counts as Await.
constexpr PointKind pointOf(std::uint8_t untrustedKind)
{
    const std::uint8_t point = untrustedKind & 0x0F;
    return point <= corotracer::kYieldPoint ? static_cast<PointKind>(point) : PointKind::Await;
}

}  // namespace ct
