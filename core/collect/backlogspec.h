// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How much may wait between a target and the decoder. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ct {

struct BacklogSpec {
    std::optional<std::uint64_t> bytes;  ///< of memory; unset = ChunkPool::usualBudget()
    std::string spillFolder;             ///< where what exceeds the memory may go; empty = nowhere
};

}  // namespace ct
