// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/outputfile.h"

#include "core/filekey.h"
#include "core/recording/fileclaim.h"
#include "core/recording/standardstreams.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

Result<OutputFile> OutputFile::open(const std::string &path)
{
    if (path == "-") {
        const Result<int> fd = openStandardOutput();
        return fd ? Result<OutputFile>(OutputFile("standard output", *fd, false, false)) : fd.error();
    }
    constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
    const int created = ::open(path.c_str(), kFlags | O_EXCL, 0666);
    const int fd = created >= 0 ? created : ::open(path.c_str(), kFlags, 0666);
    if (fd < 0)
        return errnoError(errno, "cannot write " + path);
    struct stat status {};
    const bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (regular && !ctr::claimForWriting(fd)) {
        close(fd);
        return ctr::writtenElsewhere(path);
    }
    return OutputFile(path, fd, created >= 0, regular);
}

OutputFile::~OutputFile()
{
    if (m_fd >= 0)
        close(m_fd);
}

Result<void> OutputFile::write(std::string_view content)
{
    if (m_regular && ftruncate(m_fd, 0) != 0)
        return errnoError(errno, "cannot replace " + m_path);
    while (!content.empty()) {
        const ssize_t written = ::write(m_fd, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail(errno);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (close(std::exchange(m_fd, -1)) != 0)
        return errnoError(errno, "cannot write " + m_path);
    return {};
}

/// A part of the content is worth nothing: leaves an empty file, or none.
Error OutputFile::fail(int errnoValue)
{
    const bool emptied = m_regular && ftruncate(m_fd, 0) == 0;
    discard();
    return errnoError(errnoValue, "cannot write " + m_path + (emptied ? ", which is empty now" : ""));
}

void OutputFile::discard()
{
    if (m_created)
        unlinkIfSame(m_path, FileKey::of(m_fd));
}

}  // namespace ct
