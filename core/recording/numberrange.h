// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Event numbers that the format cannot hold (docs/recording.md: smaller than 2^56). No program gets there; a region
// whose contents are damaged may say so.
#pragma once

#include "core/trace/stream.h"

#include <cstddef>

namespace ct::ctr {

/// Whether all numbers of the batch can be written.
bool fitsNumberRange(const Batch &batch);
/// Leaves out the rows that cannot. Returns how many transitions were among them.
std::size_t leaveOutBeyondRange(Batch &batch);

}  // namespace ct::ctr
