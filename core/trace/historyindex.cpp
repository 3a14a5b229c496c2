// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/historyindex.h"

#include "core/base/relaxed.h"

#include <algorithm>
#include <bit>

namespace ct::history {

namespace {

/// Below this many rows, a linear search (microseconds) is cheaper than an index.
constexpr std::uint32_t kFewRows = 256;
/// Renew the index of a growing slab after this many new rows.
constexpr std::uint32_t kRenewRows = 8192;

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

constexpr std::uint64_t indexOf(std::uint32_t number, std::uint32_t rows)
{
    return std::uint64_t{number} << 32 | rows;
}
std::uint32_t rowsOf(std::uint64_t indexed, std::uint32_t number)
{
    return indexed >> 32 == number ? static_cast<std::uint32_t>(indexed) : 0;
}

/// Turns the count of each key into the start of its run.
void accumulate(std::vector<std::uint32_t> &counts)
{
    std::uint32_t sum = 0;
    for (std::uint32_t &count : counts) {
        const std::uint32_t before = sum;
        sum += count;
        count = before;
    }
}

}  // namespace

BlockSums sumUp(std::span<const HistoryEvent> events)
{
    BlockSums sums;
    sums.firstTs = events.front().ts;
    sums.firstN = events.front().n;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const HistoryEvent &event = events[i];
        if (event.type == HistoryEvent::Type::Suspend) {
            sums.suspends = true;
            sums.lastSite = event.site;
        }
        const bool jumps = i != 0 && event.n > sums.lastN + 1;
        const std::uint64_t lasted = i != 0 && !jumps && event.ts > sums.lastTs ? event.ts - sums.lastTs : 0;
        sums.gap |= jumps && event.ts > sums.lastTs;
        if (sums.open == Open::Running)
            sums.runNs += lasted;
        else if (sums.open == Open::Suspended)
            sums.suspendedNs += lasted;
        sums.lastTs = event.ts;
        sums.lastN = event.n;
        sums.open = openAfter(event);
    }
    return sums;
}

void Index::prepare(const SlabView &slab, bool manyCoroutines)
{
    const std::uint32_t done = rowsOf(slab.buffer->indexed.load(kRelaxed), slab.number);
    if (slab.rows < kFewRows || slab.rows <= done || (!slab.sealed && slab.rows - done < kRenewRows))
        return;
    if (m_building.load(kRelaxed) || m_building.exchange(true, kAcquire))
        return;
    build(slab, manyCoroutines);
    m_building.store(false, kRelease);
}

void Index::build(const SlabView &slab, bool manyCoroutines)
{
    // Another thread may have built the index in the meantime.
    if (rowsOf(slab.buffer->indexed.load(kAcquire), slab.number) >= slab.rows)
        return;
    m_ids.resize(slab.rows);
    std::uint32_t first = ~std::uint32_t{0};
    std::uint32_t last = 0;
    for (std::uint32_t row = 0; row < slab.rows; ++row) {
        const std::uint32_t id =
            manyCoroutines ? slab.coroutine(row) : rowWord(slab.memory, row, 1) >> (32 - kRowCoroutineBits);
        first = std::min(first, id);
        last = std::max(last, id);
        m_ids[row] = id;
    }
    if (!slab.isCurrent())
        return;
    for (std::uint32_t &id : m_ids)
        id -= first;
    const std::uint32_t span = last - first;
    const auto bits = static_cast<unsigned>(std::bit_width(span));
    constexpr auto kFenceBits = static_cast<unsigned>(std::bit_width(kFences - 1));
    const unsigned shift = bits > kFenceBits ? bits - kFenceBits : 0;
    std::byte *const memory = slab.buffer->memory;
    slab.buffer->indexed.store(0, kRelaxed);
    sort(memory + kOrderAt, slab.rows, bits);
    storeFences(memory + kFencesAt, slab.rows, span, shift);
    storeRelease(memory + kHeaderAt + kFirstId * 4, first);
    storeRelease(memory + kHeaderAt + kLastId * 4, last);
    storeRelease(memory + kHeaderAt + kShift * 4, std::uint32_t{shift});
    storeRelease(memory + kHeaderAt + kHighBits * 4, std::uint32_t{manyCoroutines});
    if (slab.isCurrent())
        slab.buffer->indexed.store(indexOf(slab.number, slab.rows), kRelease);
}

