// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of the dialects, the same in every table.
#pragma once

#include "core/stream/stream.h"

#include <string_view>

namespace ct {

constexpr std::string_view dialectName(Dialect dialect)
{
    switch (dialect) {
    case Dialect::Seqlock: return "seqlock";
    case Dialect::Monotonic: return "monotonic";
    case Dialect::Lane: return "lane";
    case Dialect::Unknown: break;
    }
    return "unknown";
}

}  // namespace ct
