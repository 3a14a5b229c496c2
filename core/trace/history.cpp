// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The writing half.
#include "core/trace/history.h"

#include "core/trace/historydata.h"

#include <algorithm>

namespace ct {

using namespace history;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kRelease = std::memory_order_release;

constexpr std::uint32_t kMostEntries = 3;  ///< that one event takes: a gap and a wide event

std::uint64_t highLow(std::uint64_t high, std::uint64_t low)
{
    return high << 32 | low;
}

/// Where a coroutine's numbers begin: the first event of a monotonic station is number 1.
std::uint64_t firstNumber(Dialect dialect, const Transition &event)
{
    if (dialect == Dialect::Unknown && event.seq == event.n && event.seq != slotSeq(Dialect::Seqlock, event.n))
        dialect = Dialect::Monotonic;
    return dialect == Dialect::Monotonic ? 1 : 0;
}

}  // namespace

void History::Data::addBirth(const Birth &birth)
{
    if (birth.coroutine != heads.sizeOfWriter())
        return;  // ids are dense, in order of discovery
    Head *head = heads.prepare();
    if (!head)
        return;
    head->dialect = birth.dialect;
    heads.publish();
}

// Starts a block for `event`, which will be numbered firstN there, and closes the one before.
void History::Data::beginBlock(Head &head, const Transition &event, std::uint64_t firstN)
{
    const BlockRef before = head.tail.load(kRelaxed);
    // A block that was left half empty says that the next one will be, too.
    const bool grows = head.count != 0 && head.count * 2 >= head.capacity;
    const std::uint32_t capacity = grows ? std::min(std::uint32_t{head.capacity} * 2, kMaxCapacity) : kFirstCapacity;
    const BlockRef block = slabs.allocate(kHeaderWords + capacity * 2);
    const auto id = static_cast<std::uint64_t>(event.coroutine);
    slabs.store(block, kCoroutineAndCapacity, highLow(id, capacity));
    slabs.store(block, kPrevious, slabs.isCurrent(before) ? before : 0);
    slabs.store(block, kNext, 0);
    slabs.store(block, kFirstN, firstN);
    slabs.store(block, kBaseTs, event.ts);
    slabs.store(block, kOpenTs, head.lastTs);
    slabs.store(block, kOpenState, highLow(static_cast<std::uint64_t>(head.open), head.openSite));
    slabs.store(block, kUsualAddr, head.usualAddr);
    slabs.store(block, kCount, 0);
    slabs.store(block, kClosedSums, 0);
    if (slabs.isCurrent(before))
        closeBlock(before, block);
    head.baseTs = event.ts;
    head.count = 0;
    head.capacity = static_cast<std::uint16_t>(capacity);
    // Release; partner: tailOf(). The block's header is complete.
    head.tail.store(block, kRelease);
}

// Sums up a block that gets no more events, so that readers at a coarse zoom need not decode it.
void History::Data::closeBlock(BlockRef block, BlockRef next)
{
    BlockCopy &copy = scratch;
    if (!copyHeader(block, copy) || !copyEntries(copy))
        return;
    std::uint64_t sums[2] = {0, 0};
    std::uint64_t ts = copy.openTs;
    Open open = copy.open;
    SiteId site = copy.openSite;
    bool gaps = false;
    std::uint32_t transitions = 0;
    EntryReader reader(*this, copy);
    for (HistoryEvent event; reader.next(event); ts = event.ts) {
        if (event.type == HistoryEvent::Type::Gap) {
            gaps = true;
        } else {
            ++transitions;
            if (open != Open::Nothing && event.ts > ts)
                sums[open == Open::Running ? 0 : 1] += event.ts - ts;
            if (event.type == HistoryEvent::Type::Suspend)
                site = event.site;
        }
        open = openAfter(event);
    }
    slabs.store(block, kClosedTs, ts);
    slabs.store(block, kRunNs, sums[0]);
    slabs.store(block, kSuspendedNs, sums[1]);
    const std::uint64_t shortSite = site < kSiteLimit ? site : kUnknownSite;
    slabs.store(block, kClosedSums, 1ULL << 63 | std::uint64_t{gaps} << 62 | highLow(shortSite, transitions));
    slabs.store(block, kNext, next);
}

void History::Data::put(Head &head, std::uint64_t first, std::uint64_t second)
{
    const BlockRef block = head.tail.load(kRelaxed);
    const std::uint32_t word = kHeaderWords + 2U * head.count;
    slabs.store(block, word, first);
    slabs.store(block, word + 1, second);
    ++head.count;
}

// Fills words[0..1], and words[2..3] when the event needs a second entry (returns true then).
bool History::Data::packEvent(Head &head, const Transition &event, std::uint64_t (&words)[4])
{
    std::uint64_t flags = (event.active ? kActive : 0) | (static_cast<std::uint64_t>(event.kind) & 3U) << kKindShift;
    std::optional<std::uint32_t> address = kZeroAddress;
    if (event.addr != 0) {
        if (head.usualAddr == 0) {
            head.usualAddr = event.addr;
            slabs.store(head.tail.load(kRelaxed), kUsualAddr, event.addr);
        }
        address = kUsualAddress;
        if (event.addr != head.usualAddr) {
            address = addresses.intern(event.addr);
            if (address)
                *address += kFirstInterned;
        }
    }
    const std::optional<std::uint32_t> thread = threads.intern(event.tid);
    const bool wide = !address || !thread || event.site >= kSiteLimit;
    if (wide)
        flags |= kWide;
    words[0] = packOffset(head.baseTs, event.ts) | (wide ? 0 : *thread);
    words[1] = flags | (wide ? 0 : std::uint64_t{event.site} << kSiteShift | *address);
    words[2] = event.addr;
    words[3] = highLow(event.site, event.tid);
    return wide;
}

