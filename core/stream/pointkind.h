// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of the kinds of suspension points, the same in every exported table.
#pragma once

#include "core/stream/stream.h"

#include <array>
#include <string_view>

namespace ct {

/// By PointKind.
inline constexpr std::array<std::string_view, 4> kPointKindNames{"await", "initial", "final", "yield"};

constexpr std::string_view pointKindName(PointKind kind)
{
    const auto index = static_cast<std::size_t>(kind);
    return index < kPointKindNames.size() ? kPointKindNames[index] : kPointKindNames[0];
}

}  // namespace ct
