// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reading half: copy, validate, parse the copy.
#include "core/trace/history.h"

#include "core/trace/historydata.h"

#include <algorithm>

namespace ct {

using namespace history;

namespace history {

bool EntryReader::next(HistoryEvent &event)
{
    if (m_entry >= m_block.count)
        return false;
    const std::uint64_t first = m_block.words[m_entry * 2];
    const std::uint64_t second = m_block.words[m_entry * 2 + 1];
    ++m_entry;
    event = HistoryEvent();
    event.ts = unpackTs(m_block.baseTs, first);
    event.n = m_n;
    if (second & kGap) {
        event.type = HistoryEvent::Type::Gap;
        event.count = second & kGapCountMask;
        m_n += event.count;
        return true;
    }
    ++m_n;
    event.type = second & kActive ? HistoryEvent::Type::Resume : HistoryEvent::Type::Suspend;
    event.kind = kindOf(second);
    if (second & kWide) {
        if (m_entry >= m_block.count)
            return false;
        event.addr = m_block.words[m_entry * 2];
        event.site = static_cast<SiteId>(m_block.words[m_entry * 2 + 1] >> 32);
        event.tid = static_cast<std::uint32_t>(m_block.words[m_entry * 2 + 1]);
        ++m_entry;
        return true;
    }
    event.site = siteOf(second);
    event.tid = static_cast<std::uint32_t>(m_data.threads.at(first & 0xFFFF));
    const auto address = static_cast<std::uint32_t>(second);
    if (address == kUsualAddress)
        event.addr = m_block.usualAddr;
    else if (address >= kFirstInterned)
        event.addr = m_data.addresses.at(address - kFirstInterned);
    return true;
}

}  // namespace history

bool History::Data::copyHeader(BlockRef ref, BlockCopy &to) const
{
    if (!slabs.isCurrent(ref) || !Slabs::isInside(ref, kHeaderWords))
        return false;
    to.ref = ref;
    // In this order: a block that has a successor is closed, its sums are complete and its count is final.
    to.next = slabs.load(ref, kNext);
    const std::uint64_t sums = slabs.load(ref, kClosedSums);
    to.closed = sums >> 63;
    to.gaps = sums >> 62 & 1;
    to.lastSite = static_cast<SiteId>(sums >> 32) & (kSiteLimit - 1);
    to.transitions = static_cast<std::uint32_t>(sums);
    to.closedTs = slabs.load(ref, kClosedTs);
    to.runNs = slabs.load(ref, kRunNs);
    to.suspendedNs = slabs.load(ref, kSuspendedNs);
    to.count = static_cast<std::uint32_t>(slabs.load(ref, kCount));
    to.coroutine = static_cast<CoroutineId>(slabs.load(ref, kCoroutineAndCapacity) >> 32);
    to.previous = slabs.load(ref, kPrevious);
    to.firstN = slabs.load(ref, kFirstN);
    to.baseTs = slabs.load(ref, kBaseTs);
    to.openTs = slabs.load(ref, kOpenTs);
    const std::uint64_t open = slabs.load(ref, kOpenState);
    to.open = static_cast<Open>(open >> 32);
    to.openSite = static_cast<SiteId>(open);
    // After the count: the usual address is stored ahead of the count that publishes its first use.
    to.usualAddr = slabs.load(ref, kUsualAddr);
    return slabs.isCurrent(ref);
}

bool History::Data::copyEntries(BlockCopy &block) const
{
    const std::uint32_t words = block.count * 2;
    if (!Slabs::isInside(block.ref, kHeaderWords + words))
        return false;
    block.words.resize(words);
    for (std::uint32_t i = 0; i < words; ++i)
        block.words[i] = slabs.load(block.ref, kHeaderWords + i);
    return slabs.isCurrent(block.ref);
}

BlockRef History::Data::tailOf(CoroutineId id) const
{
    return id < heads.size() ? heads[id].tail.load(std::memory_order_acquire) : 0;
}

BlockRef History::Data::oldestOf(CoroutineId id) const
{
    BlockRef oldest = 0;
    for (BlockRef ref = tailOf(id); slabs.isCurrent(ref);) {
        const BlockRef previous = slabs.load(ref, kPrevious);
        if (!slabs.isCurrent(ref))
            break;
        oldest = ref;
        ref = previous;
    }
    return oldest;
}

std::vector<BlockCopy> History::Data::blocksBetween(CoroutineId id, std::uint64_t from, std::uint64_t to) const
{
    std::vector<BlockCopy> blocks;
    BlockCopy block;
    for (BlockRef ref = tailOf(id); copyHeader(ref, block); ref = block.previous) {
        if (block.begin() < to)
            blocks.push_back(block);
        if (block.baseTs < from)
            break;
    }
    std::reverse(blocks.begin(), blocks.end());
    return blocks;
}

std::vector<HistoryEvent> History::events(CoroutineId id, std::uint64_t from, std::uint64_t to, std::size_t limit) const
{
    std::vector<HistoryEvent> found;
    std::optional<HistoryEvent> before;
    for (BlockCopy &block : m_data->blocksBetween(id, from, to)) {
        if (!m_data->copyEntries(block))
            continue;
        EntryReader reader(*m_data, block);
        for (HistoryEvent event; reader.next(event);) {
            if (event.ts < from) {
                before = event;
                continue;
            }
            if (before && found.size() < limit)
                found.push_back(*before);
            before.reset();
            if (event.ts >= to || found.size() >= limit)
                return found;
            found.push_back(event);
        }
    }
    if (before && found.size() < limit)
        found.push_back(*before);
    return found;
}

std::size_t History::read(CoroutineId id, Position &position, std::span<HistoryEvent> events) const
{
    std::size_t got = 0;
    BlockCopy block;
    while (got < events.size()) {
        if (!m_data->copyHeader(position.block, block)) {
            // At the beginning, or dropped under our feet: on with the oldest that is kept.
            position.block = m_data->oldestOf(id);
            position.entry = 0;
            if (position.block == 0)
                break;
            continue;
        }
        if (position.entry == 0)
            position.nextN = block.firstN;
        if (position.entry >= block.count) {
            if (block.next == 0)
                break;
            position.block = block.next;
            position.entry = 0;
            continue;
        }
        if (!m_data->copyEntries(block))
            continue;
        EntryReader reader(*m_data, block, position.entry, position.nextN);
        while (got < events.size() && reader.next(events[got]))
            ++got;
        position.entry = reader.entry();
        position.nextN = reader.n();
    }
    return got;
}

std::uint64_t History::firstKept(CoroutineId id) const
{
    BlockCopy block;
    for (BlockRef ref = m_data->oldestOf(id); ref != 0; ref = m_data->oldestOf(id))
        if (m_data->copyHeader(ref, block))
            return block.baseTs;
    return 0;
}

}  // namespace ct
