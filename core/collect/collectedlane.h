// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The collector's state of one lane: how far it is read, where its producer stops, and its holes (uncommitted slots in
// front of committed ones). Collector's thread only.
#pragma once

#include "core/collect/rawchunk.h"
#include "core/protocol/lanereader.h"
#include "core/region/identity.h"

#include <cstddef>
#include <cstdint>

namespace ct {

struct CollectedLane {
    static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

    std::uint32_t index = 0;
    LaneView view;
    std::uint32_t made = 0;  ///< capacity when the lane was discovered
    std::uint64_t position = 0;
    std::uint64_t stored = 0;           ///< position that is in the tail
    std::uint64_t limit = 0;            ///< the producer has no room from here on, so no genuine record lies here
    std::uint64_t dropped = 0;          ///< records that the producer dropped
    std::uint64_t droppedAtEnd = 0;     ///< `dropped` when the decoder was last informed, at the end of a thread
    std::uint64_t droppedStanding = 0;  ///< `dropped` at the latest gauge() before the position stood still
    std::uint64_t gauged = 0;           ///< position at the latest gauge()
    std::uint64_t droppedGauged = 0;    ///< dropped records at the latest gauge()
    std::uint32_t committedGauged = 0;  ///< slots with memory at the latest gauge()
    std::uint32_t claims = 0;
    std::uint64_t marked = 0;  ///< position of the end at LaneCollector::markEnds()
    std::uint64_t begin = 0;
    std::uint64_t drained = 0;          ///< post mortem: an earlier engine has read the records below
    std::uint64_t examined = kNowhere;  ///< from this position, no record was found after the writer had ended
    LaneOrigin origin;
    LaneOrigin before;             ///< origin of the records below `begin`
    std::uint64_t threadName = 0;  ///< as RawChunk::threadName, for the next chunk
    bool empty = true;             ///< no record was there at the latest visit
    bool starved = false;          ///< the producer got no more memory
    bool isOver = false;           ///< the thread or the process has ended
    bool damaged = false;          ///< has or had a hole
    /// Skipped a hole without a drop of the producer: the tail stays until the lane is freed.
    bool leapt = false;
    bool fresh = true;  ///< overwrite mode, before the first read: records overwritten until then are missed
    /// The records read so far, and the chunk that gets the next ones; `used` bytes of it have packets.
    RawLane *raw = nullptr;
    RawChunk *chunk = nullptr;
    std::size_t used = 0;

    /// Returns the origin of the record at `at`: an earlier thread may have written a retained record.
    /// `readsRetained`: the retained records of a lane in discard mode are read, too.
    LaneOrigin originAt(std::uint64_t at, bool readsRetained) const;
    /// Returns true if no record is left, not even behind a hole. For a lane whose writer has ended.
    bool isDrained();
    /// Skips a hole at the position, up to the next committed slot. Returns the number of slots skipped; 0 if there is
    /// no hole.
    std::uint64_t leapHole();
    /// Resets the state of an ended writer, before the lane gets its next thread.
    void resetWriter();

private:
    std::uint64_t nextRecord();
};

}  // namespace ct
