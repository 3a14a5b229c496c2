// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Missing folders of outputs. Qt-free.
#pragma once

#include "app/commandline/commandline.h"

namespace ct {

/// Creates the missing folders of the output if its option does so.
Result<void> createFolderOf(const CommandLine::Export &requested);

}  // namespace ct
