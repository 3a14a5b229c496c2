// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory of raw chunks. Chunks are used again, those used last first; new memory is prepared on a background thread
// before it is needed. So the collector meets fresh pages only while the backlog grows faster than that thread.
#pragma once

#include "core/base/memoryahead.h"
#include "core/base/reservedrange.h"
#include "core/base/takeallstack.h"
#include "core/collect/rawchunk.h"

#include <atomic>
#include <cstdint>

namespace ct {

class ChunkPool {
public:
    /// `budget` in bytes, rounded up to 2 MiB. Gets less if the system has less address space.
    explicit ChunkPool(std::uint64_t budget);
    ~ChunkPool();
    ChunkPool(const ChunkPool &) = delete;
    ChunkPool &operator=(const ChunkPool &) = delete;

    /// An eighth of the machine's memory; less under a limit of the address space (ulimit -v).
    static std::uint64_t usualBudget();

    /// Prepares memory for the start of a capture, when many other things need fresh memory as well. Takes 5 to 100 ms.
    /// Collector's thread.
    void prepareStart();

    /// Returns an empty chunk, or nullptr if the budget is used up. Collector's thread.
    RawChunk *takeChunk();
    /// Takes back a chunk of takeChunk(), or another one that has the memory of such a chunk now. Any thread.
    void releaseChunk(RawChunk *chunk);

    std::uint64_t budget() const { return m_space.bytes; }
    /// Bytes of the chunks that are not free. Any thread.
    std::uint64_t bytesInUse() const { return m_inUse.load(std::memory_order_relaxed) * RawChunk::kBytes; }
    /// Bytes that have memory by now: the largest backlog so far. Any thread.
    std::uint64_t bytesTouched() const { return m_touched.load(std::memory_order_relaxed); }

private:
    static constexpr std::size_t kBlock = ReservedRange::kHugePage;
    /// A block begins with its chunks, and the rest is their memory. An allocation by malloc(3) would have to wait for
    /// any thread that is populating memory of this process.
    static constexpr std::size_t kSlots = kBlock / RawChunk::kBytes;
    static constexpr std::size_t kSlotsOfChunks = (kSlots * sizeof(RawChunk) + RawChunk::kBytes - 1) / RawChunk::kBytes;

    bool addBlock();
    void prepareAhead();
    void prepareTo(std::size_t end);

    ReservedRange m_space;
    RawChunk *m_free = nullptr;               ///< list of free chunks, the ones used last first
    std::size_t m_used = 0;                   ///< bytes of the blocks in use
    std::size_t m_prepared = 0;               ///< bytes that m_ahead was asked to prepare
    std::atomic<std::uint64_t> m_touched{0};  ///< relaxed; the collector stores, any thread loads
    std::atomic<std::uint64_t> m_inUse{0};    ///< chunks that are not free; relaxed, a sum
    TakeAllStack<RawChunk> m_released;
    MemoryAhead m_ahead;
};

}  // namespace ct
