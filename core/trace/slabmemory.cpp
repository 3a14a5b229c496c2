// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/slabmemory.h"

#include "core/trace/historyslab.h"

#include <algorithm>
#include <sys/mman.h>

namespace ct::history {

namespace {

constexpr std::size_t kHugePage = ReservedRange::kHugePage;
constexpr std::size_t kMostAhead = std::size_t{128} << 20;

constexpr std::size_t roundUp(std::size_t bytes)
{
    return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

SlabMemory::SlabMemory(std::uint32_t slabs)
{
    while (slabs != 0 && !(m_space = reserve(std::size_t{slabs} * kSlabBytes)).first)
        slabs /= 2;
    m_slabs = slabs;
}

SlabMemory::~SlabMemory()
{
    m_ahead.stop();
    unreserve(m_space);
}

bool SlabMemory::makeAccessible(std::size_t end, bool ahead)
{
    end = std::min(roundUp(end), m_space.bytes);
    if (end <= m_accessible)
        return true;
    std::byte *const from = m_space.first + m_accessible;
    const std::size_t bytes = end - m_accessible;
    if (!m_space.accessible && ::mprotect(from, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    m_accessible = end;
    if (ahead)
        m_ahead.prepare(from, bytes);
    return true;
}

std::byte *SlabMemory::next()
{
    const std::size_t begin = std::size_t{m_used} * kSlabBytes;
    const std::size_t end = begin + kSlabBytes;
    const std::size_t ahead = std::min(begin / 4 / kHugePage * kHugePage, kMostAhead);
    if (m_used == m_slabs)
        return nullptr;
    // The memory ahead may fail now; it is requested again when it is needed.
    if (!(ahead != 0 && makeAccessible(end + ahead, true)) && !makeAccessible(end, false))
        return nullptr;
    ++m_used;
    return m_space.first + begin;
}

void SlabMemory::prepareAll()
{
    if (makeAccessible(m_space.bytes, false))
        m_ahead.prepare(m_space.first, m_accessible);
    m_ahead.wait();
}

}  // namespace ct::history
