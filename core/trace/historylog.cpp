// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/historylog.h"

#include "core/base/relaxed.h"
#include "core/stream/resumesuspendpairs.h"
#include "core/trace/historydictionary.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace ct::history {

namespace {

constexpr std::uint64_t kMinSlabs = 4;
constexpr std::uint64_t kMaxSlabs = 1U << 15;
/// Distance in ns from a slab's base to its first event. Slightly older events of other threads still lie after the
/// base.
constexpr std::uint64_t kBaseAhead = 1U << 28;
/// With keepNs, a slab is closed once it spans 1/8 of it, so old events can be evicted in time.
constexpr std::uint64_t kSlabsPerKeep = 8;

constexpr std::uint32_t kBytesPerRow = kSlabBytes / kMaxRows;  ///< with the row's share of cells and index
constexpr std::ptrdiff_t kGroup = 32;                          ///< events whose heads are prefetched together
constexpr std::uint32_t kHeadsAtHand = 1U << 13;               ///< this many heads stay in the second-level cache
constexpr std::ptrdiff_t kRowsAhead = 2048;  ///< bytes to prefetch ahead; in the slab even from the last row
static_assert(kMaxRows * kRowBytes + kRowsAhead + kGroup * kRowBytes <= kSlabBytes);

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

/// Prefetches the heads of a group of events.
inline void fetch(const Transition *event, const Transition *end, const Head *heads)
{
    for (; event != end; ++event)
        __builtin_prefetch(heads + event->coroutine, 1);
}

/// Prefetches the memory of later rows. It was last used one round of the ring ago.
inline void fetchRows(const std::byte *row)
{
    for (std::ptrdiff_t line = 0; line < kGroup * kRowBytes; line += 64)
        __builtin_prefetch(row + kRowsAhead + line, 1);
}

/// Stores two rows if the events are an ordinary pair of a coroutine that is already in this slab. Else does nothing
/// and returns false.
inline bool storePair(std::byte *row, const Dictionary &dictionary, const Transition &resume, const Transition &suspend,
                      const Head &head, std::uint64_t base, std::uint32_t slab)
{
    const std::uint64_t usualAddr = head.usualAddr.load(kRelaxed);
    const std::uint64_t resumeTime = resume.ts - base;
    const std::uint64_t suspendTime = suspend.ts - base;
    if (!isResumeSuspendPair(resume, suspend) || head.last.load(kRelaxed) != slab || usualAddr == Head::kNoAddr ||
        resume.ts > suspend.ts || !Dictionary::isPlain(resume, resumeTime) ||
        !Dictionary::isPlain(suspend, suspendTime)) [[unlikely]]
        return false;
    const std::uint32_t first = dictionary.recentCellOf(Dictionary::plainKeyOf(resume, resume.addr == usualAddr));
    const std::uint32_t second = dictionary.recentCellOf(Dictionary::plainKeyOf(suspend, suspend.addr == usualAddr));
    if (first == Dictionary::kNoCell || second == Dictionary::kNoCell) [[unlikely]]
        return false;
    storeRow(row, resume, resumeTime, first);
    storeRow(row + kRowBytes, suspend, suspendTime, second);
    return true;
}

/// Makes `addr` the coroutine's usual address, unless it is no address. Returns whether it did.
bool adopt(Head &head, std::uint64_t addr)
{
    if (addr == 0 || addr == Head::kNoAddr)
        return false;
    head.usualAddr.store(addr, kRelease);
    return true;
}

/// Handles a coroutine's first event in a slab, which may be its very first.
void enter(Head &head, Life &life, const Transition &event, std::uint32_t slab)
{
    if (head.last.load(kRelaxed) == 0) {
        // The first event of a monotonic station is number 1.
        Dialect dialect = life.dialect;
        if (dialect == Dialect::Unknown && event.seq == event.n && event.seq != slotSeq(Dialect::Seqlock, event.n))
            dialect = Dialect::Monotonic;
        life.firstN.store(dialect == Dialect::Monotonic ? 1 : 0, kRelaxed);
        life.first.store(slab, kRelaxed);
    }
    head.last.store(slab, kRelease);
}

}  // namespace

Log::Log(std::uint64_t budget, std::uint64_t restored, std::uint64_t keepNs)
    : m_memory(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(budget / kSlabBytes, kMinSlabs, kMaxSlabs))),
      m_slotCount(m_memory.slabs()),
      m_keepNs(keepNs),
      m_slots(new Slot[m_slotCount]),
      m_restored(restored),
      m_dictionary(std::make_unique<Dictionary>())
{
    if (m_slotCount < 2)
        throw std::bad_alloc();
}

Log::~Log() = default;

void Log::prepareMemory()
{
    m_memory.prepareAll();
}

