// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Copies a recording into one file, as a whole or not at all.
#pragma once

#include "core/recording/library/recordingcopy.h"

namespace ct {

/// Returns an error if `to` is a recording that is being written or is open, or if its name belongs to the files of
/// another recording ("x.ctr" next to "x.0.ctr").
Result<void> checkRecordingName(const std::string &to);

/// Writes a temporary file in the folder of `to` and renames it at the end, so a cancelled or failed save leaves an
/// existing file unchanged. `from`: as for copyRecording(). `to`: see checkRecordingName(). Any thread.
Result<CopiedRecording> saveRecording(const std::string &from, const std::string &to,
                                      const CopyProgress &progress = {});

}  // namespace ct
