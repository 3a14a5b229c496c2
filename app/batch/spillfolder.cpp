// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/spillfolder.h"

#include "app/commandline/exportoptions.h"

#include <filesystem>
#include <system_error>

namespace ct {

std::string spillFolderOf(const CommandLine &line)
{
    std::error_code ignored;
    const std::string named = line.outputPath.empty() && !line.exports.empty() && !isOfServer(line.exports.front())
                                  ? line.exports.front().output
                                  : line.outputPath;
    const std::filesystem::path output =
        std::filesystem::weakly_canonical(std::filesystem::absolute(named, ignored), ignored);
    const std::filesystem::file_status status = std::filesystem::status(output, ignored);
    if (named.empty() || line.streams() || line.keepsOnly() ||
        (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)))
        return {};
    return output.parent_path();
}

}  // namespace ct
