// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/chunkpool.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

constexpr std::uint64_t kShareOfMemory = 8;
constexpr std::uint64_t kShareOfAddressSpace = 16;
constexpr std::uint64_t kWithoutKnownMemory = std::uint64_t{512} << 20;
/// Memory is prepared ahead for this share of the budget. More would take processor time from the rest.
constexpr std::uint64_t kShareAhead = 64;
/// As kShareAhead, at the start of a capture.
constexpr std::uint64_t kShareAtStart = 48;

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
    takeReleased();
    RawChunk *chunk = m_free;
    if (chunk) {
        m_free = chunk->below;
    } else {
        chunk = takeBare();
        std::byte *const memory = chunk ? takeMemory() : nullptr;
        if (!memory)
            return nullptr;
        m_bare = chunk->below;
        chunk->packets = memory;
    }
    chunk->threadName = chunk->droppedAtEnd = chunk->endedNs = 0;
    chunk->next.store(nullptr, std::memory_order_relaxed);  // published with the chunk
    chunk->spill = {};
    m_inUse.fetch_add(1, std::memory_order_relaxed);
    return chunk;
}

/// The latest ones come first: their memory may still be in a cache.
void ChunkPool::takeReleased()
{
    for (RawChunk *chunk = m_released.takeAll(); chunk;) {
        RawChunk *const below = chunk->below;
        RawChunk *&list = chunk->packets ? m_free : m_bare;
        chunk->below = list;
        list = chunk;
        chunk = below;
    }
    for (Memory *memory = m_releasedMemory.takeAll(); memory;) {
        Memory *const below = memory->below;
        memory->below = m_loose;
        m_loose = memory;
        memory = below;
    }
}

void ChunkPool::releaseChunk(RawChunk *chunk)
{
    if (chunk->packets)
        m_inUse.fetch_sub(1, std::memory_order_relaxed);
    m_released.push(chunk);
}

void ChunkPool::releaseMemory(RawChunk &chunk)
{
    m_inUse.fetch_sub(1, std::memory_order_relaxed);
    m_releasedMemory.push(new (chunk.packets) Memory);
    chunk.packets = nullptr;
}

/// Returns the first chunk of m_bare; nullptr if the system has no memory for one.
RawChunk *ChunkPool::takeBare()
{
    if (m_bare)
        return m_bare;
    std::unique_ptr<RawChunk[]> chunks(new (std::nothrow) RawChunk[kChunksAtOnce]);
    if (!chunks)
        return nullptr;
    for (std::size_t i = kChunksAtOnce; i-- > 0;) {
        chunks[i].below = m_bare;
        m_bare = &chunks[i];
    }
    m_chunks.push_back(std::move(chunks));
    return m_bare;
}

/// Returns nullptr if the budget is used up.
std::byte *ChunkPool::takeMemory()
{
    if (Memory *const memory = m_loose) {
        m_loose = memory->below;
        return reinterpret_cast<std::byte *>(memory);
    }
    if (m_begun % kBlock == 0 && !addBlock())
        return nullptr;
    std::byte *const memory = m_space.first + m_begun;
    m_begun += RawChunk::kBytes;
    return memory;
}

/// Returns false if the budget is used up.
bool ChunkPool::addBlock()
{
    if (m_begun >= m_space.bytes)
        return false;
    if (!m_space.accessible && ::mprotect(m_space.first + m_begun, kBlock, PROT_READ | PROT_WRITE) != 0)
        return false;
    m_touched.store(m_begun + kBlock, std::memory_order_relaxed);
    prepareAhead();
    return true;
}

/// A small capture needs no thread for this.
void ChunkPool::prepareAhead()
{
    if (m_begun >= kBlock)
        prepareTo(m_begun + kBlock + m_space.bytes / kShareAhead);
}

void ChunkPool::prepareStart()
{
    prepareTo(m_space.bytes / kShareAtStart);
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
