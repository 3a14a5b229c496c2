// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parts of a stream again, from the recording that holds it and may still be written.
#pragma once

#include "core/recording/batchcodec.h"
#include "core/recording/blockreader.h"
#include "core/recording/streamplaces.h"

#include <memory>
#include <optional>

namespace ct {

/// One thread at a time.
class PastReader {
public:
    explicit PastReader(std::shared_ptr<const StreamPlaces> places) : m_places(std::move(places)) {}

    /// Replaces `events` by the transitions of the stream with places [first, end). An error: they are not in the
    /// recording, or its file has gone or is not what it was; nothing is given then.
    Result<void> read(std::uint64_t first, std::uint64_t end, Transitions &events);

    /// The block at once, for what else is in it: notes() afterwards. An error as of read().
    Result<void> readBlock(const StreamPlaces::Block &block) { return isIn(block) ? Result<void>() : load(block); }
    /// Wakes and waits of the latest block, as the stream has them.
    const Notes &notes() const { return m_notes; }

private:
    bool isIn(const StreamPlaces::Block &block) const;
    Result<void> load(const StreamPlaces::Block &block);

    std::shared_ptr<const StreamPlaces> m_places;
    std::unique_ptr<ctr::BlockReader> m_file;
    std::string m_path;                          ///< of it
    std::optional<StreamPlaces::Block> m_block;  ///< the one that is in
    Transitions m_events;                        ///< this; pieces that follow each other share blocks
    Notes m_notes;
    ctr::StreamDecoder m_decoder;
};

}  // namespace ct
