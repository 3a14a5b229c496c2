// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether a window can be opened at all. Qt aborts where there is no display; asked before, it need not.
#pragma once

#include "core/result.h"

namespace ct {

/// Before any QGuiApplication and any thread: forks a child that tries. The arguments are main()'s.
Result<void> checkDisplay(int argc, char **argv);

}  // namespace ct
