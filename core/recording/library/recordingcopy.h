// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Copies the segments of a recording into one file. The blocks stay as they are, and are not decoded.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ct {

struct CopiedRecording {
    std::uint64_t transitions = 0;
    std::uint64_t bytes = 0;  ///< size of the copy
};

/// Called repeatedly with the progress, 0..1. Returning false cancels the copy.
using CopyProgress = std::function<bool(double)>;

/// `from`: a recording, one of its segments, or the name of its segments. A name that means two recordings is an error.
/// A recording that is being written is copied up to its present end. The copy has the same batches, and its readers
/// report the same damage. `to` is overwritten; after an error its content is useless. Any thread.
Result<CopiedRecording> copyRecording(const std::string &from, const std::string &to,
                                      const CopyProgress &progress = {});

}  // namespace ct
