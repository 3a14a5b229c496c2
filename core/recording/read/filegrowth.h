// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Lets a reader wait at the end of a file that is still being written.
//
// The writer of a recording has a lock on its file (fileclaim.h). The lock ends with the writer, also when it is
// killed. So a locked file is followed. A file without the lock is complete, cut off, or was never finished.
// See docs/decisions/0013-following-a-recording.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

namespace ct {

/// Belongs to one reader and its thread, except for members marked "any thread". inotify wakes a waiting reader. It
/// also checks the file four times a second, or 20 times a second without inotify.
class FileGrowth {
public:
    /// Progress, as the window shows it.
    struct Figures {
        bool followed = false;       ///< the recording is being written, or was when it was opened
        bool waiting = false;        ///< the reader has read everything and waits for more
        std::uint64_t bytes = 0;     ///< size of the file that is read now
        std::uint64_t read = 0;      ///< bytes of this file that were read
        std::uint64_t latestTs = 0;  ///< ns, CLOCK_MONOTONIC of the writer's machine: the latest time in the file
        std::uint64_t grewAt = 0;    ///< ns, CLOCK_MONOTONIC of this machine: when the file was last seen to grow
    };

    FileGrowth();
    ~FileGrowth();
    FileGrowth(const FileGrowth &) = delete;
    FileGrowth &operator=(const FileGrowth &) = delete;

    /// Offset of the byte that a writer locks (F_OFD_SETLK). No file has this byte.
    static constexpr std::int64_t kWrittenByte = std::int64_t{1} << 60;
    /// True if a writer has the file open. Sees the writers of this process, too.
    static bool isWritten(int fd);

    /// Waits until the file has `bytes` bytes. Returns false when it does not get them: its writer has ended, or
    /// cancel() was called.
    bool await(int fd, std::uint64_t bytes);
    void noteFollowed();  ///< marks the recording as being written, perhaps in a later file than the first one
    /// Reports the progress of the reader: see Figures.
    void note(std::uint64_t bytes, std::uint64_t read, std::uint64_t latestTs);

    void cancel();  ///< any thread: ends the present wait and all later ones
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }
    Figures figures() const;  ///< any thread

private:
    void watch(int fd);
    void wait();
    void noteSize(std::uint64_t bytes, bool waiting);

    int m_notify = -1;  ///< inotify
    int m_watch = -1;
    std::pair<std::uint64_t, std::uint64_t> m_watched;  ///< device and inode of the watched file
    int m_wake = -1;                                    ///< eventfd that cancel() writes
    std::atomic<bool> m_cancelled = false;              // relaxed store and loads: m_wake wakes the waiting thread
    mutable std::mutex m_mutex;
    Figures m_figures;
};

}  // namespace ct
