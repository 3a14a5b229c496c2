// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Copies a recording into one file, completely or not at all.
#pragma once

#include "core/recording/library/recordingcopy.h"

namespace ct {

/// Writes a temporary file in the folder of `to` and renames it at the end: a cancelled or failed save leaves an
/// existing file as it was. `from`: as for copyRecording(). `to` must not be a recording that is being written or is
/// open. It must not have a name that belongs to the files of another recording ("x.ctr" next to "x.0.ctr"). Any
/// thread.
Result<CopiedRecording> saveRecording(const std::string &from, const std::string &to,
                                      const CopyProgress &progress = {});

}  // namespace ct
