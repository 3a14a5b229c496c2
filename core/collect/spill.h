// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Moves the youngest chunks to a spill file while the backlog is long, and brings them back when they are due. A thread
// of its own writes the file, because a disk may stall for seconds.
//
// The collector only pushes a chunk on a stack. Decoder and writer share a lock, for a few instructions at a time:
// which of them has a chunk when is in its SpillState.
#pragma once

#include "core/base/takeallstack.h"
#include "core/base/wakesignal.h"
#include "core/collect/chunkpool.h"
#include "core/collect/spillfile.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
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

    /// Sets who gets errors, each kind once. Called on any of the three threads. Set it before the first chunk.
    void setNotice(std::function<void(const std::string &)> notice) { m_notice = std::move(notice); }

    // Collector's thread.
    /// Returns true while the backlog is long, and there is a file that can be written.
    bool isWanted() const;
    /// Offers a chunk that is complete. Call it before the next chunk of the lane is published.
    void offer(RawChunk &chunk);

    // Decoder's thread.
    /// Returns the packets of a chunk. They stay until leave(); those from the file are in `buffer`. Returns nullptr
    /// if the file cannot be read: the chunk is lost.
    const std::byte *enter(RawChunk &chunk, std::vector<std::byte> &buffer);
    /// Releases a chunk. It may be one that was never entered.
    void leave(RawChunk &chunk);

    /// Waits until all offered chunks are written or handed back. Not while the collector offers more. For tests.
    void wait();

private:
    bool startWriter();
    void run();
    void writeOffered();
    std::size_t write(std::span<RawChunk *const> chunks);
    void handBack(RawChunk &chunk);
    void release(RawChunk &chunk);
    void moveToFile(RawChunk &chunk, std::uint64_t position);
    RawChunk *takeBare();
    Result<SpillFile::Room> reserve(std::size_t chunks);
    void pauseAfter(const Error &error);

    ChunkPool &m_pool;
    const std::string m_folder;
    const std::uint64_t m_inMemory;  ///< bytes of chunks that stay in memory
    std::function<void(const std::string &)> m_notice = [](const std::string &) {};
    TakeAllStack<RawChunk> m_offered;
    WakeSignal m_wake;
    std::thread m_writer;  ///< starts with the first chunk; collector's thread
    std::atomic<bool> m_ends{false};
    /// ns of CLOCK_MONOTONIC: after an error, nothing is offered until then. Relaxed: a value for itself.
    std::atomic<std::uint64_t> m_pausedUntil{0};
    std::atomic<std::uint64_t> m_pending{0};  ///< chunks offered and not yet handled; for wait()

    std::mutex m_lock;                  ///< for SpillState, and the bookkeeping of m_file
    std::unique_ptr<SpillFile> m_file;  ///< made by the writer, under the lock

    TakeAllStack<RawChunk> m_releasedBare;  ///< chunks without memory that were left
    bool m_hasReportedLoss = false;         ///< decoder's thread
    std::atomic<bool> m_hasReportedError{false};

    // Writer's thread.
    std::vector<RawChunk *> m_youngest;                ///< what was offered, the oldest first
    RawChunk *m_bare = nullptr;                        ///< list of free chunks without memory
    std::vector<std::unique_ptr<RawChunk[]>> m_added;  ///< chunks that are not in the pool's blocks
};

}  // namespace ct
