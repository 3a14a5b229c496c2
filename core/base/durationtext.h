// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Durations for people, in texts that are not translated.
#pragma once

#include <cstdint>
#include <string>

namespace ct {

/// Returns "3.20 s", "14.1 ms", "120 us" or "7 ns": three significant digits.
std::string durationText(std::uint64_t ns);

}  // namespace ct
