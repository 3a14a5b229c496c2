// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps a recording as one file.
#pragma once

#include "core/recording/recordingcopy.h"

namespace ct {

/// Through a temporary file beside `to`, renamed at the end: a save that is cancelled or fails leaves what was there.
/// `from` as in copyRecording(); `to` may not be a recording that is being written or is open, nor be named like
/// the files of another one ("x.ctr" beside "x.0.ctr"). Any thread.
Result<CopiedRecording> saveRecording(const std::string &from, const std::string &to,
                                      const CopyProgress &progress = {});

}  // namespace ct
