// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/historyrestored.h"

#include "core/base/relaxed.h"
#include "core/trace/historydictionary.h"
#include "core/trace/historylog.h"

#include <algorithm>
#include <iterator>

namespace ct::history {

namespace {

constexpr std::uint32_t kMostSealed = 1U << 21;  ///< entries, for 137 billion events
constexpr std::uint32_t kMostSlabs = 1U << 14;

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

std::uint32_t numberIn(const Slot &slot)
{
    return static_cast<std::uint32_t>(slot.stamp.load(kAcquire));
}

constexpr std::uint32_t lowestBit(std::uint32_t number)
{
    return number & (~number + 1);
}

/// Distance of a slab to the nearest of `kept`. No slab (0) has the greatest distance.
std::uint32_t distanceTo(std::span<const std::uint32_t> kept, std::uint32_t number)
{
    std::uint32_t distance = ~std::uint32_t{0};
    const auto after = std::lower_bound(kept.begin(), kept.end(), number);
    if (number != 0 && after != kept.end())
        distance = *after - number;
    if (number != 0 && after != kept.begin())
        distance = std::min(distance, number - *std::prev(after));
    return distance;
}

}  // namespace

Restored::Restored(std::uint64_t budget)
    : m_memory(static_cast<std::uint32_t>(std::min<std::uint64_t>(budget / kSlabBytes, kMostSlabs))),
      m_slots(new Slot[m_memory.slabs()]),
      m_sealed(kMostSealed)
{
}

Restored::~Restored() = default;

void Restored::addSlab(std::uint32_t number, const Sealed &sealed)
{
    // Without room for this entry, this slab and all later ones cannot be restored.
    Sealed *const entry = number == m_sealed.sizeOfWriter() + 1 ? m_sealed.prepare() : nullptr;
    if (!entry)
        return;
    entry->first = sealed.first;
    entry->end = sealed.end;
    entry->base = sealed.base;
    entry->minTs = sealed.minTs;
    entry->maxTs = sealed.maxTs;
    entry->rows = sealed.rows;
    entry->latestTs = std::max(sealed.maxTs, number > 1 ? m_sealed[number - 2].latestTs : 0);
    entry->earliestTs = sealed.minTs;
    for (std::uint32_t before = number - 1; before > number - lowestBit(number); before -= lowestBit(before))
        entry->earliestTs = std::min(entry->earliestTs, m_sealed[before - 1].earliestTs);
    m_sealed.publish();
}

std::uint32_t Restored::firstAt(std::uint64_t ts) const
{
    std::uint32_t first = 1;
    std::uint32_t end = sealedSlabs() + 1;
    while (first < end) {
        const std::uint32_t middle = first + (end - first) / 2;
        if (sealed(middle).latestTs < ts)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

std::uint32_t Restored::lastBefore(std::uint64_t ts, std::uint32_t number) const
{
    while (number != 0 && sealed(number).minTs >= ts)
        number -= sealed(number).earliestTs < ts ? 1 : lowestBit(number);
    return number;
}

bool Restored::isRestored(std::uint32_t number) const
{
    SlabView unused;
    return view(number, unused);
}

bool Restored::view(std::uint32_t number, SlabView &view) const
{
    if (number == 0 || number > m_sealed.size())
        return false;
    const std::uint32_t slotNumber = m_sealed[number - 1].slot.load(kAcquire);
    return slotNumber != 0 && m_slots[slotNumber - 1].view(number, view);
}

std::uint32_t Restored::next(std::uint32_t number) const
{
    std::uint32_t found = 0;
    for (std::uint32_t i = 0, used = m_used.load(kAcquire); i < used; ++i) {
        const std::uint32_t here = numberIn(m_slots[i]);
        if (here >= number && here != 0 && (found == 0 || here < found))
            found = here;
    }
    return found;
}

std::uint32_t Restored::previous(std::uint32_t number) const
{
    std::uint32_t found = 0;
    for (std::uint32_t i = 0, used = m_used.load(kAcquire); i < used; ++i) {
        const std::uint32_t here = numberIn(m_slots[i]);
        if (here <= number)
            found = std::max(found, here);
    }
    return found;
}

/// Returns a slot that may be used, + 1; 0 if all slabs in it are to be kept, or if there is no memory.
std::uint32_t Restored::slotFor(std::span<const std::uint32_t> keep)
{
    const std::uint32_t used = m_used.load(kRelaxed);
    if (used < m_memory.slabs()) {
        if (std::byte *const memory = m_memory.next()) {
            m_buffers.push_back(std::make_unique<Buffer>());
            m_buffers.back()->memory = memory;
            m_slots[used].buffer.store(m_buffers.back().get(), kRelease);
            m_used.store(used + 1, kRelease);
            return used + 1;
        }
    }
    std::uint32_t farthest = 0;
    std::uint32_t slotNumber = 0;
    for (std::uint32_t i = 0; i < used; ++i) {
        const std::uint32_t distance = distanceTo(keep, numberIn(m_slots[i]));
        if (distance > farthest) {
            farthest = distance;
            slotNumber = i + 1;
        }
    }
    return slotNumber;
}

/// Fills the slab as the ring's writer did, but changes no coroutine. Returns the number of rows.
std::uint32_t Restored::fill(std::byte *memory, const Sealed &sealed, std::span<const Transition> events,
                             const Coroutines &coroutines)
{
    const std::uint32_t known = coroutines.heads.size();
    m_dictionary->startSlab(memory);
    std::uint32_t rows = 0;
    for (const Transition &event : events) {
        if (event.coroutine >= known)
            continue;
        // Acquire; partner: the release in adopt().
        const std::uint64_t usualAddr = coroutines.heads[event.coroutine].usualAddr.load(kAcquire);
        const bool usual = event.addr == usualAddr && usualAddr != Head::kNoAddr;
        const std::uint64_t time = event.ts - sealed.base;
        std::uint32_t cell =
            rows < m_dictionary->rowLimit() ? recentCellOf(*m_dictionary, event, usual, time) : Dictionary::kNoCell;
        if (cell == Dictionary::kNoCell)
            cell = m_dictionary->cellOf(event, usual, time, rows);
        if (cell == Dictionary::kNoCell || rows >= m_dictionary->rowLimit())
            return 0;
        storeRow(memory + rows * kRowBytes, event, time, cell);
        ++rows;
    }
    return rows;
}

bool Restored::restore(std::uint32_t number, std::span<const Transition> events, const Coroutines &coroutines,
                       std::span<const std::uint32_t> keep)
{
    if (number == 0 || number > m_sealed.size())
        return false;
    Sealed &sealed = m_sealed[number - 1];
    if (!sealed.canBeRestored() || sealed.end - sealed.first != events.size() || isRestored(number))
        return false;
    const std::uint32_t slotNumber = slotFor(keep);
    if (slotNumber == 0)
        return false;
    if (!m_dictionary)
        m_dictionary = std::make_unique<Dictionary>();
    Slot &slot = m_slots[slotNumber - 1];
    Buffer &buffer = *slot.buffer.load(kRelaxed);
    // Relaxed: the release of each content stored later orders it for readers (see historyslab.h).
    slot.stamp.store(0, kRelaxed);
    buffer.indexed.store(0, kRelaxed);
    if (fill(buffer.memory, sealed, events, coroutines) != sealed.rows)
        return false;
    slot.rows.store(sealed.rows | Slot::kSealed, kRelease);
    slot.base.store(sealed.base, kRelease);
    slot.minTs.store(sealed.minTs, kRelease);
    slot.maxTs.store(sealed.maxTs, kRelease);
    slot.stamp.store(++m_turn << 32 | number, kRelease);
    sealed.slot.store(slotNumber, kRelease);
    m_version.store(m_version.load(kRelaxed) + 1, kRelease);
    return true;
}

}  // namespace ct::history
