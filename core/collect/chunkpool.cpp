// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/chunkpool.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::uint64_t kShareOfMemory = 8;
constexpr std::uint64_t kShareOfAddressSpace = 16;
constexpr std::uint64_t kWithoutKnownMemory = std::uint64_t{512} << 20;
/// Memory is prepared ahead for this share of the budget, and not for more than a spill file leaves in memory: more
/// would take processor time from the rest.
constexpr std::uint64_t kShareAhead = 64;
constexpr std::uint64_t kMostAhead = std::uint64_t{40} << 20;

}  // namespace

std::uint64_t ChunkPool::usualBudget()
{
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long pageBytes = ::sysconf(_SC_PAGESIZE);
    const std::uint64_t memory =
        pages > 0 && pageBytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(pageBytes) : 0;
    std::uint64_t budget = memory != 0 ? memory / kShareOfMemory : kWithoutKnownMemory;
    rlimit space{};
    if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        budget = std::min<std::uint64_t>(budget, space.rlim_cur / kShareOfAddressSpace);
    return budget;
}

ChunkPool::ChunkPool(std::uint64_t budget)
{
    for (std::uint64_t bytes = std::max<std::uint64_t>(budget, kBlock); bytes >= kBlock && !m_space.first; bytes /= 2)
        m_space = reserve(bytes);
}

ChunkPool::~ChunkPool()
{
    m_ahead.stop();
    unreserve(m_space);
}

RawChunk *ChunkPool::takeChunk()
{
    // The latest ones first: their memory may still be in a cache.
    for (RawChunk *chunk = m_released.takeAll(); chunk;) {
        RawChunk *const below = chunk->below;
        chunk->below = m_free;
        m_free = chunk;
        chunk = below;
    }
    if (!m_free && !addBlock())
        return nullptr;
    RawChunk *const chunk = m_free;
    m_free = chunk->below;
    chunk->threadName = chunk->droppedAtEnd = chunk->endedNs = 0;
    chunk->next.store(nullptr, std::memory_order_relaxed);  // published with the chunk
    chunk->spill = {};
    m_inUse.fetch_add(1, std::memory_order_relaxed);
    return chunk;
}

void ChunkPool::releaseChunk(RawChunk *chunk)
{
    m_inUse.fetch_sub(1, std::memory_order_relaxed);
    m_released.push(chunk);
}

/// Adds the chunks of the next block to the free ones. Returns false if the budget is used up.
bool ChunkPool::addBlock()
{
    if (m_used >= m_space.bytes)
        return false;
    std::byte *const block = m_space.first + m_used;
    if (!m_space.accessible && ::mprotect(block, kBlock, PROT_READ | PROT_WRITE) != 0)
        return false;
    for (std::size_t slot = kSlots; slot-- > kSlotsOfChunks;) {
        auto *const chunk = new (block + slot * sizeof(RawChunk)) RawChunk;
        chunk->packets = block + slot * RawChunk::kBytes;
        chunk->below = m_free;
        m_free = chunk;
    }
    m_used += kBlock;
    m_touched.store(m_used, std::memory_order_relaxed);
    prepareAhead();
    return true;
}

/// A small capture needs no thread for this.
void ChunkPool::prepareAhead()
{
    if (m_used >= 2 * kBlock)
        prepareTo(m_used + std::min(m_space.bytes / kShareAhead, kMostAhead));
}

void ChunkPool::prepareStart()
{
    prepareTo(std::min(m_space.bytes / kShareAhead, kMostAhead));
    m_ahead.wait();
}

/// Under strict accounting, memory must not be touched before it is needed.
void ChunkPool::prepareTo(std::size_t end)
{
    end = std::min(end / kBlock * kBlock, m_space.bytes);
    if (!m_space.accessible || end <= m_prepared)
        return;
    m_ahead.prepare(m_space.first + m_prepared, end - m_prepared);
    m_prepared = end;
}

}  // namespace ct
