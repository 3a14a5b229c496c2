// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// An array that allocates memory only for the chunks that are written. One thread writes, any thread reads. Elements
// never move.
#pragma once

#include "core/base/reservedrange.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace ct {

/// T must be default constructible and consist of atomics. Its default value must be all zero bytes and mean "empty".
template <class T, unsigned ChunkBits, unsigned DirectoryBits>
class SparseArray {
public:
    static constexpr std::uint32_t kCapacity = std::uint32_t{1} << (ChunkBits + DirectoryBits);

    SparseArray() = default;
    ~SparseArray()
    {
        if (!m_writersChunks)
            return;
        for (std::size_t i = 0; i < std::size_t{1} << DirectoryBits; ++i)
            ::operator delete[](m_writersChunks[i].load(std::memory_order_relaxed), kAlignment);
    }
    SparseArray(const SparseArray &) = delete;
    SparseArray &operator=(const SparseArray &) = delete;

    /// Writer only. Returns the element and allocates its chunk if needed. `index` must be below kCapacity.
    T &make(std::uint32_t index)
    {
        if (!m_writersChunks) {
            m_writersChunks.reset(new std::atomic<T *>[std::size_t{1} << DirectoryBits]());
            m_chunks.store(m_writersChunks.get(), std::memory_order_release);  // partner: find()
        }
        std::atomic<T *> &chunk = m_writersChunks[index >> ChunkBits];
        T *first = chunk.load(std::memory_order_relaxed);
        if (!first) {
            first = new (kAlignment) T[std::size_t{1} << ChunkBits]();
            m_made.fetch_add(sizeof(T) << ChunkBits, std::memory_order_relaxed);
            chunk.store(first, std::memory_order_release);  // partner: find()
        }
        return first[index & kMask];
    }

    /// Writer only. Makes [begin, end) empty again and frees the memory. Elements on a page of the system that is only
    /// partly in the range keep their values.
    void release(std::uint32_t begin, std::uint32_t end)
    {
        constexpr std::uint32_t kChunk = std::uint32_t{1} << ChunkBits;
        while (m_writersChunks && begin < end) {
            const std::uint32_t chunkEnd = std::min(end, (begin / kChunk + 1) * kChunk);
            if (T *first = m_writersChunks[begin >> ChunkBits].load(std::memory_order_relaxed))
                releasePages(first + (begin & kMask), first + (begin & kMask) + (chunkEnd - begin));
            begin = chunkEnd;
        }
    }
    /// Any thread. Returns the bytes allocated so far, including released ones.
    std::uint64_t bytesMade() const { return m_made.load(std::memory_order_relaxed); }

    /// Any thread. Returns nullptr if the chunk of `index` was never allocated.
    const T *find(std::uint32_t index) const
    {
        const std::atomic<T *> *chunks = m_chunks.load(std::memory_order_acquire);
        if (!chunks || index >= kCapacity)
            return nullptr;
        const T *first = chunks[index >> ChunkBits].load(std::memory_order_acquire);
        return first ? first + (index & kMask) : nullptr;
    }

private:
    static_assert(std::is_trivially_destructible_v<T>);
    static constexpr std::align_val_t kAlignment{4096};
    static constexpr std::uint32_t kMask = (std::uint32_t{1} << ChunkBits) - 1;
    std::unique_ptr<std::atomic<T *>[]> m_writersChunks;
    std::atomic<const std::atomic<T *> *> m_chunks{nullptr};
    std::atomic<std::uint64_t> m_made{0};
};

}  // namespace ct
