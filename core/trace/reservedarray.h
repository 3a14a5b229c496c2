// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An array that only grows and lies in one piece: its address space is reserved at once, its memory comes when it is
// needed. One thread appends, any thread reads a published prefix.
#pragma once

#include "core/trace/addressspace.h"
#include "core/trace/memoryahead.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <type_traits>

namespace ct {

/// Memory is made ready ahead once the array is large: a quarter of what is in use, 32 MiB at most.
///
/// T: elements that the writer changes after publishing must be made of atomics.
template <class T>
class ReservedArray {
public:
    static_assert(std::is_trivially_destructible_v<T>);

    /// Room for `capacity` elements; for fewer where the system has less address space to give.
    explicit ReservedArray(std::uint32_t capacity)
    {
        while (capacity != 0 && !(m_space = reserve(capacity * sizeof(T))).first)
            capacity /= 2;
        m_capacity = capacity;
        m_first = reinterpret_cast<T *>(m_space.first);
    }
    ~ReservedArray()
    {
        m_ahead.end();
        unreserve(m_space);
    }
    ReservedArray(const ReservedArray &) = delete;
    ReservedArray &operator=(const ReservedArray &) = delete;

    /// Readers: elements below it are complete. Acquire; partner: publish().
    std::uint32_t size() const { return m_size.load(std::memory_order_acquire); }
    /// Writer: what it has published itself.
    std::uint32_t sizeOfWriter() const { return m_size.load(std::memory_order_relaxed); }

    /// The first element; constant for life.
    T *data() const { return m_first; }
    /// `index` must be below a size() that the caller has seen.
    T &operator[](std::uint32_t index) const { return m_first[index]; }

    /// Writer: the next element, not yet visible to readers; nullptr when there is no more room.
    T *prepare() { return hasRoom(true) ? new (m_first + sizeOfWriter()) T : nullptr; }
    /// Writer: the same for an element that nobody will look at: it takes no memory. False when there is no more room.
    bool prepareHole() { return hasRoom(false); }
    /// Writer: makes the prepared element visible. Release; partner: size().
    void publish() { m_size.store(sizeOfWriter() + 1, std::memory_order_release); }

    /// Writer: gives memory of the elements [begin, end) back, except where others share a page of the system with
    /// them. Zero bytes are in its place, which take no memory until somebody writes there.
    void release(std::uint32_t begin, std::uint32_t end) { releasePages(m_first + begin, m_first + end); }

private:
    bool hasRoom(bool ahead)
    {
        const std::uint32_t index = sizeOfWriter();
        if (index < m_growAt) [[likely]]
            return true;
        // Early, so that there is time to make the memory ready.
        if (m_accessible < m_capacity && !grow(ahead) && index >= m_accessible)
            return false;
        m_growAt = m_accessible < m_capacity ? m_accessible - std::min(m_accessible, kPerStep / 2) : m_capacity;
        return index < m_accessible;
    }

    /// Ahead, at most: most of the elements may have been given back.
    static constexpr std::size_t kMostAhead = 16 * AddressSpace::kHugePage;
    static constexpr std::size_t kStep = 4 * AddressSpace::kHugePage;

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

    AddressSpace m_space;
    T *m_first = nullptr;
    std::uint32_t m_capacity = 0;
    std::uint32_t m_growAt = 0;      ///< the element before which more is made accessible
    std::uint32_t m_accessible = 0;  ///< elements whose memory may be touched; a multiple of kPerStep, or m_capacity
    std::atomic<std::uint32_t> m_size{0};
    MemoryAhead m_ahead;
};

}  // namespace ct
