// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --batch --input FILE: judges or converts a recording, without a window.
#pragma once

#include "app/commandline/commandline.h"

namespace ct {

class InputCopy;

/// Reads the input once, into the diagnosis and the outputs of the command line. Judges at the instant at which the run
/// was judged, so the verdict equals that of the run. Of a damaged recording, judges and converts what can be read, and
/// fails. Returns the exit status; messages go to standard error.
int runRecorded(const CommandLine &line);
/// The same with a copy of the input.
int runCopied(const CommandLine &line, const InputCopy &input);

}  // namespace ct
