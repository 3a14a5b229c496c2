// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/rangereader.h"

#include <algorithm>
#include <utility>

namespace ct {

bool RangeReader::isIn(const StreamIndex::Block &block) const
{
    // A block that is still being read may have grown since it was loaded.
    return m_block && m_block->path == block.path && m_block->offset == block.offset &&
           m_block->end - m_block->first >= block.end - block.first;
}

Result<void> RangeReader::load(const StreamIndex::Block &block)
{
    m_block.reset();
    if (m_path != block.path || !m_file) {
        m_file.reset();
        Result<std::unique_ptr<ctr::BlockReader>> file = ctr::BlockReader::open(block.path);
        if (!file)
            return file.error();
        if ((*file)->head().recording != m_streamIndex->recording())
            return Error{ErrorCode::BadFormat,
                         block.path + " was replaced by another recording; open it again to see the new one"};
        m_file = std::move(*file);
        m_path = block.path;
    }
    ctr::Block found;
    ctr::BlockLocation location;
    location.offset = block.offset;
    location.kind = static_cast<std::uint16_t>(ctr::Kind::Stream);
    const Result<bool> isThere = m_file->read(location, found);
    if (!isThere)
        return isThere.error();
    const Error changed{ErrorCode::BadFormat, block.path + " was changed since it was opened: the block at byte " +
                                                  std::to_string(block.offset) +
                                                  " cannot be read; open an intact copy if there is one"};
    if (!*isThere || !m_decoder.beginBlock(found.payload))
        return changed;
    const std::shared_ptr<const ctr::Renumbering> renumbering = m_streamIndex->renumbering();
    m_events.clear();
    m_notes.clear();
    m_batches.clear();
    for (Batch batch; m_decoder.next(batch);) {
        if (renumbering)
            renumbering->apply(batch);
        m_events.insert(m_events.end(), batch.transitions.begin(), batch.transitions.end());
        m_notes.waits.insert(m_notes.waits.end(), batch.notes.waits.begin(), batch.notes.waits.end());
        m_notes.wakes.insert(m_notes.wakes.end(), batch.notes.wakes.begin(), batch.notes.wakes.end());
        m_notes.uses.insert(m_notes.uses.end(), batch.notes.uses.begin(), batch.notes.uses.end());
        m_notes.wakersLeft.insert(m_notes.wakersLeft.end(), batch.notes.wakersLeft.begin(),
                                  batch.notes.wakersLeft.end());
        m_notes.finishes.insert(m_notes.finishes.end(), batch.notes.finishes.begin(), batch.notes.finishes.end());
        const std::uint64_t first = m_batches.empty() ? block.first : m_batches.back().end;
        const std::uint64_t end = first + batch.transitions.size();
        batch.transitions.clear();
        m_batches.push_back({std::move(batch), first, end});
    }
    // The writer left out events that the format cannot hold, but only counted them. So the positions of the others are
    // unknown.
    if (m_events.size() < block.end - block.first)
        return Error{ErrorCode::BadFormat,
                     block.path + ": the block at byte " + std::to_string(block.offset) + " lacks " +
                         std::to_string(block.end - block.first - m_events.size()) +
                         " events that could not be written, so the positions of its other events are unknown; use the "
                         "events that are in memory"};
    m_block = block;
    return {};
}

Result<void> RangeReader::read(std::uint64_t first, std::uint64_t end, Transitions &events)
{
    events.clear();
    Result<void> done;
    while (first < end && done) {
        const std::optional<StreamIndex::Block> block = m_streamIndex->blockAt(first);
        if (!block)
            done = Error{ErrorCode::NotFound,
                         "these events are not in the recording, because its oldest files may have been deleted; "
                         "record with a larger --limit"};
        else if (!isIn(*block))
            done = load(*block);
        if (!done)
            break;
        const std::uint64_t until = std::min(end, block->end);
        events.insert(events.end(), m_events.begin() + static_cast<std::ptrdiff_t>(first - block->first),
                      m_events.begin() + static_cast<std::ptrdiff_t>(until - block->first));
        first = until;
    }
    if (!done)
        events.clear();
    return done;
}

}  // namespace ct
