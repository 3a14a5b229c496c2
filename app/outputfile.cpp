// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/outputfile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

Result<OutputFile> OutputFile::open(const std::string &path)
{
    if (path == "-") {
        const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return fd < 0 ? Result<OutputFile>(errnoError(errno, "cannot write to standard output"))
                      : Result<OutputFile>(OutputFile("standard output", fd, false));
    }
    const bool existed = access(path.c_str(), F_OK) == 0;
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0)
        return errnoError(errno, "cannot write " + path);
    return OutputFile(path, fd, !existed);
}

OutputFile::~OutputFile()
{
    if (m_fd >= 0)
        close(m_fd);
}

Result<void> OutputFile::write(std::string_view content)
{
    struct stat status {};
    if (fstat(m_fd, &status) == 0 && S_ISREG(status.st_mode) && m_path != "standard output" && ftruncate(m_fd, 0) != 0)
        return errnoError(errno, "cannot replace " + m_path);
    while (!content.empty()) {
        const ssize_t written = ::write(m_fd, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errnoError(errno, "cannot write " + m_path);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (close(std::exchange(m_fd, -1)) != 0)
        return errnoError(errno, "cannot write " + m_path);
    return {};
}

void OutputFile::discard()
{
    if (m_created)
        unlink(m_path.c_str());
}

}  // namespace ct
