// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/slabmemory.h"

#include "core/trace/historyslab.h"

#include <algorithm>
#include <sys/mman.h>

namespace ct::history {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMostAhead = std::size_t{128} << 20;

constexpr std::size_t roundUp(std::size_t bytes)
{
    return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

SlabMemory::SlabMemory(std::uint32_t slabs)
{
    for (; slabs != 0; slabs /= 2) {
        const std::size_t bytes = roundUp(std::size_t{slabs} * kSlabBytes);
        // Inaccessible memory counts nowhere, not even under strict overcommit accounting.
        void *space = ::mmap(nullptr, bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (space == MAP_FAILED)
            continue;
        m_space = static_cast<std::byte *>(space);
        m_spaceBytes = bytes + kHugePage;
        m_slabs = slabs;
        m_first =
            m_space + (roundUp(reinterpret_cast<std::uintptr_t>(space)) - reinterpret_cast<std::uintptr_t>(space));
        (void)::madvise(m_first, bytes, MADV_HUGEPAGE);
        return;
    }
}

SlabMemory::~SlabMemory()
{
    m_ahead.end();
    if (m_space)
        ::munmap(m_space, m_spaceBytes);
}

bool SlabMemory::makeAccessible(std::size_t end, bool ahead)
{
    end = std::min(roundUp(end), roundUp(std::size_t{m_slabs} * kSlabBytes));
    if (end <= m_accessible)
        return true;
    std::byte *const from = m_first + m_accessible;
    const std::size_t bytes = end - m_accessible;
    if (::mprotect(from, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    m_accessible = end;
    if (ahead)
        m_ahead.prepare(from, bytes);
    return true;
}

std::byte *SlabMemory::next()
{
    const std::size_t begin = std::size_t{m_given} * kSlabBytes;
    const std::size_t end = begin + kSlabBytes;
    const std::size_t ahead = std::min(begin / 4 / kHugePage * kHugePage, kMostAhead);
    if (m_given == m_slabs)
        return nullptr;
    // What is to be ready ahead of its turn may fail; it is asked for again then.
    if (!(ahead != 0 && makeAccessible(end + ahead, true)) && !makeAccessible(end, false))
        return nullptr;
    ++m_given;
    return m_first + begin;
}

void SlabMemory::prepareAll()
{
    if (makeAccessible(m_spaceBytes, false))
        m_ahead.prepare(m_first, m_accessible);
    m_ahead.wait();
}

}  // namespace ct::history
