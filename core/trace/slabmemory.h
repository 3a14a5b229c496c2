// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory of the History's slabs: one contiguous reservation of address space, with huge pages where the system has
// them. Memory is requested as needed. Once much is in use, a quarter more (at most 128 MiB) is requested ahead.
#pragma once

#include "core/base/memoryahead.h"
#include "core/base/reservedrange.h"

#include <cstddef>
#include <cstdint>

namespace ct::history {

/// For one thread; any thread may use the slabs.
class SlabMemory {
public:
    /// Reserves address space for `slabs` slabs, or for fewer if the system has less; see slabs().
    explicit SlabMemory(std::uint32_t slabs);
    ~SlabMemory();
    SlabMemory(const SlabMemory &) = delete;
    SlabMemory &operator=(const SlabMemory &) = delete;

    /// Number of slabs that fit.
    std::uint32_t slabs() const { return m_slabs; }
    /// The next slab, all zero, page-aligned; nullptr if none is left, or if the system has no memory for it.
    std::byte *next();
    /// Makes the system provide all memory now, and waits for it.
    void prepareAll();

private:
    bool makeAccessible(std::size_t end, bool ahead);

    ReservedRange m_space;
    std::uint32_t m_slabs = 0;
    std::uint32_t m_used = 0;
    std::size_t m_accessible = 0;  ///< bytes from the first slab on
    MemoryAhead m_ahead;
};

}  // namespace ct::history
