// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Maps the transitions of a stream to the blocks of its recording. The writer or the reader of the recording fills the
// index, and RangeReader uses it to read a part again.
#pragma once

#include "core/recording/read/renumbering.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ct {

/// Thread-safe. The position of a transition is the number of transitions before it in the stream.
class StreamIndex {
public:
    struct Block {
        std::uint64_t first = 0;   ///< position of its first transition
        std::uint64_t end = 0;     ///< position behind the last one in the stream; the block may have more behind it
        std::uint64_t offset = 0;  ///< offset of the block in the file, bytes
        std::string path;
    };

    /// Sets FileHead::recording of all files, to detect files that another recording has replaced. Call it before
    /// addBlock().
    void setRecording(std::uint64_t number);
    std::uint64_t recording() const;

    /// Adds a block: the transitions from `first` on are in the block at `offset` of the file `path`. Call it in
    /// ascending order.
    void addBlock(const std::string &path, std::uint64_t offset, std::uint64_t first);
    /// Raises the end of the last block, which is the position of the next transition.
    void setEnd(std::uint64_t end);
    std::uint64_t endPosition() const;
    /// Says that the recording gets no more transitions: blockAt() will never find positions from endPosition() on.
    void close();
    bool isClosed() const;
    /// Sets how the ids of the file become those of the stream.
    void setRenumbering(const ctr::Renumbering &renumbering);
    std::shared_ptr<const ctr::Renumbering> renumbering() const;  ///< nullptr = the ids are equal

    /// Number of blocks in the order of the stream, including blocks without transitions.
    std::size_t blocks() const;
    Block block(std::size_t index) const;  ///< `index` must be below blocks()
    /// Finds the block with the transition at position `position`. Returns nullopt when no block has it (yet).
    std::optional<Block> blockAt(std::uint64_t position) const;

private:
    struct Row {
        std::uint64_t first;
        std::uint64_t offset;
        std::size_t path;  ///< index in m_paths
    };

    Block at(std::size_t index) const;

    mutable std::mutex m_mutex;  ///< locked for one binary search at most
    std::vector<Row> m_rows;
    std::vector<std::string> m_paths;
    std::uint64_t m_recording = 0;
    std::uint64_t m_end = 0;
    bool m_closed = false;
    std::shared_ptr<const ctr::Renumbering> m_renumbering;
};

}  // namespace ct
