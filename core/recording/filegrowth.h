// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// How a reader waits at the end of a file that somebody else still writes.
//
// Whoever writes a recording claims its file (fileclaim.h), and the claim goes with the writer, however it ends. So a
// file that is claimed is followed, and one that is not is complete, cut off, or was never finished.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

namespace ct {

/// One reader's thread at a time, but for what says otherwise. Costs nothing while it waits: inotify wakes it, and
/// where that is not to be had, a look some times a second.
class FileGrowth {
public:
    /// What people are shown.
    struct Figures {
        bool followed = false;       ///< somebody writes the recording, or did when it was opened
        bool waiting = false;        ///< all that is there was read
        std::uint64_t bytes = 0;     ///< there are, and
        std::uint64_t read = 0;      ///< were read, of the file that is read now
        std::uint64_t latestTs = 0;  ///< ns, CLOCK_MONOTONIC of the recorder: what is there reaches up to it
        std::uint64_t grewAt = 0;    ///< ns, CLOCK_MONOTONIC of this machine: when the latest bytes were seen
    };

    FileGrowth();
    ~FileGrowth();
    FileGrowth(const FileGrowth &) = delete;
    FileGrowth &operator=(const FileGrowth &) = delete;

    /// A byte that no file has: who writes a recording has a lock of the open file (F_OFD_SETLK) on it.
    static constexpr std::int64_t kWrittenByte = std::int64_t{1} << 60;
    /// Somebody writes a recording into the file; also true of this process's own writers.
    static bool isWritten(int fd);

    /// Waits until the file has `bytes`: true. False: it will not; its writer has gone, or cancel() was called.
    bool await(int fd, std::uint64_t bytes);
    void noteFollowed();  ///< somebody writes the recording, though perhaps not the file that is read first
    /// The reader says how far it is: see Figures.
    void note(std::uint64_t bytes, std::uint64_t read, std::uint64_t latestTs);

    void cancel();  ///< any thread: nothing is waited for any more
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }
    Figures figures() const;  ///< any thread

private:
    void watch(int fd);
    void wait();
    void noteSize(std::uint64_t bytes, bool waiting);

    int m_notify = -1;  ///< inotify
    int m_watch = -1;
    std::pair<std::uint64_t, std::uint64_t> m_watched;  ///< device and inode of the file that is watched
    int m_wake = -1;                                    ///< eventfd
    std::atomic<bool> m_cancelled = false;              // relaxed: m_wake wakes whoever waits
    mutable std::mutex m_mutex;
    Figures m_figures;
};

}  // namespace ct
