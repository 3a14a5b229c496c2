// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory of raw chunks: its budget, and which chunks are used again.
#include "core/collect/chunkpool.h"
#include "tests/support/check.h"

#include <set>
#include <vector>

using ct::ChunkPool;
using ct::RawChunk;

namespace {

constexpr std::uint64_t kBudget = std::uint64_t{4} << 20;

std::vector<RawChunk *> takeAll(ChunkPool &pool)
{
    std::vector<RawChunk *> all;
    while (RawChunk *const chunk = pool.takeChunk())
        all.push_back(chunk);
    return all;
}

}  // namespace

/// Including the chunks themselves, which take less than two hundredths of it.
CT_CASE(theBudgetIsExact)
{
    ChunkPool pool(kBudget);
    CHECK_EQUAL(pool.budget(), kBudget);
    const std::vector<RawChunk *> all = takeAll(pool);
    CHECK(all.size() * RawChunk::kBytes <= kBudget && all.size() * RawChunk::kBytes > kBudget * 98 / 100);
    CHECK_EQUAL(pool.bytesTouched(), kBudget);
    std::set<const void *> memory;
    for (RawChunk *const chunk : all) {
        chunk->packets[0] = chunk->packets[RawChunk::kBytes - 1] = std::byte{1};
        memory.insert(chunk->packets);
    }
    CHECK_EQUAL(memory.size(), all.size());
    CHECK(*memory.rbegin() < static_cast<const std::byte *>(*memory.begin()) + kBudget);
}

/// The latest chunk first, because its memory may still be in a cache. No new memory while a chunk is free.
CT_CASE(releasedChunksAreUsedFirst)
{
    ChunkPool pool(kBudget);
    RawChunk *const first = pool.takeChunk();
    RawChunk *const second = pool.takeChunk();
    REQUIRE(first && second);
    const std::uint64_t touched = pool.bytesTouched();
    for (int i = 0; i < 10'000; ++i) {
        second->threadName = second->droppedAtEnd = second->endedNs = 1;
        second->next.store(first);
        CHECK_EQUAL(pool.bytesInUse(), 2 * RawChunk::kBytes);
        pool.releaseChunk(second);
        CHECK_EQUAL(pool.bytesInUse(), RawChunk::kBytes);
        CHECK(pool.takeChunk() == second);
    }
    CHECK(second->threadName == 0 && second->droppedAtEnd == 0 && second->endedNs == 0 && !second->next.load());
    CHECK_EQUAL(pool.bytesTouched(), touched);
    const std::vector<RawChunk *> rest = takeAll(pool);
    CHECK(!rest.empty());
    pool.releaseChunk(first);
    CHECK(pool.takeChunk() == first);
    CHECK(!pool.takeChunk());
}

CT_CASE(theUsualBudgetIsAShareOfTheMemory)
{
    CHECK(ChunkPool::usualBudget() >= std::uint64_t{1} << 20);
}
