// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Raw chunks: packets of records of one lane and one origin, copied out of the region but not decoded yet. The raw lane
// is their list, with one writer, the collector, and one reader, the decoder.
#pragma once

#include "core/region/identity.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ct {

/// What Spill knows about a chunk.
struct SpillState {
    static constexpr std::uint64_t kNotInFile = ~std::uint64_t{0};

    /// The writer has the chunk, or will. Set by the collector before RawChunk::next, and then as the others below.
    bool isOffered = false;
    // Under the lock of Spill.
    bool isEntered = false;  ///< the decoder uses the memory
    bool isLeft = false;     ///< the decoder needs the chunk no more
    std::uint64_t position = kNotInFile;
    std::uint64_t checksum = 0;  ///< of the memory; written before `position`
};

struct RawChunk {
    static constexpr std::size_t kBytes = 8192;

    /// Room of kBytes for packets (packedrecords.h), one behind the other; nullptr while they are in the spill file.
    std::byte *packets = nullptr;
    std::uint64_t first = 0;  ///< number of its first record in the raw lane; it ends where the next chunk begins
    LaneOrigin origin;
    std::uint64_t threadName = 0;  ///< reference to the name of a thread that just claimed the lane; 0 = none
    /// If the thread ended after this chunk: number of records that the lane had dropped by then. 0 = the thread did
    /// not end here, or nothing was dropped. Written before `next`.
    std::uint64_t droppedAtEnd = 0;
    std::uint64_t endedNs = 0;  ///< LaneHeader::closed_ts when the thread ended; 0 = unknown
    /// Release by the collector, after everything above; acquire by the decoder.
    std::atomic<RawChunk *> next{nullptr};
    RawChunk *below = nullptr;  ///< for lists of free chunks, and of offered ones
    SpillState spill;
};

/// The records of one lane on their way to the decoder.
struct RawLane {
    RawLane(std::uint32_t theIndex, std::uint64_t theReported) : index(theIndex), reported(theReported) {}

    const std::uint32_t index;                    ///< in the region's directory of lanes
    const std::uint64_t reported;                 ///< drops that an earlier engine has reported
    std::atomic<RawChunk *> firstChunk{nullptr};  ///< as RawChunk::next
    /// Number of records handed over. Release by the collector, after the records; acquire by the decoder.
    std::atomic<std::uint64_t> collected{0};
    std::atomic<std::uint64_t> dropped{0};  ///< records that the producer dropped; relaxed, a sum
};

/// The raw lanes. The collector adds, the decoder reads; a lane is never removed.
class RawLanes {
public:
    explicit RawLanes(std::size_t most) : m_lanes(most) {}

    /// Collector's thread.
    RawLane &add(std::uint32_t index, std::uint64_t reported)
    {
        const std::size_t count = m_count.load(std::memory_order_relaxed);
        m_lanes[count] = std::make_unique<RawLane>(index, reported);
        m_count.store(count + 1, std::memory_order_release);  // partner: count()
        return *m_lanes[count];
    }
    /// Any thread.
    std::size_t count() const { return m_count.load(std::memory_order_acquire); }  // partner: add()
    /// `at` must be less than count().
    RawLane &lane(std::size_t at) { return *m_lanes[at]; }

private:
    std::vector<std::unique_ptr<RawLane>> m_lanes;
    std::atomic<std::size_t> m_count{0};
};

}  // namespace ct
