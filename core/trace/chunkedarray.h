// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An array that only grows, whose elements never move: one thread appends, any thread reads a published prefix.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ct {

/// T: default constructible; elements that the writer changes after publishing must be made of atomics. Chunks of
/// 2^ChunkBits elements, at most 2^DirectoryBits of them.
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

    /// Readers: elements below it are complete. Acquire; partner: publish().
    std::uint32_t size() const { return m_size.load(std::memory_order_acquire); }
    /// Writer: what it has published itself.
    std::uint32_t sizeOfWriter() const { return m_size.load(std::memory_order_relaxed); }

    /// `index` must be below a size() that the caller has seen; the writer: below what it has made room for.
    T &operator[](std::uint32_t index) const
    {
        // Relaxed: the chunk was stored before the release of m_size that the caller has acquired.
        return m_chunks[index >> ChunkBits].load(std::memory_order_relaxed)[index & kMask];
    }

    /// Writer: the next element, not yet visible to readers; nullptr when the array is full.
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
    /// Writer: makes the prepared element visible. Release; partner: size().
    void publish() { m_size.store(sizeOfWriter() + 1, std::memory_order_release); }

private:
    static constexpr std::uint32_t kMask = (std::uint32_t{1} << ChunkBits) - 1;
    std::unique_ptr<std::atomic<T *>[]> m_chunks;
    std::atomic<std::uint32_t> m_size{0};
};

}  // namespace ct
