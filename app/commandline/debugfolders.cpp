// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/debugfolders.h"

#include "core/base/fileremedy.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

Result<void> checkDebugFolders(const std::vector<std::string> &folders)
{
    for (const std::string &folder : folders) {
        struct stat info {};
        if (::stat(folder.c_str(), &info) != 0)
            return readError(errno, "--debug-path " + folder);
        if (!S_ISDIR(info.st_mode))
            return Error{ErrorCode::InvalidArgument,
                         "--debug-path " + folder + " is not a folder; name the folder that contains the debug files"};
        // Files in the folder are opened by name, which needs permission to search, not to list.
        if (::access(folder.c_str(), X_OK) != 0)
            return readError(errno, "--debug-path " + folder + " cannot be searched");
    }
    return {};
}

}  // namespace ct
