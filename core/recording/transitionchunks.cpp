// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/transitionchunks.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace ct {

namespace {

constexpr std::size_t kReadyBytes = std::size_t{128} << 20;

// Copied as bytes into memory that nobody constructed anything in.
static_assert(std::is_trivially_copyable_v<Transition>);

/// Address space without a promise of memory, aligned to chunks; nullptr where there is not as much.
std::byte *reserve(std::size_t bytes)
{
    const std::size_t whole = bytes + TransitionChunks::kBytes;
    void *mapped = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return nullptr;
    auto *begin = static_cast<std::byte *>(mapped);
    const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(begin) % TransitionChunks::kBytes;
    if (skipped > 0)
        ::munmap(begin, skipped);
    ::munmap(begin + skipped + bytes, whole - skipped - bytes);
    ::madvise(begin + skipped, bytes, MADV_HUGEPAGE);
    return begin + skipped;
}

}  // namespace

Result<TransitionChunks> TransitionChunks::make(std::uint64_t bytes)
{
    for (std::size_t chunks = std::max<std::size_t>(2, bytes / kBytes); chunks >= 2; chunks /= 2) {
        if (std::byte *memory = reserve(chunks * kBytes))
            return TransitionChunks(memory, chunks);
    }
    return errnoError(ENOMEM, "no memory for the queue before the output file");
}

TransitionChunks::TransitionChunks(std::byte *memory, std::size_t chunks)
    : m_memory(memory),
      m_bytes(chunks * kBytes),
      m_wanted(std::min(kReadyBytes / kBytes, (chunks + 3) / 4)),
      m_ahead(std::make_unique<MemoryAhead>())
{
    for (std::size_t i = chunks; i-- > 0;)
        m_cold.push_back(memory + i * kBytes);
    makeReady();
}

TransitionChunks::TransitionChunks(TransitionChunks &&other) noexcept
    : m_memory(std::exchange(other.m_memory, nullptr)),
      m_bytes(other.m_bytes),
      m_wanted(other.m_wanted),
      m_ready(std::move(other.m_ready)),
      m_cold(std::move(other.m_cold)),
      m_ahead(std::move(other.m_ahead))
{
}

TransitionChunks::~TransitionChunks()
{
    if (!m_memory)
        return;
    m_ahead->end();
    ::munmap(m_memory, m_bytes);
}

/// They are used last, when they have their memory, perhaps.
void TransitionChunks::makeReady()
{
    while (m_ready.size() < m_wanted && !m_cold.empty()) {
        m_ready.push_front(m_cold.back());
        m_cold.pop_back();
        m_ahead->prepare(m_ready.front(), kBytes);
    }
}

TransitionChunks::Chunk TransitionChunks::take()
{
    makeReady();
    std::byte *memory = m_ready.back();
    m_ready.pop_back();
    makeReady();
    return {reinterpret_cast<Transition *>(memory)};
}

void TransitionChunks::giveBack(Chunk chunk)
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