// Counting sort: one pass if there are few keys. Otherwise two stable passes, first by the lower half of the bits, then
// by the upper half.
void Index::sort(std::byte *order, std::uint32_t rows, unsigned bits)
{
    constexpr unsigned kFewBits = 12;
    const bool once = bits <= kFewBits || std::uint64_t{1} << bits <= 2 * std::uint64_t{rows};
    const unsigned low = once ? 0 : (bits + 1) / 2;
    if (!once) {
        const std::uint32_t mask = (std::uint32_t{1} << low) - 1;
        m_counts.assign(std::size_t{1} << low, 0);
        m_half.resize(rows);
        for (const std::uint32_t id : m_ids)
            ++m_counts[id & mask];
        accumulate(m_counts);
        for (std::uint32_t row = 0; row < rows; ++row)
            m_half[m_counts[m_ids[row] & mask]++] = static_cast<std::uint16_t>(row);
    }
    m_counts.assign(std::size_t{1} << (bits - low), 0);
    for (const std::uint32_t id : m_ids)
        ++m_counts[id >> low];
    accumulate(m_counts);
    for (std::uint32_t i = 0; i < rows; ++i) {
        const std::uint32_t row = once ? i : m_half[i];
        storeRelease(order + m_counts[m_ids[row] >> low]++ * sizeof(std::uint16_t), static_cast<std::uint16_t>(row));
    }
}

void Index::storeFences(std::byte *memory, std::uint32_t rows, std::uint32_t span, unsigned shift)
{
    m_counts.assign((span >> shift) + 1, 0);
    for (std::uint32_t row = 0; row < rows; ++row)
        ++m_counts[m_ids[row] >> shift];
    accumulate(m_counts);
    // The last range is not empty, so every range begins below 64 Ki and fits into 16 bits.
    for (std::size_t range = 0; range < m_counts.size(); ++range)
        storeRelease(memory + range * sizeof(std::uint16_t), static_cast<std::uint16_t>(m_counts[range]));
}

CoroutineRows Index::rowsOfCoroutine(const SlabView &slab, CoroutineId id)
{
    CoroutineRows run;
    const std::uint64_t indexed = slab.buffer->indexed.load(kAcquire);
    run.tail = std::min(rowsOf(indexed, slab.number), kMaxRows);
    if (run.tail == 0)
        return run;
    run.indexed = indexed;
    const std::uint32_t first = header(slab, kFirstId);
    const std::uint32_t last = header(slab, kLastId);
    const std::uint32_t shift = header(slab, kShift) & 31U;
    if (id < first || id > last)
        return run;
    const std::uint32_t range = std::min((id - first) >> shift, kFences - 1);
    const std::uint32_t lastRange = std::min((last - first) >> shift, kFences - 1);
    std::uint32_t begin = fence(slab, range);
    const std::uint32_t rangeEnd = range < lastRange ? fence(slab, range + 1) : run.tail;
    std::uint32_t end = rangeEnd;
    if (shift != 0) {
        const bool highBits = header(slab, kHighBits) != 0;
        // Binary search for the first entry of this id or a later one. Then search in growing steps for the first entry
        // of a later id, because most runs are short.
        for (std::uint32_t after = rangeEnd; begin < after;) {
            const std::uint32_t middle = begin + (after - begin) / 2;
            if (coroutineAt(slab, middle, highBits) < id)
                begin = middle + 1;
            else
                after = middle;
        }
        std::uint32_t step = 1;
        while (step < rangeEnd - begin && coroutineAt(slab, begin + step, highBits) <= id)
            step *= 2;
        end = std::min(begin + step, rangeEnd);
        for (std::uint32_t before = begin + step / 2; before < end;) {
            const std::uint32_t middle = before + (end - before) / 2;
            if (coroutineAt(slab, middle, highBits) <= id)
                before = middle + 1;
            else
                end = middle;
        }
    }
    run.begin = begin;
    run.end = std::max(begin, end);
    return run;
}

