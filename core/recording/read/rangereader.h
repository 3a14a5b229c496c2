// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Reads parts of a stream again from its recording, which may still be written.
#pragma once

#include "core/recording/format/batchcodec.h"
#include "core/recording/read/blockreader.h"
#include "core/recording/read/streamindex.h"

#include <memory>
#include <optional>

namespace ct {

/// Not thread-safe: one thread at a time.
class RangeReader {
public:
    explicit RangeReader(std::shared_ptr<const StreamIndex> streamIndex) : m_streamIndex(std::move(streamIndex)) {}

    /// Replaces `events` by the transitions with the positions [first, end) in the stream. Returns an error, and no
    /// events, when the recording does not have them. A removed or changed file is an error, too.
    Result<void> read(std::uint64_t first, std::uint64_t end, Transitions &events);

    /// Loads a block unless it is loaded already. notes() then has its notes. Errors as in read().
    Result<void> readBlock(const StreamIndex::Block &block) { return isIn(block) ? Result<void>() : load(block); }
    /// Wakes and waits of the latest block, with the coroutine ids of the stream.
    const Notes &notes() const { return m_notes; }

private:
    bool isIn(const StreamIndex::Block &block) const;
    Result<void> load(const StreamIndex::Block &block);

    std::shared_ptr<const StreamIndex> m_streamIndex;
    std::unique_ptr<ctr::BlockReader> m_file;
    std::string m_path;                         ///< path of m_file
    std::optional<StreamIndex::Block> m_block;  ///< the loaded block
    Transitions m_events;                       ///< transitions of m_block; successive ranges often share a block
    Notes m_notes;
    ctr::StreamDecoder m_decoder;
};

}  // namespace ct
