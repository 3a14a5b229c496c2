// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether the files of a batch run are different ones, whatever their names are. Qt-free.
#pragma once

#include "app/commandline.h"

namespace ct {

/// The file of --summary is there; the output is not opened yet, so that what it holds is safe. Compares them, the
/// region of --attach, and for the output standard error. Terminals and devices may be the same.
Result<void> checkFilesDiffer(const CommandLine &line);

}  // namespace ct
