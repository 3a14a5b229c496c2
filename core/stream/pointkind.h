// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of the kinds of suspension points, the same in every exported table.
#pragma once

#include "core/stream/stream.h"

#include <string_view>

namespace ct {

constexpr std::string_view pointKindName(PointKind kind)
{
    switch (kind) {
    case PointKind::Await: return "await";
    case PointKind::Initial: return "initial";
    case PointKind::Final: return "final";
    case PointKind::Yield: return "yield";
    }
    return "await";
}

}  // namespace ct
