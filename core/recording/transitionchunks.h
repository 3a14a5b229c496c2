// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory for queued transitions, in pieces that are used again and again. Some of it is always ready: the first touch
// of a page costs several times what is written there.
#pragma once

#include "core/result.h"
#include "core/trace/addressspace.h"
#include "core/trace/memoryahead.h"
#include "core/trace/stream.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace ct {

/// One thread at a time.
class TransitionChunks {
public:
    struct Chunk {
        Transition *transitions = nullptr;  ///< kCapacity; nullptr = none
    };
    static constexpr std::size_t kBytes = AddressSpace::kHugePage;
    static constexpr std::size_t kCapacity = kBytes / sizeof(Transition);

    /// Address space for `bytes`, at least two chunks; for less where the system has less to give.
    static Result<TransitionChunks> make(std::uint64_t bytes);
    TransitionChunks(TransitionChunks &&other) noexcept;
    TransitionChunks &operator=(TransitionChunks &&) = delete;
    ~TransitionChunks();

    bool isEmpty() const { return m_ready.empty() && m_cold.empty(); }
    Chunk take();  ///< there must be one
    void giveBack(Chunk chunk);

private:
    explicit TransitionChunks(const AddressSpace &space);
    void makeReady();

    AddressSpace m_space;
    std::size_t m_wanted;             ///< so many are to be ready
    std::deque<std::byte *> m_ready;  ///< the last ones are in the cache, perhaps
    std::vector<std::byte *> m_cold;  ///< without memory
    std::unique_ptr<MemoryAhead> m_ahead;
};

}  // namespace ct
