// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Lists the blocks of one file of a recording without reading all of it.
#pragma once

#include "core/recording/read/blockreader.h"

#include <vector>

namespace ct::ctr {

/// The blocks of a file.
struct BlockSurvey {
    std::vector<BlockLocation> blocks;  ///< without the End block
    std::vector<Damage> damages;        ///< empty when the blocks come from the index
    bool hasEnded = false;              ///< the recording was ended in order
};

/// Lists the blocks: from the index at the end of the file, else by a walk from head to head. The walk reads a payload
/// only where no block follows it. Afterwards, `reader` is at the first block, without damages, and the payload of its
/// latest block is invalid. The reader must not follow a file that is being written. Errors come from the system.
Result<BlockSurvey> surveyBlocks(BlockReader &reader);

}  // namespace ct::ctr
