// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of a recording as one file: its blocks as they are, without decoding them.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ct {

struct CopiedRecording {
    std::uint64_t transitions = 0;
    std::uint64_t bytes = 0;  ///< of the copy
};

/// Called now and then with 0..1; returning false cancels.
using CopyProgress = std::function<bool(double)>;

/// `from`: a recording, one of its files, or what its files are named after; an error where it is both. It may still be
/// written: what is there now is copied. Opened, the copy gives the same batches; what was damaged is missing and told
/// there as well. `to` is overwritten; after an error its content is of no use. Any thread.
Result<CopiedRecording> copyRecording(const std::string &from, const std::string &to,
                                      const CopyProgress &progress = {});

}  // namespace ct
