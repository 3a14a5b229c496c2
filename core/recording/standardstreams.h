// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Standard input, output and error as files of their own.
#pragma once

#include "core/result.h"

#include <optional>
#include <string>

namespace ct {

/// The descriptor that "-", /dev/stdout, /dev/stderr and their like stand for: 1 or 2; nullopt for every other path.
/// By the name alone. Opening such a name again would begin at the start of a file that others append to.
std::optional<int> outputStreamNamed(const std::string &path);

// Each is a copy with a number above 2, close-on-exec. One that was closed when the program started is an error, also
// after settleDescriptors() (app/descriptors.h) has put something unusable in its place.

Result<int> openStandardInput();
Result<int> openStandardOutput();
Result<int> openStandardError();

}  // namespace ct
