// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/deferredfile.h"

#include "core/base/filekey.h"
#include "core/base/fileremedy.h"
#include "core/recording/write/fileclaim.h"
#include "core/recording/write/openforwriting.h"
#include "core/recording/write/standardstreams.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

Result<int> openStream(int stream, const std::string &path)
{
    switch (stream) {
    case STDOUT_FILENO: return openStandardOutput();
    case STDERR_FILENO: return openStandardError();
    default: return openInherited(stream, path);
    }
}

std::string nameOf(int stream, const std::string &path)
{
    switch (stream) {
    case STDOUT_FILENO: return "standard output";
    case STDERR_FILENO: return "standard error";
    default: return path;
    }
}

}  // namespace

std::string removedWhileWritten(const std::string &path)
{
    return path + " was removed by another program during the run, and its content is lost; " + kLeaveFileInFolder;
}

Result<DeferredFile> DeferredFile::open(const std::string &path)
{
    if (const std::optional<int> stream = outputStreamNamed(path)) {
        const Result<int> fd = openStream(*stream, path);
        if (!fd)
            return fd.error();
        return DeferredFile(nameOf(*stream, path), *fd, false, false, false);
    }
    const Result<OpenedFile> opened = openForWriting(path, "cannot write " + path);
    if (!opened)
        return opened.error();
    struct stat status {};
    const bool regular = fstat(opened->fd, &status) == 0 && S_ISREG(status.st_mode);
    if (regular && !ctr::claimForWriting(opened->fd)) {
        close(opened->fd);
        return ctr::writtenElsewhere(path);
    }
    return DeferredFile(path, opened->fd, opened->created, regular, regular && status.st_nlink > 0);
}

DeferredFile::~DeferredFile()
{
    if (m_fd < 0)
        return;
    discard();  // not written, for example out of memory: an empty file would look like a result
    close(m_fd);
}

Result<void> DeferredFile::dropOlder()
{
    if (!m_regular)
        return {};
    if (ftruncate(m_fd, 0) != 0)
        return errnoError(errno, "cannot empty " + m_path + ", the result of an earlier run",
                          "remove it, or choose another name");
    m_created = true;
    return {};
}

/// Waits until a write of PIPE_BUF bytes does not block. Returns false if `isGivenUp()` returns true first.
bool DeferredFile::waitForReader(const std::function<bool()> &isGivenUp) const
{
    constexpr int kAskMs = 200;
    pollfd wait{m_fd, POLLOUT, 0};
    while (poll(&wait, 1, isGivenUp ? kAskMs : -1) <= 0)
        if (isGivenUp && isGivenUp())
            return false;
    return true;
}

Result<void> DeferredFile::write(std::string_view content, const std::function<bool()> &isGivenUp)
{
    if (m_regular && ftruncate(m_fd, 0) != 0)
        return writeError(errno, "cannot replace " + m_path);
    while (!content.empty()) {
        if (!m_regular && !waitForReader(isGivenUp))
            return Error{ErrorCode::Cancelled,
                         m_path + " is incomplete: its reader stopped reading, and the write was interrupted"};
        const std::size_t most = m_regular ? content.size() : std::min<std::size_t>(content.size(), PIPE_BUF);
        const ssize_t written = ::write(m_fd, content.data(), most);
        // Another program may have made the stream non-blocking.
        if (written < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (written < 0)
            return fail(errno);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    struct stat status {};
    if (m_named && fstat(m_fd, &status) == 0 && status.st_nlink == 0)
        return Error{ErrorCode::NotFound, removedWhileWritten(m_path)};
    if (close(std::exchange(m_fd, -1)) != 0)
        return writeError(errno, "cannot write " + m_path);
    return {};
}

/// Handles a failed write. A part of the content is useless, so leaves an empty file, or none.
Error DeferredFile::fail(int errnoValue)
{
    const bool isEmptied = m_regular && ftruncate(m_fd, 0) == 0;
    const char *const state = discard() ? "; the file was removed" : isEmptied ? "; the file is empty now" : "";
    Error error = errnoError(errnoValue, "cannot write " + m_path);
    error.message += state;
    addRemedy(error, writeRemedy(error.code));
    return error;
}

bool DeferredFile::discard()
{
    return m_created && unlinkIfSame(m_path, FileKey::of(m_fd));
}

}  // namespace ct
