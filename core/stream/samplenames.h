// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of the states, calls and kinds in samples, the same in every table.
#pragma once

#include "core/stream/evidence.h"

#include <array>
#include <string_view>

namespace ct {

/// By ThreadState.
inline constexpr std::array<std::string_view, 7> kThreadStateNames{"unknown", "running", "sleeping", "uninterruptible",
                                                                   "stopped", "traced",  "ended"};
/// By ThreadCall.
inline constexpr std::array<std::string_view, 11> kThreadCallNames{
    "unknown", "none", "futex", "epoll", "poll", "sleep", "descriptor", "process", "signal", "ring", "other"};
/// By DescriptorKind.
inline constexpr std::array<std::string_view, 12> kDescriptorKindNames{"unknown",  "closed", "removed",  "epoll",
                                                                       "timer",    "event",  "signal",   "socket",
                                                                       "listener", "pipe",   "terminal", "other"};

/// Values of a damaged file beyond the table are unknown.
template <class Value, std::size_t kCount>
constexpr std::string_view nameIn(const std::array<std::string_view, kCount> &names, Value value)
{
    return static_cast<std::size_t>(value) < kCount ? names[static_cast<std::size_t>(value)] : names[0];
}

constexpr std::string_view threadStateName(ThreadState state)
{
    return nameIn(kThreadStateNames, state);
}
constexpr std::string_view threadCallName(ThreadCall call)
{
    return nameIn(kThreadCallNames, call);
}
constexpr std::string_view descriptorKindName(DescriptorKind kind)
{
    return nameIn(kDescriptorKindNames, kind);
}

}  // namespace ct
