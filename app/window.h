// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window, and the picture of it for documentation and headless demos.
#pragma once

#include "app/commandline/commandline.h"

namespace ct {

/// Creates the QApplication and runs it to the end; returns the exit status. Requires a display.
int runWindow(const CommandLine &line, int argc, char **argv);

}  // namespace ct