void History::Data::append(const Transition &event)
{
    if (event.coroutine >= heads.sizeOfWriter())
        return;
    Head &head = heads[event.coroutine];
    if (!head.begun) {
        head.begun = true;
        head.nextN = firstNumber(head.dialect, event);
    }
    // Numbers that run backwards (two writers) are told by a block of their own.
    const std::uint64_t firstN = event.n < head.nextN ? event.n : head.nextN;
    const std::uint64_t missing = event.n - firstN;
    const BlockRef tail = head.tail.load(kRelaxed);
    if (head.count + kMostEntries > head.capacity || firstN != head.nextN || !slabs.isCurrent(tail) ||
        !fitsOffset(head.baseTs, event.ts))
        beginBlock(head, event, firstN);
    if (missing != 0)
        put(head, packOffset(head.baseTs, event.ts), kGap | std::min(missing, kGapCountMask));
    std::uint64_t words[4];
    const bool wide = packEvent(head, event, words);
    put(head, words[0], words[1]);
    if (wide)
        put(head, words[2], words[3]);
    const BlockRef block = head.tail.load(kRelaxed);
    // The release in store() publishes the entries; partner: copyHeader().
    slabs.store(block, kCount, head.count);
    slabs.count(block, 1, event.ts);
    head.nextN = event.n + 1;
    head.lastTs = event.ts;
    if (event.active) {
        head.open = Open::Running;
    } else {
        head.open = event.kind == PointKind::Final ? Open::Nothing : Open::Suspended;
        head.openSite = event.site;
    }
}

// After the transitions of the pass: numbers lost at the end leave no jump in them (yet).
void History::Data::appendLoss(const Loss &loss, std::uint64_t noticed)
{
    if (loss.coroutine >= heads.sizeOfWriter())
        return;
    Head &head = heads[loss.coroutine];
    const std::uint64_t end = loss.firstN + loss.count;
    if (!head.begun || end <= head.nextN)
        return;
    Transition event;
    event.coroutine = loss.coroutine;
    event.ts = std::max(noticed, head.lastTs);
    if (head.count + kMostEntries > head.capacity || !slabs.isCurrent(head.tail.load(kRelaxed)) ||
        !fitsOffset(head.baseTs, event.ts))
        beginBlock(head, event, head.nextN);
    put(head, packOffset(head.baseTs, event.ts), kGap | std::min(end - head.nextN, kGapCountMask));
    slabs.store(head.tail.load(kRelaxed), kCount, head.count);
    head.nextN = end;
    head.lastTs = event.ts;
    head.open = Open::Nothing;
}

History::History(std::uint64_t budget, std::uint64_t /*keepNs*/) : m_data(std::make_unique<Data>(budget)) {}

History::~History() = default;

Result<void> History::consume(const Batch &batch)
{
    constexpr std::size_t kHeadAhead = 16;  // first the head is fetched, then the block that it names
    constexpr std::size_t kBlockAhead = 8;
    Data &data = *m_data;
    for (const Birth &birth : batch.births)
        data.addBirth(birth);
    std::uint64_t first = data.firstTs.load(kRelaxed);
    std::uint64_t last = data.lastTs.load(kRelaxed);
    const std::size_t count = batch.transitions.size();
    const std::uint32_t known = data.heads.sizeOfWriter();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + kHeadAhead < count && batch.transitions[i + kHeadAhead].coroutine < known)
            __builtin_prefetch(&data.heads[batch.transitions[i + kHeadAhead].coroutine], 1);
        if (i + kBlockAhead < count && batch.transitions[i + kBlockAhead].coroutine < known) {
            const Head &head = data.heads[batch.transitions[i + kBlockAhead].coroutine];
            data.slabs.prefetch(head.tail.load(kRelaxed), kCount);
            data.slabs.prefetch(head.tail.load(kRelaxed), kHeaderWords + 2U * head.count);
        }
        const Transition &event = batch.transitions[i];
        data.append(event);
        first = first == 0 ? event.ts : std::min(first, event.ts);
        last = std::max(last, event.ts);
    }
    for (const Loss &loss : batch.losses)
        data.appendLoss(loss, batch.now);
    for (const Death &death : batch.deaths)
        if (death.coroutine < known)
            data.heads[death.coroutine].deathTs.store(std::max<std::uint64_t>(death.ts, 1), kRelaxed);
    data.firstTs.store(first, kRelaxed);
    data.lastTs.store(last, kRelaxed);
    data.now.store(std::max({data.now.load(kRelaxed), batch.now, last}), kRelaxed);
    return {};
}

std::uint64_t History::droppedBefore() const
{
    return m_data->slabs.droppedBefore();
}

std::uint64_t History::droppedEvents() const
{
    return m_data->slabs.droppedEvents();
}

std::uint64_t History::bytesUsed() const
{
    return m_data->slabs.bytesUsed() + std::uint64_t{m_data->heads.size()} * sizeof(Head);
}

std::uint64_t History::eventCount() const
{
    return m_data->slabs.keptEvents();
}

std::uint64_t History::firstTs() const
{
    return m_data->firstTs.load(kRelaxed);
}

std::uint64_t History::lastTs() const
{
    return m_data->lastTs.load(kRelaxed);
}

}  // namespace ct
