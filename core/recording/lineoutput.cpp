// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/lineoutput.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

constexpr std::size_t kBufferSize = 1U << 20;
/// Half of what is promised (a second): a batch may be up to 250 ms late.
constexpr std::uint64_t kFlushEveryNs = 500'000'000;

/// write(2) to something that may be a pipe, without the SIGPIPE that a library must not leave to chance.
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

LineOutput::LineOutput(std::string path, int fd, bool ownsFile)
    : m_path(std::move(path)), m_buffer(kBufferSize), m_fd(fd), m_ownsFile(ownsFile)
{
    struct stat info = {};
    m_regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

LineOutput::~LineOutput()
{
    if (m_fd >= 0 && !m_replaced && m_created)
        ::unlink(m_path.c_str());
    if (m_fd >= 0 && !m_replaced)
        ::close(std::exchange(m_fd, -1));
    (void)close();
}

Result<std::unique_ptr<LineOutput>> LineOutput::open(const std::string &path)
{
    if (path.empty())
        return Error{ErrorCode::InvalidArgument,
                     "the name of the output file is empty: give a path, or - for standard output"};
    if (path == "-") {
        // A copy, so that a standard output closed from the start is noticed here and not at the first event.
        const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (fd < 0)
            return errnoError(errno, "standard output cannot be written");
        return std::unique_ptr<LineOutput>(new LineOutput("standard output", fd, false));
    }
    constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
    const int created = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
    const int fd = created >= 0 ? created : ::open(path.c_str(), kFlags | O_CREAT, 0666);
    if (fd < 0)
        return errnoError(errno, path + " cannot be written, choose another place");
    auto output = std::unique_ptr<LineOutput>(new LineOutput(path, fd, true));
    output->m_created = created >= 0;
    return output;
}

Result<char *> LineOutput::beginLine(std::size_t bytes)
{
    if (bytes > m_buffer.size() - m_used) {
        if (Result<void> flushed = flush(); !flushed)
            return flushed.error();
        if (bytes > m_buffer.size())
            m_buffer.resize(bytes);
    }
    return m_buffer.data() + m_used;
}

Result<void> LineOutput::flushIfDue(std::uint64_t now)
{
    if (m_flushedAt == 0)
        m_flushedAt = now;
    if (now < m_flushedAt + kFlushEveryNs)
        return {};
    m_flushedAt = now;
    return flush();
}

long LineOutput::writeSome(const char *data, std::size_t size)
{
    for (;;) {
        const long written = m_regular ? ::write(m_fd, data, size) : writeWithoutSigpipe(m_fd, data, size);
        if (written >= 0)
            return written;
        if (errno == EAGAIN) {
            // Standard output that somebody made non-blocking: wait for its reader as a blocking one would.
            pollfd wait{m_fd, POLLOUT, 0};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return written;
        }
    }
}

bool LineOutput::replaceOldContent()
{
    if (!m_replaced)
        m_replaced = !m_ownsFile || !m_regular || m_created || ftruncate(m_fd, 0) == 0;
    return m_replaced;
}

Result<void> LineOutput::flush()
{
    if (m_failed)
        return Error{ErrorCode::InputOutput, m_path + ": writing failed before, nothing more is written"};
    if (!replaceOldContent())
        return errnoError(errno, m_path + " could not be emptied, choose another place");
    std::size_t done = 0;
    while (done < m_used) {
        const long written = writeSome(m_buffer.data() + done, m_used - done);
        if (written < 0)
            return fail(errno, done);
        if (written == 0)
            return fail(ENOSPC, done);
        done += static_cast<std::size_t>(written);
    }
    m_bytesInFile += m_used;
    m_used = 0;
    return {};
}

/// `written` bytes of the buffer reached the file. Takes a partial line back, where the file is ours alone: standard
/// output may be shared with the target.
Result<void> LineOutput::fail(int errnoValue, std::size_t written)
{
    m_failed = true;
    while (written > 0 && m_buffer[written - 1] != '\n')
        --written;
    m_bytesInFile += written;
    m_used = 0;
    std::string rest = "; all lines up to byte " + std::to_string(m_bytesInFile) + " are complete";
    if (m_ownsFile && m_regular && ftruncate(m_fd, static_cast<off_t>(m_bytesInFile)) != 0)
        rest = "; the last line may be cut off";
    Error error = errnoError(errnoValue, m_path);
    error.message += rest;
    if (error.code == ErrorCode::NoSpace)
        error.message += ", free some space or choose another place";
    return error;
}

Result<void> LineOutput::close()
{
    if (m_fd < 0)
        return {};
    Result<void> result;
    if (!m_failed)
        result = flush();
    // Network file systems report a full disk as late as here.
    if (::close(m_fd) != 0 && result && !m_failed && errno != EINTR)
        result = errnoError(errno, m_path + " could not be closed, its end may be missing");
    m_fd = -1;
    return result;
}

}  // namespace ct
