// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens copies of standard input, output and error, and of other inherited descriptors.
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>

namespace ct {

/// The descriptor that "-", /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N names; nullopt for every
/// other path. Only compares the name. Opening such a name would start at the beginning of a file that other processes
/// append to.
std::optional<int> outputStreamNamed(const std::string &path);

// These functions return a copy with a number above 2, close-on-exec. A stream that was closed at the start of the
// program is an error, even after fillStandardDescriptors() (app/descriptors.h) has opened /dev/null in its place.

Result<int> openStandardInput();
Result<int> openStandardOutput();
Result<int> openStandardError();

/// Returns such a copy of an inherited descriptor for writing. Standard input, and a descriptor that was not inherited,
/// are errors. `name`: the user's name for it.
Result<int> openInherited(int fd, const std::string &name);

}  // namespace ct