/// Returns a spare buffer or a new one; nullptr when the system has no memory for it.
Buffer *Log::acquireBuffer()
{
    if (m_spare.empty()) {
        std::byte *const memory = m_memory.next();
        if (!memory)
            return nullptr;
        m_buffers.push_back(std::make_unique<Buffer>());
        m_buffers.back()->memory = memory;
        return m_buffers.back().get();
    }
    Buffer *const buffer = m_spare.back();
    m_spare.pop_back();
    return buffer;
}

void Log::evictOldest()
{
    const std::uint32_t number = m_oldest.load(kRelaxed);
    Slot &slot = slotOf(number);
    const std::uint64_t rows = slot.rows.load(kRelaxed) & ~kSealed;
    increase(m_evictedEvents, rows);
    m_keptEvents.store(m_keptEvents.load(kRelaxed) - rows, kRelaxed);
    if (rows != 0)
        m_evictedBefore.store(std::max(m_evictedBefore.load(kRelaxed), slot.maxTs.load(kRelaxed) + 1), kRelaxed);
    // Relaxed: the release of each content stored later orders it for readers (see historyslab.h).
    slot.stamp.store(0, kRelaxed);
    m_spare.push_back(slot.buffer.load(kRelaxed));
    m_oldest.store(number + 1, kRelease);
    m_bytesUsed.store(m_bytesUsed.load(kRelaxed) - kSlabBytes, kRelaxed);
}

/// Closes the slab for new events. The next event of the stream has position `end`.
void Log::seal(std::uint64_t end)
{
    publish(kSealed);
    m_restored.addSlab(m_number, {m_firstPosition, end, m_base, m_minTs, m_maxTs, m_rows});
}

/// `ts`, `firstPosition`: time and position of its first event.
void Log::beginSlab(std::uint64_t ts, std::uint64_t firstPosition)
{
    if (m_number != 0) {
        seal(firstPosition);
        if (m_number - m_oldest.load(kRelaxed) + 1 == m_slotCount)
            evictOldest();
    }
    Buffer *buffer = acquireBuffer();
    if (!buffer) {
        // Without more memory, the existing slabs are the budget.
        if (m_number == m_oldest.load(kRelaxed))
            throw std::bad_alloc();
        evictOldest();
        buffer = acquireBuffer();
    }
    Slot &slot = slotOf(++m_number);
    m_firstPosition = firstPosition;
    m_slab = buffer->memory;
    m_rows = 0;
    m_full = false;
    m_base = ts - std::min(ts, kBaseAhead);
    m_minTs = ~std::uint64_t{0};
    m_maxTs = 0;
    m_dictionary->startSlab(m_slab);
    slot.rows.store(0, kRelease);
    slot.base.store(m_base, kRelease);
    slot.minTs.store(m_minTs, kRelease);
    slot.maxTs.store(m_maxTs, kRelease);
    slot.buffer.store(buffer, kRelease);
    slot.stamp.store(m_number, kRelease);
    if (m_number == 1)
        m_oldest.store(1, kRelease);
}

void Log::publish(std::uint32_t seal)
{
    Slot &slot = slotOf(m_number);
    const std::uint32_t before = slot.rows.load(kRelaxed);
    slot.minTs.store(m_minTs, kRelease);
    slot.maxTs.store(m_maxTs, kRelease);
    slot.rows.store(m_rows | seal, kRelease);
    // A sealed slab counts with its whole size, however few rows it has.
    increase(m_bytesUsed, (m_rows - before) * kBytesPerRow);
    if (seal != 0)
        increase(m_bytesUsed, kSlabBytes - m_rows * kBytesPerRow);
    if (m_rows == before)
        return;
    increase(m_keptEvents, m_rows - before);
    const std::uint64_t first = m_firstTs.load(kRelaxed);
    m_firstTs.store(first == 0 ? m_minTs : std::min(first, m_minTs), kRelaxed);
    m_lastTs.store(std::max(m_lastTs.load(kRelaxed), m_maxTs), kRelaxed);
}

