// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Folders of --debug-path. Qt-free.
#pragma once

#include "core/result.h"

#include <string>
#include <vector>

namespace ct {

/// Refuses a folder that does not exist or cannot be searched: debug files in it would be missed without a word.
Result<void> checkDebugFolders(const std::vector<std::string> &folders);

}  // namespace ct
