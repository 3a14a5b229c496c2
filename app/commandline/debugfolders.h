// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks the folders of --debug-path. Qt-free.
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace ct {

/// Fails if a folder does not exist or cannot be searched: its debug files would be silently ignored.
Result<void> checkDebugFolders(const std::vector<std::string> &folders);

}  // namespace ct
