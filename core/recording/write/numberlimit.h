// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Removes event numbers that the format cannot hold: 2^56 and larger (docs/recording.md). Only damaged regions have
// such numbers.
#pragma once

#include "core/stream/stream.h"

#include <cstddef>

namespace ct::ctr {

/// True if all numbers of the batch can be written.
bool fitsNumberRange(const Batch &batch);
/// Removes the rows that cannot be written. Returns how many of them were transitions.
std::size_t leaveOutBeyondRange(Batch &batch);

}  // namespace ct::ctr
