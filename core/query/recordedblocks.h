// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the evicted part of a trace from its recording, block by block, and knows which of it cannot be read.
#pragma once

#include "core/recording/read/rangereader.h"
#include "core/trace/history.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace ct::query {

/// For one query, on its thread.
class RecordedBlocks {
public:
    using Positions = History::Positions;

    /// `streamIndex`: nullptr = there is no recording. The others must outlive this object.
    RecordedBlocks(const History &history, std::shared_ptr<const StreamIndex> streamIndex,
                   const std::atomic<bool> &cancelled);

    /// Waits for a short time if the recording is behind the eviction, and finds out which files are gone.
    void begin();
    bool hasRecording() const { return m_streamIndex != nullptr; }
    const History &history() const { return m_history; }
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

    /// Calls visit(const Transitions &events, std::uint64_t first) -> bool for the events of each block in `positions`
    /// that can be read, until it returns false. `first`: position of the first event in the stream.
    template <class Visit>
    void forEach(Positions positions, Visit &&visit)
    {
        for (std::uint64_t at = positions.first; at < positions.end && !isCancelled();) {
            Positions part{at, positions.end};
            if (read(part) && !visit(std::as_const(m_events), part.first))
                return;
            at = part.end;
        }
    }
    /// Waits for a short time. Returns true if the recording has all events before the stream position `end`.
    bool awaitAll(std::uint64_t end) const;
    /// Replaces the content of `to` by the causes of a block. Returns false if it cannot be read.
    bool readCauses(const StreamIndex::Block &block, Notes &to);
    std::size_t blocks() const { return m_streamIndex ? m_streamIndex->blocks() : 0; }
    StreamIndex::Block block(std::size_t index) const { return m_streamIndex->block(index); }

    /// True if no event of [first, end) is known to be missing in the recording.
    bool isReadable(Positions positions) const;
    /// Number of evicted events that are not in the recording either, as far as known.
    std::uint64_t missingEvents() const;

private:
    bool read(Positions &part);
    void addUnreadable(Positions positions);

    const History &m_history;
    const std::shared_ptr<const StreamIndex> m_streamIndex;
    const std::atomic<bool> &m_cancelled;
    RangeReader m_reader;
    Transitions m_events;
    std::vector<Positions> m_unreadable;  ///< disjoint, ascending
};

}  // namespace ct::query
