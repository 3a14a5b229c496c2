// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The part of BlockReader that lists blocks and reads single ones without reading the whole file.
#define XXH_STATIC_LINKING_ONLY  // a state on the stack
#include "core/recording/format/batchcodec.h"
#include "core/recording/format/checksum.h"
#include "core/recording/read/blockreader.h"

#include <optional>
#include <tuple>
#include <utility>

namespace ct::ctr {

namespace {

BlockLocation locationOf(const Block &block)
{
    return {block.offset, static_cast<std::uint16_t>(block.head.kind), block.head.transitions, block.head.firstTs,
            block.head.lastTs};
}

}  // namespace

/// Reads the index through the trailer. Returns false when the file has no index, or one that may lack blocks.
bool BlockReader::readIndex(std::vector<BlockLocation> &blocks)
{
    Trailer trailer;
    if (m_size < sizeof(FileHead) + sizeof(trailer))
        return false;
    const Result<std::size_t> got =
        readAt(m_size - sizeof(trailer), sizeof(trailer), reinterpret_cast<char *>(&trailer));
    if (!got || *got != sizeof(trailer) || trailer.magic != kEndMagic || trailer.recording != m_head.recording ||
        trailer.check != checkOf(trailer))
        return false;
    Block block;
    const Result<BlockState> found = readBlock(trailer.endBlock, block);
    return found && *found == BlockState::Good && block.head.kind == Kind::End && decompress(block) &&
           readOnly<BlockLocationLayout>(block.payload, blocks) && blocks.size() < kMostRows;
}

/// Reads only the head of the next block and moves behind the block. Returns false unless the head directly follows the
/// block before.
Result<bool> BlockReader::skim(Block &block)
{
    const Result<std::size_t> got = readAt(m_offset, sizeof(block.head), reinterpret_cast<char *>(&block.head));
    if (!got)
        return got.error();
    const BlockHead &head = block.head;
    block.offset = m_offset;
    const bool isNext = *got == sizeof(head) && head.magic == kBlockMagic && head.recording == m_head.recording &&
                        head.sequence == m_sequence && head.transitionsBefore == m_transitions &&
                        head.bytes <= kMostPayload && m_offset + sizeof(head) + head.bytes <= m_size;
    if (isNext)
        goBehind(block);
    return isNext;
}

Result<void> BlockReader::walk(BlockSurvey &survey)
{
    struct Position {
        std::uint64_t offset;
        std::uint32_t sequence;
        std::uint64_t transitions;
    };
    std::optional<Position> beforeSkimmed;  ///< of the block before, if only its head was read
    for (Block block;;) {
        const Position here{m_offset, m_sequence, m_transitions};
        const Result<bool> skimmed = skim(block);
        if (!skimmed)
            return skimmed.error();
        if (!*skimmed) {
            // A damaged length in the head before may have led past whole blocks. Read that block again, in full.
            const std::optional<Position> back = std::exchange(beforeSkimmed, std::nullopt);
            if (back) {
                std::tie(m_offset, m_sequence, m_transitions) =
                    std::tuple(back->offset, back->sequence, back->transitions);
                survey.blocks.pop_back();
            }
            const Result<bool> found = find(block);
            if (!found)
                return found.error();
            if (!*found)
                break;
        } else {
            beforeSkimmed = here;
        }
        if (block.head.kind == Kind::End) {
            survey.hasEnded = true;
            break;
        }
        survey.blocks.push_back(locationOf(block));
    }
    survey.damages = m_damages;
    return {};
}

Result<BlockSurvey> BlockReader::survey() const
{
    // Use another reader, because the position of this one must not change.
    Result<std::unique_ptr<BlockReader>> reader = open(m_path);
    if (!reader)
        return reader.error();
    BlockSurvey survey;
    survey.hasEnded = (*reader)->readIndex(survey.blocks);
    if (survey.hasEnded)
        return survey;
    survey.blocks.clear();
    if (Result<void> walked = (*reader)->walk(survey); !walked)
        return walked.error();
    return survey;
}

Result<bool> BlockReader::read(const BlockLocation &location, Block &block)
{
    // The block may lie in front of the position of next(), so its sequence is not limited.
    const std::uint32_t sequence = std::exchange(m_sequence, 0);
    const std::uint64_t transitions = std::exchange(m_transitions, 0);
    const Result<BlockState> found = readBlock(location.offset, block);
    m_sequence = sequence;
    m_transitions = transitions;
    if (!found)
        return found.error();
    return *found == BlockState::Good && static_cast<std::uint16_t>(block.head.kind) == location.kind &&
           decompress(block);
}

}  // namespace ct::ctr
