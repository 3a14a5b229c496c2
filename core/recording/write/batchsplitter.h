// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Divides a batch that is too large into pieces.
#pragma once

#include "core/stream/stream.h"

#include <cstddef>
#include <vector>

namespace ct {

struct PieceLimits {
    std::size_t transitions = 0;  ///< limit for one piece
    std::size_t rows = 0;         ///< limit for the rows of any other sort in one piece
};

/// Returns the pieces in the order of the stream. For a sink, they are equal to the whole batch. Losses come with the
/// transitions that follow them.
std::vector<Batch> piecesOf(const Batch &batch, const PieceLimits &limits);

}  // namespace ct
