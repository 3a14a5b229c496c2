// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/blocksurvey.h"

#include <optional>
#include <utility>

namespace ct::ctr {

namespace {

BlockLocation locationOf(const Block &block)
{
    return {block.offset, static_cast<std::uint16_t>(block.head.kind), block.head.transitions, block.head.firstTs,
            block.head.lastTs};
}

/// Walks from head to head.
Result<BlockSurvey> walk(BlockReader &reader)
{
    BlockSurvey survey;
    std::optional<BlockReader::Position> beforeHead;  ///< of the block before, if only its head was read
    for (Block block;;) {
        const BlockReader::Position here = reader.position();
        const Result<bool> follows = reader.nextHead(block);
        if (!follows)
            return follows.error();
        if (!*follows) {
            // A damaged length in the head before may have led past whole blocks. Read that block again, in full.
            if (const auto back = std::exchange(beforeHead, std::nullopt)) {
                reader.setPosition(*back);
                survey.blocks.pop_back();
            }
            const Result<bool> found = reader.nextStored(block);
            if (!found)
                return found.error();
            if (!*found)
                break;
        } else {
            beforeHead = here;
        }
        if (block.head.kind == Kind::End) {
            survey.hasEnded = true;
            break;
        }
        survey.blocks.push_back(locationOf(block));
    }
    survey.damages = reader.damages();
    return survey;
}

}  // namespace

Result<BlockSurvey> surveyBlocks(const std::string &path)
{
    const Result<std::unique_ptr<BlockReader>> reader = BlockReader::open(path);
    if (!reader)
        return reader.error();
    BlockSurvey survey;
    survey.hasEnded = (*reader)->readIndex(survey.blocks);
    if (survey.hasEnded)
        return survey;
    return walk(**reader);
}

}  // namespace ct::ctr
