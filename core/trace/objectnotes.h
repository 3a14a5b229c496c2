// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The objects of a Population: who holds which object, and the objects of waits for several of them. Few coroutines
// have such notes. One writer, any number of readers.
#pragma once

#include "core/stream/acquisitions.h"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace ct {

/// A mutex protects the contents, because they are containers. The writer locks it once for a batch with such notes.
/// Readers copy a few rows, on behalf of one coroutine that the user looks at.
class ObjectNotes {
public:
    /// Further objects of waits, of all coroutines together.
    static constexpr std::size_t kMostFurtherWaits = 1U << 20;

    /// Writer only.
    void consume(const Batch &batch);

    // Any thread.

    /// Returns the acquisitions of an object that were not released so far, in the order of the stream.
    std::vector<Use> holdersOf(std::uint32_t pid, std::uint64_t object) const;
    /// Returns the acquisitions by a coroutine that were not released so far, oldest first.
    std::vector<Use> heldBy(CoroutineId id) const;
    /// Returns the objects of the wait of suspension `n` behind its first one.
    std::vector<WaitsOn> furtherWaits(CoroutineId id, std::uint64_t n) const;

private:
    void addWait(const WaitsOn &waits);
    void forgetWaits(CoroutineId id);

    mutable std::mutex m_mutex;
    Acquisitions m_acquisitions;
    std::unordered_map<CoroutineId, std::vector<WaitsOn>> m_furtherWaits;  ///< of one suspension each, never empty
    std::size_t m_furtherWaitsCount = 0;
};

}  // namespace ct
