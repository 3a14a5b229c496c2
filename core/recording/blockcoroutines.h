// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The coroutines that appear in one block, in order of appearance, with what predicts their next transition. Takes
// memory for the rows of a block, however many coroutines the run has; a new block costs nothing.
#pragma once

#include "core/trace/stream.h"

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
        std::uint64_t addr = 0;  ///< its own: the first one that is not 0
        CoroutineId id = kNoCoroutine;
        std::uint32_t slot = 0;
        std::uint32_t last = kNoCell;  ///< cell of its latest row, and of the
        std::uint32_t beforeLast = kNoCell;
    };

    /// Forgets all of them. There will be at most `rows`.
    void begin(std::size_t rows)
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

    /// The entry of a coroutine; a new one has no cells. Ids are dense, so that neighbours seldom meet.
    One &of(CoroutineId id, bool &isNew)
    {
        std::uint32_t slot = id & m_mask;
        for (;; slot = (slot + 1) & m_mask) {
            const std::uint32_t index = m_slots[slot];
            // What an earlier block left points to an entry that is not there, or has another slot.
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
    std::vector<std::uint32_t> m_slots;  ///< index in m_all, at id & m_mask or behind
    std::vector<One> m_all;
    std::uint32_t m_mask = 0;
    std::uint32_t m_count = 0;
};

}  // namespace ct::ctr
