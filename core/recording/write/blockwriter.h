// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the blocks of a recording. Each block is compressed, gets its head and checksum, and needs one write.
#pragma once

#include "core/recording/format/rowlayouts.h"
#include "core/recording/write/appendfile.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_CCtx_s;

namespace ct::ctr {

/// Facts about its content in the head of a block.
struct BlockFacts {
    std::uint32_t transitions = 0;
    std::uint64_t firstTs = 0;  ///< ns, CLOCK_MONOTONIC: the earliest time
    std::uint64_t lastTs = 0;   ///< ns, CLOCK_MONOTONIC: the latest time
};

/// Not thread-safe: one thread at a time.
class BlockWriter {
public:
    static constexpr int kLevel = 1;  ///< compression level of zstd, see docs/performance.md

    /// The recording that a file belongs to, and its number there.
    struct Identity {
        std::uint64_t recording = 0;
        std::uint32_t segment = 0;
        std::uint64_t begun = 0;  ///< when the recording began: ns since 1970
    };

    /// See AppendFile::open(). Also returns an error when the file is being written already. The file's head is written
    /// by beginFile(), with the first block, or by finish().
    static Result<std::unique_ptr<BlockWriter>> open(const std::string &path, FileAccess access = FileAccess::ByUmask);
    static Result<std::unique_ptr<BlockWriter>> open(const std::string &path, const Identity &identity,
                                                     FileAccess access = FileAccess::ByUmask);
    ~BlockWriter();
    /// The identity of a recording that begins now.
    static Identity newIdentity();

    /// Replaces the old content by the file's head, unless that was done before.
    Result<void> beginFile();
    /// Compresses and writes a block. An error is final; all earlier blocks are whole.
    Result<void> write(Kind kind, const ColumnWriter &payload, const BlockFacts &facts);
    /// Writes a block of another file with its payload as stored there.
    Result<void> writeStored(const BlockHead &source, std::string_view stored);
    /// Skips numbers of blocks and transitions, as if these had been written and lost.
    void skip(std::uint32_t blocks, std::uint64_t transitions);
    /// Writes the index and the trailer, and closes the file.
    Result<void> finish();
    /// Removes the file, see AppendFile::discard().
    void discard() { m_file->discard(); }

    const Identity &identity() const { return m_identity; }
    std::uint64_t bytes() const { return m_file->size(); }  ///< size of the file so far
    const std::string &path() const { return m_file->path(); }
    /// Returns the offset of the latest block. There must be one.
    std::uint64_t latestOffset() const { return m_locations.back().offset; }

private:
    BlockWriter(std::unique_ptr<AppendFile> file, const Identity &identity);
    void reserve(std::size_t payload);
    Result<void> appendBlock(BlockHead head);

    struct FreeContext {
        void operator()(ZSTD_CCtx_s *context) const;
    };

    std::unique_ptr<AppendFile> m_file;
    std::unique_ptr<ZSTD_CCtx_s, FreeContext> m_context;
    Bytes m_block;                           ///< head and payload, as they go into the file
    std::vector<BlockLocation> m_locations;  ///< all blocks so far, for the index
    Identity m_identity;
    std::uint32_t m_sequence = 0;     ///< sequence of the next block
    std::uint64_t m_transitions = 0;  ///< transitions before the next block
};

}  // namespace ct::ctr
