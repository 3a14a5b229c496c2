// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/historyblocks.h"

#include <algorithm>

namespace ct::history {

namespace {

constexpr unsigned kOffsetShift = 16;
constexpr std::uint64_t kSlabBytes = kSlabWords * sizeof(Word);
constexpr std::uint64_t kMinSlabs = 16;

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

bool fitsOffset(std::uint64_t base, std::uint64_t ts)
{
    const auto offset = static_cast<std::int64_t>(ts - base);
    return offset >= -(std::int64_t{1} << 47) && offset < (std::int64_t{1} << 47);
}

std::uint64_t packOffset(std::uint64_t base, std::uint64_t ts)
{
    return (ts - base) << kOffsetShift;
}

std::uint64_t unpackTs(std::uint64_t base, std::uint64_t word)
{
    return base + static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> kOffsetShift);
}

Slabs::Slabs(std::uint64_t budget)
    : m_slotCount(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(budget / kSlabBytes, kMinSlabs, kMaxSlabs))),
      m_slots(new Slot[m_slotCount])
{
}

Slabs::~Slabs()
{
    for (std::uint32_t i = 0; i < m_slotCount; ++i)
        delete[] m_slots[i].words.load(kRelaxed);
}

void Slabs::beginSlab()
{
    ++m_number;
    m_used = 0;
    Slot &slot = currentSlot();
    if (slot.events != 0) {
        m_keptEvents.store(m_keptEvents.load(kRelaxed) - slot.events, kRelaxed);
        m_droppedEvents.store(m_droppedEvents.load(kRelaxed) + slot.events, kRelaxed);
        m_droppedBefore.store(std::max(m_droppedBefore.load(kRelaxed), slot.maxTs + 1), kRelaxed);
    }
    slot.events = 0;
    slot.maxTs = 0;
    if (!slot.words.load(kRelaxed)) {
        // Not value-initialised: pages that nobody wrote to yet cost nothing. Every word is stored before it is read.
        slot.words.store(new Word[kSlabWords], std::memory_order_release);
        m_bytesUsed.store(m_bytesUsed.load(kRelaxed) + kSlabBytes, kRelaxed);
    }
    // Relaxed: ordered for readers by the release of every content stored after it (see the top of the header).
    slot.number.store(m_number, kRelaxed);
}

BlockRef Slabs::allocate(std::uint32_t words)
{
    if (m_used + words > kSlabWords)
        beginSlab();
    const std::uint32_t slot = m_number % m_slotCount;
    const BlockRef block = BlockRef{m_number} << 32 | std::uint64_t{slot} * kSlabWords | m_used;
    m_used += words;
    return block;
}

void Slabs::count(BlockRef block, std::uint64_t events, std::uint64_t maxTs)
{
    Slot &slot = m_slots[slotOf(block)];
    slot.events += events;
    slot.maxTs = std::max(slot.maxTs, maxTs);
    m_keptEvents.store(m_keptEvents.load(kRelaxed) + events, kRelaxed);
}

}  // namespace ct::history
