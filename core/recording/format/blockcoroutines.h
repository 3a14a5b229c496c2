// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The coroutines of one block in order of appearance, with the state that predicts their next transition. Memory
// depends on the rows of a block, not on the coroutines of the run. Starting a new block clears no table.
#pragma once

#include "core/stream/stream.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace ct::ctr {

class BlockCoroutines {
public:
    static constexpr std::uint32_t kNoCell = 0xFFFF'FFFF;

    struct One {
        std::uint64_t nextN = 0;
        std::uint64_t addr = 0;  ///< own address: the first in this block that is not 0
        CoroutineId id = kNoCoroutine;
        std::uint32_t slot = 0;
        std::uint32_t last = kNoCell;        ///< cell of its latest row
        std::uint32_t beforeLast = kNoCell;  ///< cell of the row before
    };

    /// Starts a block with at most `rows` coroutines.
    void beginBlock(std::size_t rows)
    {
        m_count = 0;
        const std::size_t slots = std::bit_ceil(std::max<std::size_t>(rows, 512) * 2);
        if (slots > m_slots.size())
            m_slots.assign(slots, 0);
        if (rows > m_all.size())
            m_all.resize(rows);
        m_mask = static_cast<std::uint32_t>(m_slots.size() - 1);
    }

    std::uint32_t count() const { return m_count; }
    const One &operator[](std::uint32_t index) const { return m_all[index]; }

    /// Finds or adds the entry of a coroutine; a new entry has no cells. Ids are dense, so collisions are rare.
    One &of(CoroutineId id, bool &isNew)
    {
        std::uint32_t slot = id & m_mask;
        for (;; slot = (slot + 1) & m_mask) {
            const std::uint32_t index = m_slots[slot];
            // A slot that an earlier block filled names no present entry, or an entry with another slot.
            if (index >= m_count || m_all[index].slot != slot)
                break;
            if (m_all[index].id == id) [[likely]] {
                isNew = false;
                return m_all[index];
            }
        }
        isNew = true;
        m_slots[slot] = m_count;
        One &one = m_all[m_count++];
        one = One{};
        one.id = id;
        one.slot = slot;
        return one;
    }

private:
    std::vector<std::uint32_t> m_slots;  ///< index in m_all, at id & m_mask or a later slot
    std::vector<One> m_all;
    std::uint32_t m_mask = 0;
    std::uint32_t m_count = 0;
};

}  // namespace ct::ctr
