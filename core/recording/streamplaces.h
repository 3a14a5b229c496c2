// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Where in the files of a recording the transitions of a stream stand: told by who writes or reads the recording, asked
// by who wants a part of it again.
#pragma once

#include "core/recording/renumbering.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ct {

/// Any thread. A transition's place in the stream is how many came before it, from 0.
class StreamPlaces {
public:
    struct Block {
        std::uint64_t first = 0;  ///< place of its first transition
        std::uint64_t end = 0;    ///< one after its last; those of the block that the stream left out follow
        std::uint64_t offset = 0;
        std::string path;
    };

    /// FileHead::recording of all files that begin() names: another recording may be written in their place. Before it.
    void setRecording(std::uint64_t number);
    std::uint64_t recording() const;

    /// The transitions from `first` on are in the block at `offset` of the file `path`. In ascending order.
    void begin(const std::string &path, std::uint64_t offset, std::uint64_t first);
    /// So many transitions are in blocks, or before them.
    void setEnd(std::uint64_t end);
    std::uint64_t end() const;
    /// Nothing more will come: what is at end() or behind it never does.
    void close();
    bool isClosed() const;
    /// The stream numbers coroutines in another way than the file.
    void setRenumbering(const ctr::Renumbering &renumbering);
    std::shared_ptr<const ctr::Renumbering> renumbering() const;  ///< nullptr: it does not

    /// So many blocks, also those without transitions, in the order of the stream.
    std::size_t blocks() const;
    Block block(std::size_t index) const;  ///< `index` below blocks()
    /// The block that holds a transition; nullopt: none does (yet).
    std::optional<Block> find(std::uint64_t place) const;

private:
    struct Row {
        std::uint64_t first;
        std::uint64_t offset;
        std::size_t path;  ///< in m_paths
    };

    Block at(std::size_t index) const;

    mutable std::mutex m_mutex;  ///< held for a search at most
    std::vector<Row> m_rows;
    std::vector<std::string> m_paths;
    std::uint64_t m_recording = 0;
    std::uint64_t m_end = 0;
    bool m_closed = false;
    std::shared_ptr<const ctr::Renumbering> m_renumbering;
};

}  // namespace ct
