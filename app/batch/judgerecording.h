// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --batch --input FILE: judges a recording, without a window.
#pragma once

#include "app/commandline/commandline.h"

namespace ct {

/// Reads the recording up to the instant at which its run was judged, or else to its end, judges, and reports. The
/// verdict equals that of the run. Of a damaged recording, judges what can be read, and fails. Returns the exit status;
/// messages go to standard error.
int judgeRecording(const CommandLine &line);

}  // namespace ct
