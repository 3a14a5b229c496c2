// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A summary of one file of a recording, from its beginning and its end. It reads some KiB, however large the file is.
#pragma once

#include "core/base/result.h"
#include "core/recording/format/recordinginfo.h"

#include <cstdint>
#include <string>

namespace ct {

struct RecordingSummary {
    std::uint64_t recording = 0;
    std::uint32_t segment = 0;
    std::uint64_t begun = 0;    ///< when the recording began: ns since 1970
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC: beginning of the run if known, else of the file; 0 = unknown
    std::uint64_t lastTs = 0;   ///< ns, CLOCK_MONOTONIC: the latest time in the file; 0 = unknown
    /// In all blocks of the index. Without an index: up to the last good block, including events lost before it.
    std::uint64_t transitions = 0;
    bool ended = false;  ///< the file was ended in order
    RecordingInfo info;  ///< facts about the run, from the first block
};

/// Reads the summary of a file. Returns an error when the file is no recording. Does not see damage in its middle.
Result<RecordingSummary> readRecordingSummary(const std::string &path);

}  // namespace ct
