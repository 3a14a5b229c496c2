// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What one file of a recording holds, as its beginning and its end tell: some KiB are read, however large it is.
#pragma once

#include "core/recording/recordinginfo.h"
#include "core/result.h"

#include <cstdint>
#include <string>

namespace ct {

struct RecordedFile {
    std::uint64_t recording = 0;
    std::uint32_t segment = 0;
    std::uint64_t begun = 0;    ///< the recording; ns since 1970
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC; of the recording where that is told. 0 = unknown
    std::uint64_t lastTs = 0;   ///< 0 = unknown
    /// In the blocks of which the index tells; without one: up to the last good block, with what was lost before it.
    std::uint64_t transitions = 0;
    bool ended = false;  ///< in order
    RecordingInfo info;  ///< what it begins with
};

/// An error when it is no recording. What is in the middle is not looked at: it may be damaged.
Result<RecordedFile> glanceAt(const std::string &path);

}  // namespace ct
