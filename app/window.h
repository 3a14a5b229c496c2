// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window, and the picture of it that documentation and headless demos want.
#pragma once

#include "app/commandline.h"

namespace ct {

/// Makes the QApplication and runs it to the end; returns the exit status. A display is there.
int runWindow(const CommandLine &line, int argc, char **argv);

}  // namespace ct
