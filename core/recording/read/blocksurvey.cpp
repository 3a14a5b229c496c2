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

}  // namespace

Result<BlockSurvey> surveyBlocks(BlockReader &reader)
{
    reader.rewind();
    BlockSurvey survey;
    survey.hasEnded = reader.readIndex(survey.blocks);
    if (survey.hasEnded)
        return survey;
    // Position of the latest block in the survey, if only its head was read.
    std::optional<BlockReader::Position> lastUnread;
    for (Block block; !survey.hasEnded;) {
        const BlockReader::Position here = reader.m_position;
        const Result<bool> follows = reader.nextHead(block);
        if (!follows) {
            reader.rewind();
            return follows.error();
        }
        if (*follows) {
            lastUnread = here;
        } else {
            // A damaged length in the head before may have led past whole blocks. Read that block again, in full.
            if (const auto back = std::exchange(lastUnread, std::nullopt)) {
                reader.m_position = *back;
                survey.blocks.pop_back();
            }
            const Result<bool> found = reader.nextStored(block);
            if (!found) {
                reader.rewind();
                return found.error();
            }
            if (!*found)
                break;
        }
        survey.hasEnded = block.head.kind == Kind::End;
        if (!survey.hasEnded)
            survey.blocks.push_back(locationOf(block));
    }
    survey.damages = reader.damages();
    reader.rewind();
    return survey;
}

}  // namespace ct::ctr
