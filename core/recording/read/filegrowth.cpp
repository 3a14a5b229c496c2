// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/filegrowth.h"

#include "core/base/monotonic.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

/// Timeouts in ms, with and without inotify. inotify needs one, too: its last event can come before the writer's lock
/// ends, and network file systems send no events.
constexpr int kWatchedMs = 250;
constexpr int kUnwatchedMs = 50;

}  // namespace

FileGrowth::FileGrowth() : m_notify(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), m_wake(eventfd(0, EFD_CLOEXEC)) {}

FileGrowth::~FileGrowth()
{
    for (const int fd : {m_notify, m_wake}) {
        if (fd >= 0)
            ::close(fd);
    }
}

bool FileGrowth::isWritten(int fd)
{
    struct flock lock = {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = kWrittenByte;
    lock.l_len = 1;
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

void FileGrowth::watch(int fd)
{
    struct stat info = {};
    if (m_notify < 0 || fstat(fd, &info) != 0 ||
        std::pair<std::uint64_t, std::uint64_t>(info.st_dev, info.st_ino) == m_watched)
        return;
    if (m_watch >= 0)
        inotify_rm_watch(m_notify, m_watch);
    std::array<char, 32> path{};
    std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", fd);
    m_watch = inotify_add_watch(m_notify, path.data(), IN_MODIFY | IN_CLOSE_WRITE);
    m_watched = {info.st_dev, info.st_ino};
}

/// Waits for an event, cancel() or the timeout.
void FileGrowth::wait()
{
    const bool watched = m_watch >= 0;
    std::array<pollfd, 2> fds{pollfd{m_wake, POLLIN, 0}, pollfd{watched ? m_notify : -1, POLLIN, 0}};
    poll(fds.data(), fds.size(), watched ? kWatchedMs : kUnwatchedMs);
    std::array<char, 4096> events;
    while (watched && ::read(m_notify, events.data(), events.size()) > 0) {
    }
}

bool FileGrowth::await(int fd, std::uint64_t bytes)
{
    watch(fd);
    for (;;) {
        // Check the lock before the size. The size then includes everything that was written before the lock ended.
        const bool written = isWritten(fd);
        struct stat info = {};
        const bool known = fstat(fd, &info) == 0;
        const std::uint64_t size = known ? static_cast<std::uint64_t>(info.st_size) : 0;
        const bool enough = size >= bytes;
        const bool waits = !enough && written && known && !isCancelled();
        noteSize(size, waits);
        if (!waits)
            return enough;
        wait();
    }
}

void FileGrowth::noteSize(std::uint64_t bytes, bool waiting)
{
    const std::lock_guard lock(m_mutex);
    if (bytes != m_figures.bytes || m_figures.grewAt == 0)
        m_figures.grewAt = monotonicNow();
    m_figures.bytes = bytes;
    m_figures.waiting = waiting;
    m_figures.followed = m_figures.followed || waiting;
}

void FileGrowth::noteFollowed()
{
    const std::lock_guard lock(m_mutex);
    m_figures.followed = true;
}

void FileGrowth::note(std::uint64_t bytes, std::uint64_t read, std::uint64_t latestTs)
{
    noteSize(bytes, false);
    const std::lock_guard lock(m_mutex);
    m_figures.read = read;
    m_figures.latestTs = latestTs;
}

void FileGrowth::cancel()
{
    m_cancelled.store(true, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_wake, &one, sizeof(one));
}

FileGrowth::Figures FileGrowth::figures() const
{
    const std::lock_guard lock(m_mutex);
    return m_figures;
}

}  // namespace ct
