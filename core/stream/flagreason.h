// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of the reasons for flags, the same in every exported table.
#pragma once

#include "core/stream/stream.h"

#include <array>
#include <string_view>

namespace ct {

/// By Flag::Reason.
inline constexpr std::array<std::string_view, 2> kFlagReasonNames{"two_writers", "dialect_contradiction"};

constexpr std::string_view flagReasonName(Flag::Reason reason)
{
    return kFlagReasonNames[reason == Flag::Reason::TwoWriters ? 0 : 1];
}

}  // namespace ct
