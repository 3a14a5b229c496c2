// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A batch that is too large for somebody, in pieces.
#pragma once

#include "core/trace/stream.h"

#include <cstddef>
#include <vector>

namespace ct {

struct PieceLimits {
    std::size_t transitions = 0;  ///< of a piece
    std::size_t rows = 0;         ///< of anything else in a piece
};

/// Pieces in the order of the stream: a sink that gets them sees what it would have seen of the whole. Losses come with
/// the transitions that follow them.
std::vector<Batch> piecesOf(const Batch &batch, const PieceLimits &limits);

}  // namespace ct
