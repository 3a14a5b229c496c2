// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens a regular file, device or pipe for output without blocking, also if no process reads the pipe yet.
#pragma once

#include "core/base/result.h"

#include <string>

namespace ct {

/// True if `path` is a named pipe. Follows links.
bool isPipe(const std::string &path);

struct OpenedFile {
    int fd = -1;           ///< close-on-exec; writes may block
    bool created = false;  ///< the file did not exist
};

/// Leaves existing contents unchanged. A pipe that no process reads is an error (Busy); the message of any other error
/// begins with `problem` and ends with a remedy. `onlyNew`: creates the file with mode 0600, and fails if it exists.
Result<OpenedFile> openForWriting(const std::string &path, const std::string &problem, bool onlyNew = false);

}  // namespace ct
