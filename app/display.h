// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks whether a window can be opened at all, because Qt aborts without a display.
#pragma once

#include "core/base/result.h"

namespace ct {

/// Call it before any QGuiApplication and any thread: forks a child that opens the display. The arguments are for Qt.
Result<void> checkDisplay(int argc, char **argv);

}  // namespace ct
