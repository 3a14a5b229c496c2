// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The blocks of a recording on their way into the file: compressed, with head and check sum, one write each.
#pragma once

#include "core/recording/appendfile.h"
#include "core/recording/rowlayouts.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_CCtx_s;

namespace ct::ctr {

/// What the head of a block says of its content.
struct BlockFacts {
    std::uint32_t transitions = 0;
    std::uint64_t firstTs = 0;
    std::uint64_t lastTs = 0;
};

/// One thread at a time.
class BlockWriter {
public:
    static constexpr int kLevel = 1;  ///< of zstd, see docs/performance.md

    /// Which part of which recording a file is.
    struct Identity {
        std::uint64_t recording = 0;
        std::uint32_t segment = 0;
        std::uint64_t begun = 0;  ///< the recording; ns since 1970
    };

    /// See AppendFile::open(); an error also when somebody else is writing the file. The file's head is written by
    /// begin(), with the first block, or at the end.
    static Result<std::unique_ptr<BlockWriter>> open(const std::string &path, FileAccess access = FileAccess::ByUmask);
    static Result<std::unique_ptr<BlockWriter>> open(const std::string &path, const Identity &identity,
                                                     FileAccess access = FileAccess::ByUmask);
    ~BlockWriter();
    /// Of a recording that begins now.
    static Identity newIdentity();

    /// Replaces what the file held.
    Result<void> begin();
    /// An error is final; all blocks before it are whole.
    Result<void> write(Kind kind, const ColumnWriter &payload, const BlockFacts &facts);
    /// A block of another file, as it was stored there.
    Result<void> writeStored(const BlockHead &source, std::string_view stored);
    /// Leaves numbers out, as if so much had been written and lost.
    void skip(std::uint32_t blocks, std::uint64_t transitions);
    /// The index, the trailer, and the file is closed.
    Result<void> finish();
    /// Removes the file, see AppendFile::discard().
    void discard() { m_file->discard(); }

    const Identity &identity() const { return m_identity; }
    std::uint64_t bytes() const { return m_file->size(); }  ///< written so far
    const std::string &path() const { return m_file->path(); }
    std::uint64_t latestOffset() const { return m_places.back().offset; }  ///< of the block that was written last

private:
    BlockWriter(std::unique_ptr<AppendFile> file, const Identity &identity);
    void makeRoom(std::size_t payload);
    Result<void> put(BlockHead head);

    struct FreeContext {
        void operator()(ZSTD_CCtx_s *context) const;
    };

    std::unique_ptr<AppendFile> m_file;
    std::unique_ptr<ZSTD_CCtx_s, FreeContext> m_context;
    Bytes m_block;  ///< as it goes into the file
    std::vector<BlockPlace> m_places;
    Identity m_identity;
    std::uint32_t m_sequence = 0;
    std::uint64_t m_transitions = 0;
};

}  // namespace ct::ctr
