// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens a file for output, whatever it is, and waits for nobody.
#pragma once

#include "core/result.h"

#include <string>

namespace ct {

/// A named pipe; links are followed.
bool isPipe(const std::string &path);

struct OpenedFile {
    int fd = -1;  ///< close-on-exec; writing to it may wait
    bool created = false;
};

/// What is there is not touched. A pipe that no process reads is an error (Busy). `problem`: what to say of other
/// errors. `onlyNew`: creates the file, for its owner alone, or fails.
Result<OpenedFile> openForWriting(const std::string &path, const std::string &problem, bool onlyNew = false);

}  // namespace ct
