// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory for queued transitions, in chunks that are reused. Some chunks are prepared ahead: the first touch of a page
// costs several times as much as writing to it.
#pragma once

#include "core/base/memoryahead.h"
#include "core/base/reservedrange.h"
#include "core/base/result.h"
#include "core/stream/stream.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace ct {

/// Not thread-safe: one thread at a time.
class TransitionPool {
public:
    struct Chunk {
        Transition *transitions = nullptr;  ///< room for kCapacity of them; nullptr = none
    };
    static constexpr std::size_t kBytes = ReservedRange::kHugePage;
    static constexpr std::size_t kCapacity = kBytes / sizeof(Transition);

    /// Reserves address space for `bytes`, at least two chunks. Reserves less when the system has less.
    static Result<TransitionPool> make(std::uint64_t bytes);
    TransitionPool(TransitionPool &&other) noexcept;
    TransitionPool &operator=(TransitionPool &&) = delete;
    ~TransitionPool();

    bool isEmpty() const { return m_ready.empty() && m_cold.empty(); }
    Chunk takeChunk();  ///< must not be called when isEmpty()
    void release(Chunk chunk);

private:
    explicit TransitionPool(const ReservedRange &space);
    void makeReady();

    ReservedRange m_space;
    std::size_t m_wanted;                  ///< number of chunks to prepare ahead
    std::deque<std::byte *> m_ready;       ///< with memory; the last ones may still be in the processor's cache
    std::vector<std::byte *> m_cold;       ///< without memory
    std::unique_ptr<MemoryAhead> m_ahead;  ///< touches the pages on its own thread
};

}  // namespace ct
