// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/symbolmemory.h"

#include <algorithm>
#include <atomic>
#include <unistd.h>

namespace ct {

namespace {

std::uint64_t usualLimit()
{
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long pageSize = ::sysconf(_SC_PAGESIZE);
    const std::uint64_t memory =
        pages > 0 && pageSize > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(pageSize) : 0;
    return std::clamp<std::uint64_t>(memory / 4, std::uint64_t{512} << 20, std::uint64_t{8} << 30);
}

// Relaxed: plain sums, which publish nothing. Constant-initialized and never destroyed, because a worker's thread may
// still run while the process ends.
constinit std::atomic<std::uint64_t> usedBytes{0};
constinit std::atomic<std::uint64_t> mostBytes{0};  ///< 0 = usualLimit()

}  // namespace

std::uint64_t SymbolMemory::limit()
{
    const std::uint64_t most = mostBytes.load(std::memory_order_relaxed);
    return most != 0 ? most : usualLimit();
}

void SymbolMemory::setLimit(std::uint64_t bytes)
{
    mostBytes.store(bytes, std::memory_order_relaxed);
}

std::uint64_t SymbolMemory::used()
{
    return usedBytes.load(std::memory_order_relaxed);
}

bool SymbolMemory::addBytes(std::uint64_t bytes)
{
    const std::uint64_t most = limit();
    std::uint64_t before = usedBytes.load(std::memory_order_relaxed);
    do {
        if (before > most || bytes > most - before)
            return false;
    } while (!usedBytes.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    m_bytes += bytes;
    return true;
}

bool SymbolMemory::reserve(std::uint64_t bytes)
{
    const bool reserved = addBytes(bytes);
    m_real += reserved ? bytes : 0;
    return reserved;
}

bool SymbolMemory::reserveDerived(std::uint64_t bytes)
{
    const std::uint64_t most = kFree + kFactor * m_real;
    const bool reserved = bytes <= most && m_derived <= most - bytes && addBytes(bytes);
    m_derived += reserved ? bytes : 0;
    return reserved;
}

void SymbolMemory::releaseDerived(std::uint64_t bytes)
{
    const std::uint64_t released = std::min(bytes, m_derived);
    m_derived -= released;
    release(released);
}

void SymbolMemory::release(std::uint64_t bytes)
{
    m_bytes -= bytes;
    usedBytes.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace ct
