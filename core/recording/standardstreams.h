// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Standard input and output as files of their own.
#pragma once

#include "core/result.h"

namespace ct {

// Each is a copy with a number above 2, close-on-exec. One that was closed when the program started is an error, also
// after settleDescriptors() (app/descriptors.h) has put something unusable in its place.

Result<int> openStandardInput();
Result<int> openStandardOutput();

}  // namespace ct
