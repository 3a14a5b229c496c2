// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --batch --input REGION --export KIND: what a dead process left in its region, converted like a recording.
#pragma once

#include "app/commandline/commandline.h"

#include <functional>

namespace ct {

/// Captures the region with `capture` into a recording without a name, in the folder of the first output, and converts
/// that. So the outputs are whole, or nothing. `capture` returns an exit status. Returns the exit status.
int convertRegion(const CommandLine &line, const std::function<int(const CommandLine &)> &capture);

}  // namespace ct
