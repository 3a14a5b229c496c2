// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/transitionpool.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace ct {

namespace {

constexpr std::size_t kReadyBytes = std::size_t{128} << 20;

// Transitions are copied as bytes into memory without constructed objects.
static_assert(std::is_trivially_copyable_v<Transition>);

}  // namespace

Result<TransitionPool> TransitionPool::make(std::uint64_t bytes)
{
    for (std::size_t chunks = std::max<std::size_t>(2, bytes / kBytes); chunks >= 2; chunks /= 2) {
        const ReservedRange space = reserve(chunks * kBytes);
        if (space.accessible || (space.first && ::mprotect(space.first, space.bytes, PROT_READ | PROT_WRITE) == 0))
            return TransitionPool(space);
        unreserve(space);
    }
    return errnoError(ENOMEM, "no memory for the queue before the output file",
                      "raise the limit of the address space (ulimit -v)");
}

TransitionPool::TransitionPool(const ReservedRange &space)
    : m_space(space),
      m_wanted(std::min(kReadyBytes / kBytes, (space.bytes / kBytes + 3) / 4)),
      m_ahead(std::make_unique<MemoryAhead>())
{
    for (std::size_t i = space.bytes / kBytes; i-- > 0;)
        m_cold.push_back(space.first + i * kBytes);
    makeReady();
}

TransitionPool::TransitionPool(TransitionPool &&other) noexcept
    : m_space(std::exchange(other.m_space, {})),
      m_wanted(other.m_wanted),
      m_ready(std::move(other.m_ready)),
      m_cold(std::move(other.m_cold)),
      m_ahead(std::move(other.m_ahead))
{
}

TransitionPool::~TransitionPool()
{
    if (m_ahead)
        m_ahead->stop();
    unreserve(m_space);
}

/// Prepares chunks and puts them in front: takeChunk() uses these last, when their memory is probably there.
void TransitionPool::makeReady()
{
    while (m_ready.size() < m_wanted && !m_cold.empty()) {
        m_ready.push_front(m_cold.back());
        m_cold.pop_back();
        m_ahead->prepare(m_ready.front(), kBytes);
    }
}

TransitionPool::Chunk TransitionPool::takeChunk()
{
    makeReady();
    std::byte *memory = m_ready.back();
    m_ready.pop_back();
    makeReady();
    return {reinterpret_cast<Transition *>(memory)};
}

void TransitionPool::release(Chunk chunk)
{
    auto *memory = reinterpret_cast<std::byte *>(chunk.transitions);
    if (m_ready.size() < 2 * m_wanted) {
        m_ready.push_back(memory);
        return;
    }
    ::madvise(memory, kBytes, MADV_DONTNEED);
    m_cold.push_back(memory);
}

}  // namespace ct
