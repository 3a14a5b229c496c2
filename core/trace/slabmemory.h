// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory of the History's slabs: address space for all of them, side by side, in huge pages where the system has
// them. It is asked for as it is needed, a quarter ahead of that once there is much of it.
#pragma once

#include "core/trace/addressspace.h"
#include "core/trace/memoryahead.h"

#include <cstddef>
#include <cstdint>

namespace ct::history {

/// One thread's, but for the memory itself.
class SlabMemory {
public:
    /// Address space for `slabs` slabs; for fewer where the system has less to give. See slabs().
    explicit SlabMemory(std::uint32_t slabs);
    ~SlabMemory();
    SlabMemory(const SlabMemory &) = delete;
    SlabMemory &operator=(const SlabMemory &) = delete;

    /// How many there can be.
    std::uint32_t slabs() const { return m_slabs; }
    /// The next slab, all zero, aligned to a page; nullptr if there is none left, or the system has no memory to
    /// promise.
    std::byte *next();
    /// Has the system give all of it now, and waits.
    void prepareAll();

private:
    bool makeAccessible(std::size_t end, bool ahead);

    AddressSpace m_space;
    std::uint32_t m_slabs = 0;
    std::uint32_t m_given = 0;
    std::size_t m_accessible = 0;  ///< bytes from the first on
    MemoryAhead m_ahead;
};

}  // namespace ct::history
