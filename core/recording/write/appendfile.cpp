// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/appendfile.h"

#include "core/base/filekey.h"
#include "core/base/fileremedy.h"
#include "core/recording/write/fileclaim.h"
#include "core/recording/write/openforwriting.h"
#include "core/recording/write/standardstreams.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

/// write(2) for descriptors that may be pipes. Suppresses SIGPIPE, because a library cannot know how the program
/// handles it.
long writeWithoutSigpipe(int fd, const char *data, std::size_t size)
{
    sigset_t pipeOnly;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&pipeOnly);
    sigaddset(&pipeOnly, SIGPIPE);
    sigpending(&pending);
    const bool wasPending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipeOnly, &before);
    const long written = ::write(fd, data, size);
    const int savedErrno = errno;
    if (written < 0 && savedErrno == EPIPE && !wasPending) {
        const timespec noWait{};
        while (sigtimedwait(&pipeOnly, nullptr, &noWait) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = savedErrno;
    return written;
}

}  // namespace

AppendFile::AppendFile(std::string path, int fd, bool ownsFile, Unit unit)
    : m_path(std::move(path)), m_fd(fd), m_unit(unit), m_ownsFile(ownsFile)
{
    struct stat info = {};
    m_regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

AppendFile::~AppendFile()
{
    if (m_fd >= 0 && !m_replaced && m_created)
        discard();
    if (m_fd >= 0 && !m_replaced)
        ::close(std::exchange(m_fd, -1));
    (void)close();
}

void AppendFile::discard()
{
    if (m_fd < 0)
        return;
    if (m_ownsFile && m_regular)
        unlinkIfSame(m_path, FileKey::of(m_fd));
    ::close(std::exchange(m_fd, -1));
}

Result<std::unique_ptr<AppendFile>> AppendFile::open(const std::string &path, Unit unit, FileAccess access)
{
    if (path.empty())
        return Error{ErrorCode::InvalidArgument,
                     "the name of the output file is empty; give a path, or - for standard output"};
    if (path == "-") {
        const Result<int> fd = openStandardOutput();
        if (!fd)
            return fd.error();
        return std::unique_ptr<AppendFile>(new AppendFile("standard output", *fd, false, unit));
    }
    const Result<OpenedFile> opened =
        openForWriting(path, path + " cannot be written", access == FileAccess::OwnerOnly);
    if (!opened)
        return opened.error();
    auto file = std::unique_ptr<AppendFile>(new AppendFile(path, opened->fd, true, unit));
    file->m_created = opened->created;
    return file;
}

long AppendFile::writeSome(const char *data, std::size_t size)
{
    for (;;) {
        const long written = m_regular ? ::write(m_fd, data, size) : writeWithoutSigpipe(m_fd, data, size);
        if (written >= 0)
            return written;
        if (errno == EAGAIN) {
            // Standard output can be non-blocking, if another process made it so. Wait for its reader.
            pollfd wait{m_fd, POLLOUT, 0};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return written;
        }
    }
}

Result<void> AppendFile::claim()
{
    if (!m_regular || ctr::claimForWriting(m_fd))
        return {};
    m_created = false;  // the file belongs to its other writer now
    return ctr::writtenElsewhere(m_path);
}

void AppendFile::keepOldContent()
{
    m_keeps = true;
    if (const off_t end = m_ownsFile && m_regular ? ::lseek(m_fd, 0, SEEK_END) : 0; end > 0)
        m_size = static_cast<std::uint64_t>(end);
}

bool AppendFile::replaceOldContent()
{
    if (!m_replaced)
        m_replaced = !m_ownsFile || !m_regular || m_created || m_keeps || ftruncate(m_fd, 0) == 0;
    return m_replaced;
}

/// Makes an error such as "`problem`: Input/output error; `state`; choose another path". `state` says which part of the
/// content is in the file.
Error AppendFile::stateError(int errnoValue, std::string problem, const std::string &state) const
{
    Error error = errnoError(errnoValue, std::move(problem));
    error.message += "; " + state;
    const bool isFull = error.code == ErrorCode::NoSpace || error.code == ErrorCode::SizeLimit;
    if (errnoValue == EPIPE)
        addRemedy(error, "start the run again, with a reader that stays until the end");
    else
        addRemedy(error, m_ownsFile || isFull ? writeRemedy(error.code) : "redirect standard output to another file");
    return error;
}

Result<void> AppendFile::append(const char *data, std::size_t size, std::span<const std::size_t> ends)
{
    if (m_failed)
        return Error{ErrorCode::InputOutput,
                     m_path + ": writing failed before; nothing more is written; start the run again"};
    if (!replaceOldContent())
        return writeError(errno, m_path + " could not be emptied");
    std::size_t done = 0;
    while (done < size) {
        const long written = writeSome(data + done, size - done);
        if (written < 0)
            return fail(errno, done, ends);
        if (written == 0)
            return fail(ENOSPC, done, ends);
        done += static_cast<std::size_t>(written);
    }
    m_size += size;
    m_lines += ends.size();
    return {};
}

/// Makes the error for a write of which `written` bytes reached the file. Removes a partial unit from a file of our
/// own. Leaves standard output alone, because the target may share it.
Result<void> AppendFile::fail(int errnoValue, std::size_t written, std::span<const std::size_t> ends)
{
    m_failed = true;
    const bool lines = m_unit == Unit::Line;
    const auto whole =
        ends.first(static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), written) - ends.begin()));
    m_lines += whole.size();
    m_size += whole.empty() ? 0 : whole.back();
    std::string state = std::string(lines ? "all lines" : "everything") + " up to byte " + std::to_string(m_size) +
                        (lines ? " are complete" : " is complete");
    if (m_ownsFile && m_regular && ftruncate(m_fd, static_cast<off_t>(m_size)) != 0)
        state = lines ? "the last line may be cut off" : "the last block may be cut off";
    return stateError(errnoValue, m_path, state);
}

Result<void> AppendFile::close()
{
    if (m_fd < 0)
        return {};
    Result<void> result;
    if (!m_failed)
        result = append(nullptr, 0);  // removes the old content, even if nothing was written
    // Network file systems may report a full disk only here.
    if (::close(m_fd) != 0 && result && !m_failed && errno != EINTR)
        result = stateError(errno, m_path + " could not be closed", "its end may be missing");
    m_fd = -1;
    return result;
}

}  // namespace ct
