// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Standard input, output and error, and other inherited descriptors, as files of their own.
#pragma once

#include "core/result.h"

#include <optional>
#include <string>

namespace ct {

/// The descriptor that "-", /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N names; nullopt for every
/// other path.
/// By the name alone. Opening such a name again would begin at the start of a file that others append to.
std::optional<int> outputStreamNamed(const std::string &path);

// Each is a copy with a number above 2, close-on-exec. One that was closed when the program started is an error, also
// after settleDescriptors() (app/descriptors.h) has put something unusable in its place.

Result<int> openStandardInput();
Result<int> openStandardOutput();
Result<int> openStandardError();

/// A copy as above, of any descriptor `fd` that the program inherited, for writing: standard input is an error. `name`:
/// how the user named it.
Result<int> openInherited(int fd, const std::string &name);

}  // namespace ct
