// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The blocks of a recording, one after the other, whole and checked. The file is untrusted, may be cut off or damaged,
// and may still grow: what is no block is left out and told.
#pragma once

#include "core/recording/rowlayouts.h"
#include "core/result.h"

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
    std::uint64_t offset = 0;
    std::string_view payload;  ///< decompressed; valid until the next call
};

/// A part of the file that is no part of the recording (any more).
struct Damage {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t transitions = 0;  ///< that were in it, as the heads around tell; 0 at the end of the file: unknown
    bool atEnd = false;             ///< nothing whole follows: the file was cut off, or is still being written
    std::uint32_t file = 0;         ///< of a recording that is rotated: which of its files that are there, from 0
};

/// Where the blocks of a file are.
struct BlockSurvey {
    std::vector<BlockPlace> places;  ///< without the End block
    std::vector<Damage> damages;     ///< only where there is no index
    bool hasEnded = false;           ///< the recording was ended in order
};

/// One thread at a time.
class BlockReader {
public:
    /// An error when this is no recording, or one of a later version. With `growth` (which outlives the reader) a file
    /// that somebody writes is followed: this and next() wait for what is not there yet, until the End block, the end
    /// of the writer, or FileGrowth::cancel(); from then on, what is there is all.
    static Result<std::unique_ptr<BlockReader>> open(const std::string &path, FileGrowth *growth = nullptr);
    ~BlockReader();
    BlockReader(const BlockReader &) = delete;
    BlockReader &operator=(const BlockReader &) = delete;

    /// The next whole block of any kind. False: there is none. An error is one of the system.
    Result<bool> next(Block &block);
    /// The same with the payload as it is in the file.
    Result<bool> nextStored(Block &block);
    /// What nextStored() gave. False: it cannot be.
    bool decompress(Block &block);
    /// Counts the latest block as damage: its content cannot be. `given`: transitions of it that were given out before.
    void refuse(const Block &block, std::uint64_t given = 0);
    /// Where the blocks are: as the index at the end tells, or else by walking over their heads; a payload is looked at
    /// where what follows it is no block. Moves no next().
    Result<BlockSurvey> survey() const;
    /// The block at a place that survey(), or who gave it out, told: its offset and kind. False: there is none. Moves
    /// no next(), but takes the payload that it gave.
    Result<bool> read(const BlockPlace &place, Block &block);

    const FileHead &head() const { return m_head; }
    const std::vector<Damage> &damages() const { return m_damages; }
    bool hasEnded() const { return m_ended; }  ///< next() has met the End block: the recording is complete
    /// Blocks that were lost so far, at most.
    std::uint64_t lostBlocks() const { return m_lostBlocks; }
    double progress() const;                       ///< 0..1, by bytes
    std::uint64_t size() const { return m_size; }  ///< of the file, in bytes, when it was last looked at

private:
    enum class Look { Good, Bad, Beyond, Nothing };
    /// Where a whole block is, or none is (any more).
    using Place = std::optional<std::uint64_t>;

    BlockReader(std::string path, int fd, std::uint64_t size, FileGrowth *growth);
    Result<void> readHead();
    Result<std::size_t> readAt(std::uint64_t offset, std::size_t bytes, char *to) const;
    Result<Look> look(std::uint64_t offset, Block &block);
    Result<Place> search(std::uint64_t &offset, Block &block);
    Result<Place> findPlace(Block &block);
    bool awaitMore(std::uint64_t bytes);
    void setSize(std::uint64_t size);
    void lookAhead();
    void addDamage(const Damage &damage);
    void noteGap(std::uint64_t end, const Block *next);
    Result<bool> find(Block &block);
    void goBehind(const Block &block);
    Result<bool> skim(Block &block);
    Result<void> walk(BlockSurvey &survey);
    bool readIndex(std::vector<BlockPlace> &places);

    struct FreeContext {
        void operator()(ZSTD_DCtx_s *context) const;
    };

    std::string m_path;
    int m_fd = -1;
    FileGrowth *m_growth = nullptr;  ///< while somebody may write the file
    FileGrowth *m_told = nullptr;    ///< how far this is; nullptr: nobody follows the recording
    std::uint64_t m_size = 0;        ///< of the file when it was last looked at; 0 = unknown
    std::uint64_t m_wanted = 0;      ///< the size that the latest look() would have needed
    std::uint64_t m_ahead = 0;       ///< up to where lookAhead() has got, and
    std::uint64_t m_latestTs = 0;    ///< what it found
    FileHead m_head;
    std::uint64_t m_offset = sizeof(FileHead);
    std::uint32_t m_sequence = 0;  ///< the least that the next block may have
    std::uint64_t m_transitions = 0;
    std::uint64_t m_lostBlocks = 0;
    std::uint64_t m_patience = 0;  ///< bytes that may still be looked at in vain
    bool m_ended = false;
    bool m_done = false;
    std::vector<Damage> m_damages;
    std::unique_ptr<ZSTD_DCtx_s, FreeContext> m_context;
    std::string m_stored;  ///< payload as it is in the file
    std::string m_raw;
};

}  // namespace ct::ctr
