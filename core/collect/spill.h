// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Moves the youngest chunks to a spill file while the backlog is long, and brings them back when they are due. A thread
// of its own writes the file, because a disk may stall for seconds.
//
// The collector only pushes a chunk on a stack. Decoder and writer share a lock, but never during a call that may wait
// for the disk: which of them has a chunk when is in its SpillState.
#pragma once

#include "core/base/takeallstack.h"
#include "core/base/wakesignal.h"
#include "core/collect/chunkpool.h"
#include "core/collect/spillfile.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ct {

class Spill {
public:
    /// No file without a folder. The pool must outlive this.
    Spill(ChunkPool &pool, std::string folder);
    ~Spill();
    Spill(const Spill &) = delete;
    Spill &operator=(const Spill &) = delete;

    /// Sets who gets the first error of writing and the first one of reading. Called on the writer's and the decoder's
    /// threads. Set it before start().
    void setNotice(std::function<void(const std::string &)> notice) { m_notice = std::move(notice); }

    /// Starts the writer, if there is a folder. Without it, or if it fails, no chunk is wanted.
    Result<void> start();

    // Collector's thread.
    /// Returns true while the backlog is long, and the writer keeps up.
    bool isWanted() const;
    /// Promises a chunk that is complete. Call it before the next chunk of the lane is published: then the decoder may
    /// leave this one, which has to wait for the writer.
    static void promise(RawChunk &chunk) { chunk.spill.isOffered = true; }
    /// Offers a promised chunk. Call it after the next chunk of the lane was published.
    void offer(RawChunk &chunk);

    // Decoder's thread.
    /// Returns the packets of a chunk. They stay until leave(); those from the file are in `buffer`. Returns nullptr
    /// if the file cannot be read: the chunk is lost.
    const std::byte *enter(RawChunk &chunk, std::vector<std::byte> &buffer);
    /// Releases a chunk.
    void leave(RawChunk &chunk);

    /// Waits until all offered chunks are written or handed back. Not while the collector offers more. For tests.
    void wait();

private:
    void run();
    void truncateIfEmpty();
    void takeOffered();
    void write();
    bool prepareFile();
    void handBack(RawChunk &chunk);
    void release(RawChunk &chunk);
    void addBare();
    void moveToFile(RawChunk &chunk, std::uint64_t position);
    void pauseAfter(const Error &error);

    ChunkPool &m_pool;
    const std::string m_folder;
    const std::uint64_t m_inMemory;  ///< bytes of chunks that stay in memory
    std::function<void(const std::string &)> m_notice = [](const std::string &) {};
    TakeAllStack<RawChunk> m_offered;
    WakeSignal m_wake;
    std::thread m_writer;
    std::atomic<bool> m_ends{false};
    /// ns of CLOCK_MONOTONIC: after an error, nothing is offered until then. Relaxed: a value for itself.
    std::atomic<std::uint64_t> m_pausedUntil{0};
    std::atomic<std::uint64_t> m_pending{0};  ///< chunks that the writer has
    std::uint64_t m_inFile = 0;               ///< chunks; under the lock

    std::mutex m_lock;                  ///< for SpillState, and the bookkeeping of m_file
    std::unique_ptr<SpillFile> m_file;  ///< made by the writer, under the lock

    TakeAllStack<RawChunk> m_releasedBare;  ///< chunks without memory that were left
    bool m_hasReportedLoss = false;         ///< decoder's thread

    // Writer's thread.
    std::deque<RawChunk *> m_waiting;                  ///< what was offered, the oldest first
    std::vector<RawChunk *> m_writing;                 ///< those of m_waiting that are written next
    std::vector<RawChunk *> m_bare;                    ///< free chunks without memory
    std::vector<std::unique_ptr<RawChunk[]>> m_added;  ///< chunks that are not in the pool's blocks
    bool m_hasReportedError = false;
};

}  // namespace ct
