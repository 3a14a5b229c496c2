// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The spill file: chunks that wait on disk. The file has no name, so nothing is left behind, however this program ends.
// (Some file systems have no such files; it then has one for a moment.)
// The space of chunks that were read again is used again. Writes bypass the page cache where the file system can: a
// page of it is fresh memory, which costs more than the write.
#pragma once

#include "core/base/result.h"
#include "core/collect/rawchunk.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <sys/uio.h>
#include <vector>

namespace ct {

class SpillFile {
public:
    /// Chunks of an extent, the unit in which space is used again, and the most in one write.
    static constexpr std::size_t kMostChunks = 128;
    /// Bytes that stay free in the file system, for the recording and for other programs.
    static constexpr std::uint64_t kLeftFree = std::uint64_t{256} << 20;

    /// Adjacent room for chunks.
    struct Room {
        std::uint64_t position = 0;  ///< in bytes
        std::size_t chunks = 0;
    };

    /// Creates the file in this folder. The error names the folder.
    static Result<std::unique_ptr<SpillFile>> create(const std::string &folder);
    ~SpillFile();
    SpillFile(const SpillFile &) = delete;
    SpillFile &operator=(const SpillFile &) = delete;

    // One thread at a time.
    /// Reserves room for one or more of this many chunks.
    Room reserve(std::size_t chunks);
    /// Frees the room of one chunk.
    void release(std::uint64_t position);
    /// If no chunk is left, forgets all extents, and returns true. Then call truncate().
    bool reset();
    /// After a failed write: this room, and the rest of its extent, are not used any more.
    void abandon(const Room &room);

    /// Gives the disk back, after a long backlog. One thread, not beside write().
    void truncate() const;
    /// Returns an error if the file system has no room for another extent. Any thread, at any time.
    Result<void> checkSpace() const;
    /// Writes as many chunks as the room has. One thread, also beside the calls above.
    Result<void> write(const Room &room, std::span<const std::byte *const> chunks);
    /// Reads one chunk. Any thread, at any time.
    Result<void> read(std::uint64_t position, std::span<std::byte, RawChunk::kBytes> chunk) const;

private:
    SpillFile(int file, std::string folder);
    void beginExtent();
    ssize_t writeSome(std::span<const iovec> parts, off_t position);

    const int m_file;
    int m_direct;  ///< the file without the page cache; -1: the file system cannot do that. For the writing thread.
    const std::string m_folder;
    std::vector<std::size_t> m_chunks;   ///< for each extent, its chunks that were not released
    std::vector<std::size_t> m_free;     ///< extents that were filled, and have no chunk left
    std::size_t m_extent = 0;            ///< the one that is being filled
    std::size_t m_filled = kMostChunks;  ///< chunks of it that were reserved
};

}  // namespace ct
