// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lines of a JSONL recording to which another run will be appended.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>

namespace ct {

/// LastIsOpen: the last line has no line feed.
enum class OldLines : std::uint8_t { Whole, LastIsOpen };

/// Returns an error if an appended run could not be read back: the file is not JSONL, or not compressed as its name
/// says, or its compressed data are damaged, or its last line is cut off. A file that is empty or not regular has no
/// old lines. Reads a compressed file to its end.
Result<OldLines> checkOldLines(const std::string &path);

}  // namespace ct
