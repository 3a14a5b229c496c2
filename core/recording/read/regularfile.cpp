// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/regularfile.h"

#include "core/base/fileremedy.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

Error refusal(const std::string &path, const std::string &formats, mode_t mode)
{
    const std::string remedy = ", not a file; choose a recording (" + formats + ")";
    if (S_ISFIFO(mode))
        return {ErrorCode::InvalidArgument,
                path + " is a pipe" + remedy + ", or show it in the window with --input - < " + path};
    return {ErrorCode::InvalidArgument,
            path + (S_ISDIR(mode) ? " is a directory" : " is a device or a socket") + remedy};
}

}  // namespace

Result<int> openRegularFile(const std::string &path, const std::string &formats)
{
    // O_NONBLOCK: opening a pipe would wait for its writer. The flag has no effect on regular files.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return readError(errno, path + " cannot be opened");
    struct stat info = {};
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        return fd;
    ::close(fd);
    return refusal(path, formats, info.st_mode);
}

}  // namespace ct
