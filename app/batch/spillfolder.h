// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where batch mode puts the spill file.
#pragma once

#include "app/commandline/commandline.h"

#include <string>

namespace ct {

/// Returns the folder of the output file, with symbolic links resolved. Empty if the output is not a file on a disk:
/// then there is no spill file.
std::string spillFolderOf(const CommandLine &line);

}  // namespace ct
