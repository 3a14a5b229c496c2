// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An array whose memory is made where somebody writes: one thread writes, any thread reads, elements never move.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ct {

/// T: default constructible, made of atomics, with a default value that says "nothing".
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
            delete[] m_writersChunks[i].load(std::memory_order_relaxed);
    }
    SparseArray(const SparseArray &) = delete;
    SparseArray &operator=(const SparseArray &) = delete;

    /// Writer only; `index` < kCapacity.
    T &make(std::uint32_t index)
    {
        if (!m_writersChunks) {
            m_writersChunks.reset(new std::atomic<T *>[std::size_t{1} << DirectoryBits]());
            m_chunks.store(m_writersChunks.get(), std::memory_order_release);  // partner: find()
        }
        std::atomic<T *> &chunk = m_writersChunks[index >> ChunkBits];
        T *first = chunk.load(std::memory_order_relaxed);
        if (!first) {
            first = new T[std::size_t{1} << ChunkBits]();
            chunk.store(first, std::memory_order_release);  // partner: find()
        }
        return first[index & kMask];
    }

    /// Any thread; nullptr where nothing was ever made.
    const T *find(std::uint32_t index) const
    {
        const std::atomic<T *> *chunks = m_chunks.load(std::memory_order_acquire);
        if (!chunks || index >= kCapacity)
            return nullptr;
        const T *first = chunks[index >> ChunkBits].load(std::memory_order_acquire);
        return first ? first + (index & kMask) : nullptr;
    }

private:
    static constexpr std::uint32_t kMask = (std::uint32_t{1} << ChunkBits) - 1;
    std::unique_ptr<std::atomic<T *>[]> m_writersChunks;
    std::atomic<const std::atomic<T *> *> m_chunks{nullptr};
};

}  // namespace ct
