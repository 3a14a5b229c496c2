// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Reads parts of a stream again from its recording, which may still be written.
#pragma once

#include "core/recording/format/batchcodec.h"
#include "core/recording/read/blockreader.h"
#include "core/recording/read/streamindex.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ct {

/// Not thread-safe: one thread at a time.
class RangeReader {
public:
    explicit RangeReader(std::shared_ptr<const StreamIndex> streamIndex) : m_streamIndex(std::move(streamIndex)) {}

    /// Replaces `events` by the transitions with the positions [first, end) in the stream. Returns an error, and no
    /// events, when the recording does not have them. A removed or changed file is an error, too.
    Result<void> read(std::uint64_t first, std::uint64_t end, Transitions &events);

    /// Loads a block unless it is loaded already. notes() and batches() then have its rows. Errors as in read().
    Result<void> readBlock(const StreamIndex::Block &block) { return isIn(block) ? Result<void>() : load(block); }
    /// Wakes and waits of the latest block, with the coroutine ids of the stream.
    const Notes &notes() const { return m_notes; }
    struct RecordedBatch {
        Batch others;             ///< everything but its transitions
        std::uint64_t first = 0;  ///< its transitions have the positions [first, end) in the stream
        std::uint64_t end = 0;
    };
    /// The batches of the latest block, with the coroutine ids of the stream.
    const std::vector<RecordedBatch> &batches() const { return m_batches; }
    /// The transitions of one of batches(), up to the position `end`.
    std::span<const Transition> eventsOf(const RecordedBatch &batch, std::uint64_t end) const
    {
        const std::span<const Transition> behind = std::span(m_events).subspan(batch.first - m_block->first);
        return behind.first(std::clamp(end, batch.first, batch.end) - batch.first);
    }

private:
    bool isIn(const StreamIndex::Block &block) const;
    Result<void> load(const StreamIndex::Block &block);

    std::shared_ptr<const StreamIndex> m_streamIndex;
    std::unique_ptr<ctr::BlockReader> m_file;
    std::string m_path;                         ///< path of m_file
    std::optional<StreamIndex::Block> m_block;  ///< the loaded block
    Transitions m_events;                       ///< transitions of m_block; successive ranges often share a block
    Notes m_notes;
    std::vector<RecordedBatch> m_batches;
    ctr::StreamDecoder m_decoder;
};

}  // namespace ct
