// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rest of a batch: all its rows but the transitions, which are most of it.
#pragma once

#include "core/stream/stream.h"

#include <cstddef>

namespace ct {

/// Approximate size of all rows but the transitions, in bytes. 0 = there are none.
std::size_t restBytesOf(const Batch &batch);
/// A copy of the batch without its transitions.
Batch restOf(const Batch &batch);

}  // namespace ct
