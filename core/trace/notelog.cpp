// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   word 0   coroutine (32) | by, or target (32)
//   word 1   wait (1) | kind (7) | number (56)
//   word 2   time of a wake, object of a wait
//   word 3   pid (32) | tid (32) of a wake, time of the pass of a wait
#include "core/trace/notelog.h"

#include "core/base/relaxed.h"

#include <algorithm>

namespace ct::history {

namespace {

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

constexpr std::uint64_t kWait = 1ULL << 63;
constexpr unsigned kKindShift = 56;
constexpr std::uint64_t kNumberMask = (1ULL << kKindShift) - 1;

constexpr std::uint64_t pair(std::uint32_t high, std::uint32_t low)
{
    return std::uint64_t{high} << 32 | low;
}
constexpr std::uint32_t high(std::uint64_t word)
{
    return static_cast<std::uint32_t>(word >> 32);
}
constexpr std::uint32_t low(std::uint64_t word)
{
    return static_cast<std::uint32_t>(word);
}

std::uint32_t capacityOf(std::uint64_t budget)
{
    constexpr std::uint64_t kMost = 1U << 30;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(budget / NoteLog::kNoteBytes, 1024, kMost));
}

}  // namespace

NoteLog::NoteLog(std::uint64_t budget, std::uint64_t keepNs)
    : m_keepNs(keepNs), m_slots(capacityOf(budget)), m_capacity(capacityOf(budget))
{
}

/// Makes one more slot until all are made; from then on the ring is reused. Returns false when there is no slot at all.
bool NoteLog::makeSlot()
{
    if (m_ring.load(kRelaxed) != 0)
        return true;
    if (m_slots.sizeOfWriter() < m_capacity && m_slots.prepare()) {
        m_slots.publish();
        return true;
    }
    m_capacity = m_slots.sizeOfWriter();
    m_ring.store(m_capacity, kRelease);
    return m_capacity != 0;
}

void NoteLog::append(const Words &words)
{
    const std::uint64_t count = m_count.load(kRelaxed);
    if (!makeSlot()) {
        m_oldest.store(count + 1, kRelease);
        m_count.store(count + 1, kRelease);
        return;
    }
    const std::uint64_t ring = m_ring.load(kRelaxed);
    // Stored before the words; partner: read(). A reader that sees a new word sees that the older entry is evicted.
    if (ring != 0 && count - m_oldest.load(kRelaxed) >= ring)
        m_oldest.store(count - ring + 1, kRelease);
    Slot &slot = slotOf(count, ring);
    for (std::size_t i = 0; i < words.size(); ++i)
        slot[i].store(words[i], kRelease);
    m_count.store(count + 1, kRelease);
}

void NoteLog::append(const Notes &notes, std::uint64_t now)
{
    for (const WaitsOn &wait : notes.waits)
        append({pair(wait.coroutine, wait.target),
                kWait | static_cast<std::uint64_t>(wait.kind) << kKindShift | (wait.n & kNumberMask), wait.object,
                now});
    for (const Wake &wake : notes.wakes)
        append({pair(wake.coroutine, wake.by), wake.n & kNumberMask, wake.ts, pair(wake.pid, wake.tid)});
}

void NoteLog::evictOld(std::uint64_t now)
{
    if (m_keepNs == 0)
        return;
    const std::uint64_t count = m_count.load(kRelaxed);
    const std::uint64_t ring = m_ring.load(kRelaxed);
    std::uint64_t oldest = m_oldest.load(kRelaxed);
    for (; oldest < count; ++oldest) {
        const Slot &slot = slotOf(oldest, ring);
        const std::uint64_t ts = slot[slot[1].load(kRelaxed) & kWait ? 3 : 2].load(kRelaxed);
        if (ts >= now || now - ts <= m_keepNs)
            break;
    }
    m_oldest.store(oldest, kRelease);
}

bool NoteLog::read(std::uint64_t &position, std::size_t limit, Notes &to) const
{
    const std::uint64_t count = this->count();
    // Acquire; partner: makeSlot(). As long as it is 0, number and slot are equal.
    const std::uint64_t ring = m_ring.load(kAcquire);
    std::size_t taken = 0;
    for (position = std::max(position, evicted()); position < count && taken < limit;) {
        const Slot &slot = slotOf(position, ring);
        Words words{};
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = slot[i].load(kAcquire);
        // Relaxed, after the acquire loads of the words: if a word is of a later entry, this load shows the eviction.
        if (const std::uint64_t oldest = m_oldest.load(kRelaxed); oldest > position) {
            position = oldest;
            continue;
        }
        const std::uint64_t n = words[1] & kNumberMask;
        if (words[1] & kWait) {
            const auto kind = static_cast<WaitKind>(words[1] >> kKindShift & 0x7F);
            to.waits.push_back({high(words[0]), n, kind, words[2], low(words[0])});
        } else {
            to.wakes.push_back({high(words[0]), low(words[0]), n, words[2], high(words[3]), low(words[3])});
        }
        ++position;
        ++taken;
    }
    return taken != 0;
}

}  // namespace ct::history
