// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// An array that only grows, in chunks, and whose elements never move. One thread appends, any thread reads a published
// prefix.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ct {

/// A chunk has 2^ChunkBits elements, and there are at most 2^DirectoryBits chunks. T must be default constructible.
/// Elements that the writer changes after publishing must consist of atomics.
template <class T, unsigned ChunkBits, unsigned DirectoryBits>
class ChunkedArray {
public:
    static constexpr std::uint32_t kCapacity = std::uint32_t{1} << (ChunkBits + DirectoryBits);

    ChunkedArray() : m_chunks(new std::atomic<T *>[std::size_t{1} << DirectoryBits]()) {}
    ~ChunkedArray()
    {
        for (std::size_t i = 0; i < std::size_t{1} << DirectoryBits; ++i)
            delete[] m_chunks[i].load(std::memory_order_relaxed);
    }
    ChunkedArray(const ChunkedArray &) = delete;
    ChunkedArray &operator=(const ChunkedArray &) = delete;

    /// Readers. All elements below the size are complete. Acquire; partner: publish().
    std::uint32_t size() const { return m_size.load(std::memory_order_acquire); }
    /// Writer only. Relaxed, because the writer itself stores the size.
    std::uint32_t sizeOfWriter() const { return m_size.load(std::memory_order_relaxed); }

    /// Readers: `index` must be below a size() that the caller has loaded. The writer may also access the prepared
    /// element.
    T &operator[](std::uint32_t index) const
    {
        // Relaxed: the chunk was stored before the release store of m_size that the caller has acquired.
        return m_chunks[index >> ChunkBits].load(std::memory_order_relaxed)[index & kMask];
    }

    /// Writer only. Returns the next element, not yet visible to readers, or nullptr when the array is full.
    T *prepare()
    {
        const std::uint32_t index = sizeOfWriter();
        if (index >= kCapacity)
            return nullptr;
        std::atomic<T *> &chunk = m_chunks[index >> ChunkBits];
        T *first = chunk.load(std::memory_order_relaxed);
        if (!first) {
            first = new T[std::size_t{1} << ChunkBits]();
            chunk.store(first, std::memory_order_relaxed);
        }
        return first + (index & kMask);
    }
    /// Writer only. Makes the prepared element visible to readers. Release; partner: size().
    void publish() { m_size.store(sizeOfWriter() + 1, std::memory_order_release); }

private:
    static constexpr std::uint32_t kMask = (std::uint32_t{1} << ChunkBits) - 1;
    std::unique_ptr<std::atomic<T *>[]> m_chunks;
    std::atomic<std::uint32_t> m_size{0};
};

}  // namespace ct