std::uint32_t Index::orderIndexOf(const SlabView &slab, const CoroutineRows &run, std::uint32_t row)
{
    std::uint32_t orderIndex = run.begin;
    for (std::uint32_t after = row == 0 ? orderIndex : run.end; orderIndex < after;) {
        const std::uint32_t middle = orderIndex + (after - orderIndex) / 2;
        if (Index::row(slab, middle) < row)
            orderIndex = middle + 1;
        else
            after = middle;
    }
    return orderIndex;
}

// The sums of a block have a seqlock of their own: the slab's number in the upper bits, bit 0 set during a write. Any
// reader may write them, even late, for a slab that was evicted in the meantime.
namespace {

enum SumWord : unsigned { kLock, kFirstTs, kLastTs, kFirstN, kLastN, kRunNs, kSuspendedNs, kBits, kSumWords };
static_assert(kSumWords * sizeof(std::uint64_t) == kSumBytes);

constexpr std::uint64_t kSuspends = 1ULL << 32;
constexpr std::uint64_t kGap = 1ULL << 33;
constexpr unsigned kOpenShift = 34;

using SumRef = std::atomic_ref<std::uint64_t>;

}  // namespace

bool Index::loadSums(const SlabView &slab, std::uint32_t orderIndex, BlockSums &sums)
{
    std::byte *const at = slab.buffer->memory + kSumsAt + orderIndex / kBlockRows * kSumBytes;
    const std::uint64_t lock = std::uint64_t{slab.number} << 1;
    const auto word = [at](SumWord index) { return loadAcquire<std::uint64_t>(at + index * sizeof(std::uint64_t)); };
    if (word(kLock) != lock)
        return false;
    sums.firstTs = word(kFirstTs);
    sums.lastTs = word(kLastTs);
    sums.firstN = word(kFirstN);
    sums.lastN = word(kLastN);
    sums.runNs = word(kRunNs);
    sums.suspendedNs = word(kSuspendedNs);
    const std::uint64_t bits = word(kBits);
    sums.lastSite = static_cast<SiteId>(bits);
    sums.suspends = bits & kSuspends;
    sums.gap = bits & kGap;
    sums.open = static_cast<Open>(bits >> kOpenShift & 3U);
    // Relaxed: a reader that loaded newer contents (acquire) sees that the lock was acquired before.
    return SumRef(*reinterpret_cast<std::uint64_t *>(at)).load(kRelaxed) == lock;
}

void Index::storeSums(const SlabView &slab, std::uint32_t orderIndex, const BlockSums &sums)
{
    std::byte *const at = slab.buffer->memory + kSumsAt + orderIndex / kBlockRows * kSumBytes;
    const std::uint64_t lock = std::uint64_t{slab.number} << 1;
    const SumRef ref(*reinterpret_cast<std::uint64_t *>(at));
    std::uint64_t seen = ref.load(kRelaxed);
    // Acquire; partner: the release below by the previous writer.
    if ((seen & 1U) != 0 || seen == lock || !ref.compare_exchange_strong(seen, lock | 1U, kAcquire, kRelaxed))
        return;
    const auto store = [at](SumWord index, std::uint64_t value) {
        storeRelease(at + index * sizeof(std::uint64_t), value);
    };
    store(kFirstTs, sums.firstTs);
    store(kLastTs, sums.lastTs);
    store(kFirstN, sums.firstN);
    store(kLastN, sums.lastN);
    store(kRunNs, sums.runNs);
    store(kSuspendedNs, sums.suspendedNs);
    store(kBits, sums.lastSite | (sums.suspends ? kSuspends : 0) | (sums.gap ? kGap : 0) |
                     static_cast<std::uint64_t>(sums.open) << kOpenShift);
    ref.store(lock, kRelease);
}

}  // namespace ct::history
