// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Opens what somebody named as a recording.
#pragma once

#include "core/result.h"

#include <string>

namespace ct {

/// A descriptor for reading, which is the caller's. An error where there is no file, or something else: it never waits
/// for who may write into a pipe of that name.
Result<int> openRegularFile(const std::string &path);

}  // namespace ct
