// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Durations and shares for people, in texts that are not translated.
#pragma once

#include <cstdint>
#include <string>

namespace ct {

/// Returns "3.20 s", "14.1 ms", "120 us" or "7 ns": three significant digits.
std::string durationText(std::uint64_t ns);

/// Returns "0.0012 %" for a share of 0.000012: two significant digits, but without an exponent.
std::string percentText(double share);

}  // namespace ct
