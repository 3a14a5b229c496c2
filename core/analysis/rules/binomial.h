// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bounds for a share that was counted.
#pragma once

#include <cstdint>

namespace ct::rules {

/// True if the share of which `count` of `all` trials are a sample is at most `share`, with an error of at most `doubt`
/// (both 0..1, exclusive). The exact upper bound of Clopper and Pearson (1934): the probability of so few or fewer is
/// at most `doubt` if the share is `share`. For large samples, the bound of Chernoff (1952), which is a little
/// stricter.
bool isShareBelow(std::uint64_t count, std::uint64_t all, double share, double doubt);

}  // namespace ct::rules
