// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of the dialects, the same in every table.
#pragma once

#include "core/stream/stream.h"

#include <array>
#include <string_view>

namespace ct {

/// By Dialect.
inline constexpr std::array<std::string_view, 4> kDialectNames{"unknown", "seqlock", "monotonic", "lane"};

constexpr std::string_view dialectName(Dialect dialect)
{
    const auto index = static_cast<std::size_t>(dialect);
    return index < kDialectNames.size() ? kDialectNames[index] : kDialectNames[0];
}

}  // namespace ct
