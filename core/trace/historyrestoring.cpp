// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Evicted events: which pieces of the stream a view of the past needs, and how they are restored.
#include "core/trace/historydata.h"

#include <algorithm>

namespace ct {

using namespace history;

namespace {

/// Positions of the evicted slabs [first, last].
History::Positions positionsOf(const Log &log, std::uint32_t first, std::uint32_t last)
{
    const Restored &restored = log.restored();
    const std::uint32_t ring = std::min(log.oldest(), restored.sealedSlabs() + 1);
    if (first == 0 || first >= ring || last < first)
        return {};
    const Sealed &one = restored.sealed(first);
    const Sealed &other = restored.sealed(std::min(last, ring - 1));
    return {one.first != Sealed::kUnknown ? one.first : 0, other.end != Sealed::kUnknown ? other.end : log.streamed()};
}

}  // namespace

History::Needed History::neededFor(std::uint64_t from, std::uint64_t to) const
{
    const Log &log = m_data->log;
    const Restored &restored = log.restored();
    const std::uint32_t ring = std::min(log.oldest(), restored.sealedSlabs() + 1);  // 0: nothing was consumed yet
    const std::uint32_t first = restored.firstAt(from);
    Needed needed;
    const auto hasSpace = [&] { return needed.slabs.size() < restored.slabs(); };
    for (std::uint32_t number = ring; number > first && hasSpace();) {
        number = restored.lastBefore(to, number - 1);
        if (number >= first && restored.sealed(number).maxTs >= from)
            needed.slabs.push_back(number);
    }
    // The piece before shows the state at the start of the view.
    if (first > 1 && first <= ring && hasSpace())
        needed.slabs.push_back(first - 1);
    std::reverse(needed.slabs.begin(), needed.slabs.end());
    for (const std::uint32_t number : needed.slabs) {
        const Sealed &sealed = restored.sealed(number);
        if (sealed.canBeRestored() && !restored.isRestored(number))
            needed.missing.push_back({number, sealed.first, sealed.end});
    }
    return needed;
}

bool History::restore(const Missing &piece, std::span<const Transition> events, const Needed &needed)
{
    return m_data->log.restored().restore(piece.slab, events, m_data->coroutines, needed.slabs);
}

std::uint64_t History::restoredVersion() const
{
    return m_data->log.restored().version();
}

std::vector<History::Stretch> History::stretches() const
{
    const Log &log = m_data->log;
    const Restored &restored = log.restored();
    const std::uint32_t ring = log.oldest();
    std::vector<Stretch> all(restored.sealedSlabs());
    for (std::uint32_t number = 1; number <= all.size(); ++number) {
        const Sealed &sealed = restored.sealed(number);
        const bool isKnown = sealed.canBeRestored();
        all[number - 1] = {sealed.minTs,
                           sealed.maxTs,
                           sealed.rows,
                           number >= ring || restored.isRestored(number),
                           isKnown ? sealed.first : 0,
                           isKnown ? sealed.end : streamed()};
    }
    return all;
}

History::Positions History::evictedOf(CoroutineId id) const
{
    if (id >= m_data->coroutines.heads.size())
        return {};
    // Acquire: the coroutine's first slab was stored before its last one.
    const std::uint32_t last = m_data->coroutines.heads[id].last.load(std::memory_order_acquire);
    return positionsOf(m_data->log, m_data->coroutines.lives[id].first.load(std::memory_order_relaxed), last);
}

History::Positions History::evictedWithin(std::uint64_t from, std::uint64_t to) const
{
    const Restored &restored = m_data->log.restored();
    const std::uint32_t behind =
        to == ~std::uint64_t{0} ? restored.sealedSlabs() : restored.lastBefore(to + 1, restored.sealedSlabs());
    return positionsOf(m_data->log, restored.firstAt(from), behind);
}

bool History::isInMemory(std::uint64_t from, std::uint64_t to) const
{
    const Log &log = m_data->log;
    const Restored &restored = log.restored();
    const std::uint32_t ring = std::min(log.oldest(), restored.sealedSlabs() + 1);
    const std::uint32_t first = restored.firstAt(from);
    for (std::uint32_t number = ring; number > first;) {
        number = restored.lastBefore(to, number - 1);
        if (number >= first && restored.sealed(number).maxTs >= from && !restored.isRestored(number))
            return false;
    }
    return true;
}

std::uint64_t History::firstInRing() const
{
    const Restored &restored = m_data->log.restored();
    const std::uint32_t ring = m_data->log.oldest();
    const std::uint32_t sealed = restored.sealedSlabs();
    if (ring == 0 || (ring == 1 && sealed == 0))
        return 0;
    const std::uint64_t position = ring <= sealed ? restored.sealed(ring).first : restored.sealed(sealed).end;
    return std::min(position, streamed());
}

std::uint64_t History::streamed() const
{
    return m_data->log.streamed();
}

}  // namespace ct
