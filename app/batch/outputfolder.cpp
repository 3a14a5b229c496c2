// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/outputfolder.h"

#include "core/base/fileremedy.h"

#include <filesystem>
#include <system_error>

namespace ct {

Result<void> createFolderOf(const CommandLine::Export &requested)
{
    const std::filesystem::path folder = std::filesystem::path(requested.output).parent_path();
    std::error_code failed;
    if (requested.createsFolder && !folder.empty())
        std::filesystem::create_directories(folder, failed);
    return failed ? writeError(failed.value(), "the folder " + folder.string() + " cannot be created") : Result<void>();
}

}  // namespace ct
