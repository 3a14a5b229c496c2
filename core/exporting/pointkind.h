// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sorts of suspension points, as every exported table names them.
#pragma once

#include "core/trace/stream.h"

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
