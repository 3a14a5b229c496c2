// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/openforwriting.h"

#include "core/base/fileremedy.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace ct {

bool isPipe(const std::string &path)
{
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
}

Result<OpenedFile> openForWriting(const std::string &path, const std::string &problem, bool onlyNew)
{
    constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    const int created = ::open(path.c_str(), kFlags | O_EXCL, onlyNew ? 0600 : 0666);
    const int fd = created >= 0 || onlyNew ? created : ::open(path.c_str(), kFlags, 0666);
    if (fd < 0 && errno == ENXIO && isPipe(path))
        return Error{ErrorCode::Busy, path + ": no process reads this pipe; start its reader first"};
    if (fd < 0)
        return writeError(errno, problem);
    // From here on, writes to a full pipe block.
    (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return OpenedFile{fd, created >= 0};
}

}  // namespace ct
