// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   word 0   coroutine (32) | by, target, or site of a use or finish (32)
//   word 1   type (4) | kind (4) | number (56)
//   word 2   time; of a wait, the time of the pass
//   word 3   pid (32) | tid (32) of a wake or use; part of a wait
//   word 4   object of a wait or use; count of wakers left
#include "core/trace/notelog.h"

#include "core/base/relaxed.h"

#include <algorithm>

namespace ct::history {

namespace {

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

enum class Type : std::uint8_t { Wait, Wake, Use, WakersLeft, Finish };

constexpr unsigned kTypeShift = 60;
constexpr unsigned kKindShift = 56;
constexpr std::uint64_t kNumberMask = (1ULL << kKindShift) - 1;

template <class Kind>
constexpr std::uint64_t what(Type type, Kind kind, std::uint64_t n)
{
    return static_cast<std::uint64_t>(type) << kTypeShift | static_cast<std::uint64_t>(kind) << kKindShift |
           (n & kNumberMask);
}
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

void add(const std::array<std::uint64_t, 5> &words, Notes &to)
{
    const std::uint64_t n = words[1] & kNumberMask;
    const auto kind = static_cast<std::uint8_t>(words[1] >> kKindShift & 0xF);
    const std::uint32_t first = high(words[0]);
    const std::uint32_t second = low(words[0]);
    switch (static_cast<Type>(words[1] >> kTypeShift)) {
    case Type::Wait:
        to.waits.push_back({first, n, static_cast<WaitKind>(kind), words[4], second, low(words[3])});
        return;
    case Type::Wake: to.wakes.push_back({first, second, n, words[2], high(words[3]), low(words[3])}); return;
    case Type::Use:
        to.uses.push_back(
            {first, n, static_cast<UseKind>(kind), words[4], second, words[2], high(words[3]), low(words[3])});
        return;
    case Type::WakersLeft: to.wakersLeft.push_back({first, n, words[4], words[2]}); return;
    case Type::Finish: to.finishes.push_back({first, words[2], second}); return;
    }
}

std::uint32_t capacityOf(std::uint64_t budget)
{
    constexpr std::uint64_t kMost = 1U << 29;  // words are numbered with 32 bits
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(budget / NoteLog::kNoteBytes, 1024, kMost));
}

}  // namespace

NoteLog::NoteLog(std::uint64_t budget, std::uint64_t keepNs)
    : m_keepNs(keepNs), m_words(capacityOf(budget) * kWords), m_capacity(capacityOf(budget))
{
}

/// Makes one more slot until all are made; from then on the ring is reused. Returns false when there is no slot at all.
bool NoteLog::makeSlot()
{
    if (m_ring.load(kRelaxed) != 0)
        return true;
    const std::uint32_t begin = m_words.sizeOfWriter();
    if (begin < m_capacity * kWords) {
        std::uint32_t made = 0;
        for (; made < kWords && m_words.prepare() != nullptr; ++made)
            m_words.publish();
        if (made == kWords)
            return true;
    }
    m_capacity = begin / kWords;
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
    std::atomic<std::uint64_t> *const slot = slotOf(count, ring);
    for (std::size_t i = 0; i < words.size(); ++i)
        slot[i].store(words[i], kRelease);
    m_count.store(count + 1, kRelease);
}

void NoteLog::append(const Notes &notes, std::uint64_t now)
{
    for (const WaitsOn &wait : notes.waits)
        append({pair(wait.coroutine, wait.target), what(Type::Wait, wait.kind, wait.n), now, wait.part, wait.object});
    for (const Wake &wake : notes.wakes)
        append({pair(wake.coroutine, wake.by), what(Type::Wake, 0, wake.n), wake.ts, pair(wake.pid, wake.tid), 0});
    for (const Use &use : notes.uses)
        append({pair(use.by, use.site), what(Type::Use, use.kind, use.n), use.ts, pair(use.pid, use.tid), use.object});
    for (const WakersLeft &left : notes.wakersLeft)
        append({pair(left.coroutine, 0), what(Type::WakersLeft, 0, left.n), left.ts, 0, left.count});
    for (const Finish &finish : notes.finishes)
        append({pair(finish.coroutine, finish.site), what(Type::Finish, 0, 0), finish.ts, 0, 0});
}

void NoteLog::evictOld(std::uint64_t now)
{
    if (m_keepNs == 0)
        return;
    const std::uint64_t count = m_count.load(kRelaxed);
    const std::uint64_t ring = m_ring.load(kRelaxed);
    std::uint64_t oldest = m_oldest.load(kRelaxed);
    for (; oldest < count; ++oldest) {
        const std::uint64_t ts = slotOf(oldest, ring)[2].load(kRelaxed);
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
        const std::atomic<std::uint64_t> *const slot = slotOf(position, ring);
        Words words{};
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = slot[i].load(kAcquire);
        // Relaxed, after the acquire loads of the words: if a word is of a later entry, this load shows the eviction.
        if (const std::uint64_t oldest = m_oldest.load(kRelaxed); oldest > position) {
            position = oldest;
            continue;
        }
        add(words, to);
        ++position;
        ++taken;
    }
    return taken != 0;
}

}  // namespace ct::history
