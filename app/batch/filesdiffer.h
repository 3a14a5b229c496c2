// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks that the files of a batch run are different, whatever their names are. Qt-free.
#pragma once

#include "app/commandline/commandline.h"

namespace ct {

/// Compares the output, the summary, the region and its socket, and the files behind standard output, standard error
/// and inherited descriptors. Opens nothing, and the files need not exist. Terminals and devices may be the same.
Result<void> checkFilesDiffer(const CommandLine &line);

}  // namespace ct
