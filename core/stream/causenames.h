// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of the kinds of causes, the same in every text file and table.
#pragma once

#include "core/stream/stream.h"

#include <array>
#include <string_view>

namespace ct {

/// By WaitKind.
inline constexpr std::array<std::string_view, 7> kWaitKindNames{"unknown", "lock",      "channel", "descriptor",
                                                                "timer",   "coroutine", "other"};
/// By UseKind.
inline constexpr std::array<std::string_view, 3> kUseKindNames{"acquired", "released", "signalled"};

constexpr std::string_view waitKindName(WaitKind kind)
{
    return static_cast<std::size_t>(kind) < kWaitKindNames.size() ? kWaitKindNames[static_cast<std::size_t>(kind)]
                                                                  : kWaitKindNames[0];
}

constexpr std::string_view useKindName(UseKind kind)
{
    return static_cast<std::size_t>(kind) < kUseKindNames.size() ? kUseKindNames[static_cast<std::size_t>(kind)]
                                                                 : kUseKindNames.back();
}

/// The number of objects that must come to end a wait: the only "one", "any" of several, or "all" of them.
constexpr std::string_view waitModeName(const WaitsOn &waits)
{
    return waits.part == 0 ? "one" : waits.isForAll() ? "all" : "any";
}

/// The object of a wait is a number, not an address.
constexpr bool isNumberOfObject(WaitKind kind)
{
    return kind == WaitKind::Descriptor || kind == WaitKind::Timer;
}

}  // namespace ct
