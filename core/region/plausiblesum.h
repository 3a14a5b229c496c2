// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums in a region are untrusted: a target can overwrite them.
#pragma once

#include <cstdint>

namespace ct {

/// Sums from here on are not believed.
inline constexpr std::uint64_t kImplausibleSum = std::uint64_t{1} << 48;

/// Returns the sum, or 0 if it cannot be true.
constexpr std::uint64_t plausible(std::uint64_t sum_untrusted)
{
    return sum_untrusted < kImplausibleSum ? sum_untrusted : 0;
}

}  // namespace ct
