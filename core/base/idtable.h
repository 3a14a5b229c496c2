// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Values for ids that are given in order and never again, such as those of coroutines. Finding one takes two loads, and
// its memory depends on how many ids have a value, not on how many were given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <vector>

namespace ct {

/// Values never move. Memory of erased ones is used again, and freed with the table. Not thread-safe.
template <class T>
class IdTable {
public:
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }

    /// Returns nullptr if the id has no value.
    T *find(std::uint32_t id) const
    {
        const std::uint32_t slot = slotOf(id);
        return slot != 0 ? valueIn(slot) : nullptr;
    }
    /// Returns the value of the id, after making one if needed.
    T &operator[](std::uint32_t id)
    {
        if (T *const known = find(id))
            return *known;
        if (m_blocks.size() <= id / kBlock)
            m_blocks.resize(id / kBlock + 1);
        std::unique_ptr<Block> &block = m_blocks[id / kBlock];
        if (!block)
            block = std::make_unique<Block>();
        const std::uint32_t slot = takeSlot();
        block->slots[id % kBlock] = slot;
        ++block->used;
        ++m_size;
        return *new (valueIn(slot)) T();
    }
    void erase(std::uint32_t id)
    {
        const std::uint32_t slot = slotOf(id);
        if (slot == 0)
            return;
        std::unique_ptr<Block> &block = m_blocks[id / kBlock];
        block->slots[id % kBlock] = 0;
        if (--block->used == 0)
            block.reset();
        m_freeSlots.push_back(slot);
        --m_size;
    }
    /// Calls visit(id, value) in the order of ids. It may erase this id.
    template <class Visit>
    void forEach(Visit &&visit) const
    {
        for (std::uint32_t block = 0; block < m_blocks.size(); ++block)
            for (std::uint32_t i = 0; i < kBlock && m_blocks[block]; ++i)
                if (const std::uint32_t slot = m_blocks[block]->slots[i]; slot != 0)
                    visit(block * kBlock + i, *valueIn(slot));
    }

private:
    static_assert(std::is_trivially_destructible_v<T>);
    /// Ids whose slots are allocated together.
    static constexpr std::uint32_t kBlock = 1024;
    struct Block {
        std::array<std::uint32_t, kBlock> slots{};  ///< number of the slot, from 1; 0 = no value
        std::uint32_t used = 0;
    };
    /// Slots that are allocated together: a huge page, because a miss in the TLB costs as much as one in the cache.
    static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
    static constexpr std::uint32_t kChunk = kChunkBytes / sizeof(T);
    struct FreeChunk {
        void operator()(std::byte *chunk) const { ::operator delete[](chunk, std::align_val_t(kChunkBytes)); }
    };

    std::uint32_t slotOf(std::uint32_t id) const
    {
        const std::size_t block = id / kBlock;
        return block < m_blocks.size() && m_blocks[block] ? m_blocks[block]->slots[id % kBlock] : 0;
    }
    T *valueIn(std::uint32_t slot) const
    {
        return reinterpret_cast<T *>(m_chunks[(slot - 1) / kChunk].get()) + (slot - 1) % kChunk;
    }
    std::uint32_t takeSlot()
    {
        if (!m_freeSlots.empty()) {
            const std::uint32_t slot = m_freeSlots.back();
            m_freeSlots.pop_back();
            return slot;
        }
        if (m_usedSlots == m_chunks.size() * kChunk) {
            m_chunks.emplace_back(new (std::align_val_t(kChunkBytes)) std::byte[kChunkBytes]);
            madvise(m_chunks.back().get(), kChunkBytes, MADV_HUGEPAGE);
        }
        return ++m_usedSlots;
    }

    std::vector<std::unique_ptr<Block>> m_blocks;  ///< by id; nullptr: none of its ids has a value
    std::vector<std::unique_ptr<std::byte, FreeChunk>> m_chunks;
    std::vector<std::uint32_t> m_freeSlots;
    std::uint32_t m_usedSlots = 0;  ///< including free ones
    std::size_t m_size = 0;
};

}  // namespace ct
