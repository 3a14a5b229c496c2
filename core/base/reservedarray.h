// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// A contiguous array that only grows. Its address space is reserved at once, and its memory is allocated as needed. One
// thread appends, any thread reads a published prefix.
#pragma once

#include "core/base/memoryahead.h"
#include "core/base/reservedrange.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <type_traits>

namespace ct {

/// From 8 MiB on, a background thread populates memory ahead of the writer: a quarter of the accessible part, at least
/// 8 MiB and at most 32 MiB.
///
/// Elements that the writer changes after publishing must consist of atomics.
template <class T>
class ReservedArray {
public:
    static_assert(std::is_trivially_destructible_v<T>);

    /// Reserves room for `capacity` elements, or for fewer if the system has too little address space.
    explicit ReservedArray(std::uint32_t capacity)
    {
        while (capacity != 0 && !(m_space = reserve(capacity * sizeof(T))).first)
            capacity /= 2;
        m_capacity = capacity;
        m_first = reinterpret_cast<T *>(m_space.first);
    }
    ~ReservedArray()
    {
        m_ahead.stop();
        unreserve(m_space);
    }
    ReservedArray(const ReservedArray &) = delete;
    ReservedArray &operator=(const ReservedArray &) = delete;

    /// Readers. All elements below the size are complete. Acquire; partner: publish().
    std::uint32_t size() const { return m_size.load(std::memory_order_acquire); }
    /// Writer only. Relaxed, because the writer itself stores the size.
    std::uint32_t sizeOfWriter() const { return m_size.load(std::memory_order_relaxed); }

    /// The first element. The address never changes.
    T *data() const { return m_first; }
    /// `index` must be below a size() that the caller has seen.
    T &operator[](std::uint32_t index) const { return m_first[index]; }

    /// Writer only. Constructs the next element, not yet visible to readers. Returns nullptr when the array is full.
    T *prepare() { return ensureSpace(true) ? new (m_first + sizeOfWriter()) T : nullptr; }
    /// Writer only. Reserves the next index without touching its memory, for an element that is never read. Returns
    /// false when the array is full.
    bool prepareHole() { return ensureSpace(false); }
    /// Writer only. Makes the prepared element visible to readers. Release; partner: size().
    void publish() { m_size.store(sizeOfWriter() + 1, std::memory_order_release); }

    /// Writer only. Returns the memory of the elements [begin, end) to the system, except for pages of the system that
    /// other elements share. Released memory reads as zero and uses no memory until the next write.
    void release(std::uint32_t begin, std::uint32_t end) { releasePages(m_first + begin, m_first + end); }

private:
    bool ensureSpace(bool ahead)
    {
        const std::uint32_t index = sizeOfWriter();
        if (index < m_growAt) [[likely]]
            return true;
        // Grow early, to give the background thread time to populate the memory.
        if (m_accessible < m_capacity && !grow(ahead) && index >= m_accessible)
            return false;
        m_growAt = m_accessible < m_capacity ? m_accessible - std::min(m_accessible, kPerStep / 2) : m_capacity;
        return index < m_accessible;
    }

    /// Limit of one growth, in bytes. A fixed limit is needed because most elements may have been released, so the
    /// array's size can far exceed its memory.
    static constexpr std::size_t kMostAhead = 16 * ReservedRange::kHugePage;
    static constexpr std::size_t kStep = 4 * ReservedRange::kHugePage;

    bool grow(bool ahead)
    {
        const std::size_t bytes = std::size_t{m_capacity} * sizeof(T);
        const std::size_t begin = std::size_t{m_accessible} / kPerStep * kStep;
        const std::size_t wanted = std::clamp(begin / 4 / kStep * kStep, kStep, kMostAhead);
        const std::size_t length = std::min(wanted, bytes - std::min(bytes, begin));
        auto *const from = reinterpret_cast<std::byte *>(m_first) + begin;
        if (m_accessible >= m_capacity)
            return false;
        if (!m_space.accessible && mprotect(from, length, PROT_READ | PROT_WRITE) != 0)
            return false;
        m_accessible = static_cast<std::uint32_t>(std::min<std::size_t>(
            m_capacity, m_accessible + length / kStep * kPerStep + (length < kStep ? kPerStep : 0)));
        if (ahead && begin >= kStep)
            m_ahead.prepare(from, length);
        return true;
    }

    static_assert(kStep % sizeof(T) == 0);
    static constexpr std::uint32_t kPerStep = kStep / sizeof(T);

    ReservedRange m_space;
    T *m_first = nullptr;
    std::uint32_t m_capacity = 0;
    std::uint32_t m_growAt = 0;      ///< index from which on ensureSpace() tries to grow
    std::uint32_t m_accessible = 0;  ///< elements whose memory may be touched; a multiple of kPerStep, or m_capacity
    std::atomic<std::uint32_t> m_size{0};
    MemoryAhead m_ahead;
};

}  // namespace ct