// Copies of members come first, because the compiler reloads members after each atomic store. If there are many heads,
// the loop prefetches those of the next group while it works on this one.
std::size_t Log::fill(std::span<const Transition> events, Coroutines &coroutines)
{
    const std::uint32_t number = m_number;
    const std::uint64_t base = m_base;
    Dictionary &dictionary = *m_dictionary;
    Head *const heads = coroutines.heads.data();
    const std::uint32_t known = coroutines.heads.sizeOfWriter();
    std::byte *row = m_slab + m_rows * kRowBytes;
    const auto rows = [this, &row] { return static_cast<std::uint32_t>(row - m_slab) / kRowBytes; };
    std::uint64_t minTs = m_minTs;
    std::uint64_t maxTs = m_maxTs;
    const Transition *event = events.data();
    const Transition *const end = event + events.size();
    const bool inPairs = hasManyPairs(events);
    bool allKnown = true;
    while (event != end && !m_full && allKnown) {
        const Transition *const groupEnd = event + std::min(kGroup, end - event);
        if (known > kHeadsAtHand)
            fetch(groupEnd, groupEnd + std::min(kGroup, end - groupEnd), heads);
        fetchRows(row);
        const Transition *stop = event + std::min<std::ptrdiff_t>(groupEnd - event, dictionary.rowLimit() - rows());
        for (; event != stop; ++event) {
            allKnown = event->coroutine < known;
            if (!allKnown) [[unlikely]]
                break;
            Head &head = heads[event->coroutine];
            if (inPairs && stop - event > 1 && storePair(row, dictionary, event[0], event[1], head, base, number)) {
                row += std::size_t{2} * kRowBytes;
                minTs = std::min(minTs, event[0].ts);
                maxTs = std::max(maxTs, event[1].ts);
                ++event;
                continue;
            }
            const std::uint64_t usualAddr = head.usualAddr.load(kRelaxed);
            bool usual = event->addr == usualAddr;
            if (usualAddr == Head::kNoAddr) [[unlikely]]
                usual = adopt(head, event->addr);
            const std::uint64_t time = event->ts - base;
            std::uint32_t cell = recentCellOf(dictionary, *event, usual, time);
            if (cell == Dictionary::kNoCell) [[unlikely]] {
                cell = dictionary.cellOf(*event, usual, time, rows());
                if (cell == Dictionary::kNoCell)
                    break;
                // A new cell may have used up the room of rows.
                stop = event + std::min<std::ptrdiff_t>(groupEnd - event, dictionary.rowLimit() - rows());
            }
            storeRow(row, *event, time, cell);
            row += kRowBytes;
            if (head.last.load(kRelaxed) != number) [[unlikely]]
                enter(head, coroutines.lives[event->coroutine], *event, number);
            minTs = std::min(minTs, event->ts);
            maxTs = std::max(maxTs, event->ts);
        }
        m_full = event != groupEnd && allKnown;
    }
    m_rows = rows();
    m_minTs = minTs;
    m_maxTs = maxTs;
    return static_cast<std::size_t>(event - events.data());
}

void Log::append(std::span<const Transition> events, Coroutines &coroutines)
{
    const std::uint32_t known = coroutines.heads.sizeOfWriter();
    const std::uint64_t end = m_streamed.load(kRelaxed) + events.size();
    bool isPositionKnown = true;
    const auto isKnown = [&coroutines, known](const Transition &event) {
        return event.coroutine < known && !coroutines.coroutineEviction.isWithoutRecord(event.coroutine);
    };
    if (coroutines.coroutineEviction.hasPagesWithoutRecords() && !std::all_of(events.begin(), events.end(), isKnown)) {
        m_known.clear();
        std::copy_if(events.begin(), events.end(), std::back_inserter(m_known), isKnown);
        events = m_known;
        isPositionKnown = false;
    }
    while (!events.empty() && known != 0) {
        if (m_full)
            beginSlab(events.front().ts, isPositionKnown ? end - events.size() : Sealed::kUnknown);
        events = events.subspan(fill(events, coroutines));
        if (m_full || events.empty())
            continue;
        // fill() stopped in front of an event of an unknown coroutine.
        std::vector<Transition> rest;
        std::copy_if(events.begin(), events.end(), std::back_inserter(rest), isKnown);
        m_known = std::move(rest);
        events = m_known;
        isPositionKnown = false;
    }
    m_streamed.store(end, kRelease);
    if (m_number != 0)
        publish(0);
}

void Log::evictOld(std::uint64_t now)
{
    if (m_keepNs == 0 || m_number == 0)
        return;
    if (m_rows != 0 && m_maxTs - m_minTs >= m_keepNs / kSlabsPerKeep)
        m_full = true;
    while (m_oldest.load(kRelaxed) < m_number) {
        const std::uint64_t maxTs = slotOf(m_oldest.load(kRelaxed)).maxTs.load(kRelaxed);
        if (maxTs >= now || now - maxTs <= m_keepNs)
            break;
        evictOldest();
    }
}

std::uint32_t Log::nextKept(std::uint32_t number) const
{
    const std::uint32_t ring = std::max(number, oldest());
    const std::uint32_t restored = number < ring ? m_restored.next(number) : 0;
    return restored != 0 ? std::min(restored, ring) : ring;
}

std::uint32_t Log::previousKept(std::uint32_t number) const
{
    const std::uint32_t ring = oldest();
    return ring != 0 && number >= ring ? number : m_restored.previous(number);
}

}  // namespace ct::history
