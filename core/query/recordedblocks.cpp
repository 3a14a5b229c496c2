// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/recordedblocks.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace ct::query {

namespace {

/// How long to wait for a recording, which lags behind its capture by half a second and a queue.
constexpr std::chrono::milliseconds kPatience{3000};
constexpr std::chrono::milliseconds kPollInterval{10};

constexpr std::uint64_t kEndless = ~std::uint64_t{0};

/// Returns nullptr for a recording that will never have a block.
std::shared_ptr<const StreamIndex> usable(std::shared_ptr<const StreamIndex> streamIndex)
{
    return streamIndex && streamIndex->isClosed() && streamIndex->blocks() == 0 ? nullptr : std::move(streamIndex);
}

}  // namespace

RecordedBlocks::RecordedBlocks(const History &history, std::shared_ptr<const StreamIndex> streamIndex,
                               const std::atomic<bool> &cancelled)
    : m_history(history), m_streamIndex(usable(std::move(streamIndex))), m_cancelled(cancelled), m_reader(m_streamIndex)
{
}

void RecordedBlocks::begin()
{
    if (!m_streamIndex) {
        m_unreadable = {{0, kEndless}};
        return;
    }
    (void)awaitAll(m_history.firstInRing());
    std::uint64_t next = 0;
    std::string path;
    bool isThere = false;
    for (std::size_t i = 0, count = m_streamIndex->blocks(); i < count; ++i) {
        const StreamIndex::Block block = m_streamIndex->block(i);
        if (std::exchange(path, block.path) != block.path) {
            const auto file = ctr::BlockReader::open(path);
            isThere = file && (*file)->head().recording == m_streamIndex->recording();
        }
        if (!isThere || block.first == block.end)
            continue;
        if (block.first > next)
            m_unreadable.push_back({next, block.first});
        next = block.end;
    }
    if (m_streamIndex->isClosed())
        m_unreadable.push_back({next, kEndless});
}

/// Reads the events of the first block in `part`, and shortens `part` to it. Returns false if they cannot be read.
bool RecordedBlocks::read(Positions &part)
{
    const std::optional<StreamIndex::Block> block = m_streamIndex->blockAt(part.first);
    if (block)
        part.end = std::min(part.end, block->end);
    else if (blocks() != 0 && m_streamIndex->block(0).first > part.first)
        part.end = std::min(part.end, m_streamIndex->block(0).first);
    if (!block || !isReadable(part))
        return false;
    if (m_reader.read(part.first, part.end, m_events))
        return true;
    addUnreadable({block->first, block->end});
    return false;
}

bool RecordedBlocks::awaitAll(std::uint64_t end) const
{
    if (!m_streamIndex)
        return false;
    const auto mayCome = [&] { return m_streamIndex->endPosition() < end && !m_streamIndex->isClosed(); };
    for (auto waited = kPollInterval; mayCome() && waited < kPatience && !isCancelled(); waited += kPollInterval)
        std::this_thread::sleep_for(kPollInterval);
    return m_streamIndex->endPosition() >= end && isReadable({0, end});
}

bool RecordedBlocks::readCauses(const StreamIndex::Block &block, Notes &to)
{
    if (!m_reader.readBlock(block)) {
        addUnreadable({block.first, block.end});
        return false;
    }
    to = m_reader.notes();
    return true;
}

bool RecordedBlocks::isReadable(Positions positions) const
{
    const auto next = std::upper_bound(m_unreadable.begin(), m_unreadable.end(), positions.first,
                                       [](std::uint64_t first, const Positions &gap) { return first < gap.end; });
    return next == m_unreadable.end() || next->first >= positions.end;
}

void RecordedBlocks::addUnreadable(Positions positions)
{
    const auto next = std::lower_bound(m_unreadable.begin(), m_unreadable.end(), positions.first,
                                       [](const Positions &gap, std::uint64_t first) { return gap.first < first; });
    if (next != m_unreadable.end() && next->first == positions.first)
        return;
    m_unreadable.insert(next, positions);
}

std::uint64_t RecordedBlocks::missingEvents() const
{
    std::uint64_t missing = 0;
    for (const History::Stretch &stretch : m_history.stretches()) {
        if (stretch.inMemory)
            continue;
        std::uint64_t here = 0;
        for (const Positions &gap : m_unreadable) {
            const std::uint64_t first = std::max(gap.first, stretch.firstEvent);
            here += std::max(first, std::min(gap.end, stretch.endEvent)) - first;
        }
        missing += std::min(here, stretch.events);
    }
    return missing;
}

}  // namespace ct::query
