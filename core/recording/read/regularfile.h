// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Opens a file that the user chose as a recording.
#pragma once

#include "core/base/result.h"

#include <string>

namespace ct {

/// Opens a regular file for reading; the caller owns the descriptor. Returns an error for anything else. Never waits
/// for the writer of a pipe with that name. `formats`: of the files that the caller can read, for errors.
Result<int> openRegularFile(const std::string &path, const std::string &formats = ".ctr or JSONL");

}  // namespace ct
