// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Reads the blocks of a recording one by one and checks them. The file is untrusted, may be cut off or damaged, and may
// still grow. Bytes that are no block are left out and reported as damage.
#pragma once

#include "core/base/result.h"
#include "core/recording/format/rowlayouts.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_DCtx_s;

namespace ct {
class FileGrowth;
}

namespace ct::ctr {

struct Block {
    BlockHead head;
    std::uint64_t offset = 0;  ///< offset of the head in the file, bytes
    std::string_view payload;  ///< decompressed; valid until the next call
};

/// A part of the file that is left out, because it holds no valid block.
struct Damage {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t transitions = 0;  ///< lost in it, by the heads around it; 0 = unknown, at the end of the file
    bool atEnd = false;             ///< no whole block follows: the file was cut off, or is still being written
    std::uint32_t file = 0;         ///< index among the present segments of the recording, from 0
};

struct BlockSurvey;

/// Not thread-safe: one thread at a time.
class BlockReader {
public:
    /// Returns an error when the file is no recording, or has a later version. With `growth`, which must outlive the
    /// reader, a file that is being written is followed: open() and next() wait for more. They stop waiting at the End
    /// block, when the writer ends, or after FileGrowth::cancel().
    static Result<std::unique_ptr<BlockReader>> open(const std::string &path, FileGrowth *growth = nullptr);
    ~BlockReader();
    BlockReader(const BlockReader &) = delete;
    BlockReader &operator=(const BlockReader &) = delete;

    /// Reads the next whole block of any kind. Returns false when there is none. Errors come from the system.
    Result<bool> next(Block &block);
    /// Like next(), but leaves the payload as it is in the file.
    Result<bool> nextStored(Block &block);
    /// Decompresses the block that nextStored() returned. Returns false when its payload is not valid.
    bool decompress(Block &block);
    /// Counts the latest block as damage, because its content is not valid. `emitted`: transitions of the block that
    /// the caller has already emitted.
    void refuse(const Block &block, std::uint64_t emitted = 0);
    /// Reads the block with the offset and kind of `location`. Returns false when there is no such block. Does not
    /// change the position of next(), but invalidates the payload that next() returned.
    Result<bool> read(const BlockLocation &location, Block &block);

    const FileHead &head() const { return m_head; }
    /// The trailer at the end of the file, which refers to the index; nullopt = no valid one.
    std::optional<Trailer> trailer() const;
    const std::vector<Damage> &damages() const { return m_damages; }
    /// next() has read the End block: the recording is complete.
    bool hasEnded() const { return m_endBlock == EndBlock::Read; }
    /// Upper limit for the blocks that were lost so far.
    std::uint64_t lostBlocks() const { return m_lostBlocks; }
    double progress() const;                       ///< 0..1, by bytes
    std::uint64_t size() const { return m_size; }  ///< size of the file at the latest check, bytes

private:
    friend Result<BlockSurvey> surveyBlocks(BlockReader &reader);

    /// Position at which next() continues.
    struct Position {
        std::uint64_t offset = sizeof(FileHead);  ///< offset of the next block, bytes
        std::uint32_t sequence = 0;               ///< smallest sequence that the next block may have
        std::uint64_t transitions = 0;            ///< smallest `transitionsBefore` that the next block may have
    };
    enum class BlockState { Good, Bad, Beyond, Nothing };
    /// Ahead: next() may find more blocks. Missing: it has reached the end of the file without an End block.
    enum class EndBlock { Ahead, Read, Missing };
    /// Offset of a whole block; nullopt = there is none.
    using MaybeOffset = std::optional<std::uint64_t>;

    BlockReader(std::string path, int fd, std::uint64_t size, FileGrowth *growth);
    Result<void> readHead();
    void rewind();
    Result<bool> nextHead(Block &block);
    bool readIndex(std::vector<BlockLocation> &blocks);
    Result<std::size_t> readAt(std::uint64_t offset, std::size_t bytes, char *to) const;
    Result<BlockState> readBlock(std::uint64_t offset, Block &block);
    Result<MaybeOffset> search(std::uint64_t &offset, Block &block);
    Result<MaybeOffset> findBlock(Block &block);
    bool awaitMore(std::uint64_t bytes);
    void setSize(std::uint64_t size);
    void reportProgress();
    void addDamage(const Damage &damage);
    void noteGap(std::uint64_t end, const Block *next);
    Result<bool> readNextBlock(Block &block);
    void goBehind(const Block &block);

    struct FreeContext {
        void operator()(ZSTD_DCtx_s *context) const;
    };

    std::string m_path;
    int m_fd = -1;
    FileGrowth *m_growth = nullptr;    ///< not null while the file may still be written
    FileGrowth *m_progress = nullptr;  ///< receives the progress; nullptr = the recording is not followed
    std::uint64_t m_size = 0;          ///< size of the file at the latest check, bytes; 0 = unknown
    std::uint64_t m_wanted = 0;        ///< size of the file that the latest readBlock() needed, in bytes
    std::uint64_t m_ahead = 0;         ///< offset that reportProgress() has reached
    std::uint64_t m_latestTs = 0;      ///< ns, CLOCK_MONOTONIC: the latest time that reportProgress() found
    FileHead m_head;
    Position m_position;
    std::uint64_t m_lostBlocks = 0;
    std::uint64_t m_patience = 0;  ///< bytes that search() may still read for candidates that are no blocks
    EndBlock m_endBlock = EndBlock::Ahead;
    std::vector<Damage> m_damages;
    std::unique_ptr<ZSTD_DCtx_s, FreeContext> m_context;
    std::string m_stored;  ///< payload as it is in the file
    std::string m_raw;
};

}  // namespace ct::ctr
