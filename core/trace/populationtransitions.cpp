// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The writer of transitions: the path of every captured event.
//
// In a batch of many coroutines, the next coroutine and the type of its event are practically random. A branch on them
// would be mispredicted half of the time. So an ordinary event uses masks and tables instead of branches. Other events
// (the first ones, gaps, a resumption of a running coroutine ...) use a slower path.
//
// The events of a single busy thread come in pairs instead: a resumption, directly followed by the suspension that ends
// it. Then one visit handles both, at little more than the cost of one event.
#include "core/stream/resumesuspendpairs.h"
#include "core/trace/populationdata.h"

#include <algorithm>
#include <span>

namespace ct {

using namespace population;

namespace {

/// Determines the dialect from a number and its seq, unless they fit both dialects.
std::uint32_t determineDialect(std::uint32_t bits, const Transition &event)
{
    const bool seqlock = event.seq == slotSeq(Dialect::Seqlock, event.n);
    const bool monotonic = event.seq == slotSeq(Dialect::Monotonic, event.n);
    if (dialectOf(bits) != Dialect::Unknown || seqlock == monotonic)
        return bits;
    return withDialect(bits, seqlock ? Dialect::Seqlock : Dialect::Monotonic);
}

void countSuspension(Statistics &statistics, std::uint64_t ns, CoroutineId coroutine)
{
    // No branch on the coroutine, which is random: see above.
    const CoroutineId others = statistics.otherCoroutines.load(kRelaxed);
    statistics.otherCoroutines.store(others | (statistics.oneCoroutine.load(kRelaxed) ^ coroutine), kRelaxed);
    increase(statistics.buckets[static_cast<std::size_t>(SiteStatistics::bucketOf(ns))], 1);
    if (ns > statistics.maxNs.load(kRelaxed)) [[unlikely]]
        statistics.maxNs.store(ns, kRelaxed);
}

/// The effect of an event, by stepOf(). Only stepOf() distinguishes resumptions from suspensions, because the compiler
/// makes branches of cases that it can tell apart.
struct alignas(32) Step {
    std::uint64_t resumed;   ///< all ones for a resumption, else 0
    std::uint32_t spent;     ///< index in Record::spent of the state that the event ends
    std::uint32_t expected;  ///< value of kOrdinary and kRunning before the event
    std::uint32_t keep;      ///< bits to keep; a resumption keeps the kind
    std::uint32_t set;
};
constexpr Step suspendStep(PointKind kind)
{
    const auto state = kind == PointKind::Final ? CoroutineState::Finished : CoroutineState::Suspended;
    return {0, 0, kOrdinary | kRunning, ~(kStateMask | kKindMask | kRunning),
            numberOf(state) | static_cast<std::uint32_t>(kind) << kKindShift};
}
constexpr Step kResume{~std::uint64_t{0}, 1, kOrdinary, ~kStateMask, numberOf(CoroutineState::Running) | kRunning};
constexpr std::array<Step, 8> kSteps = {{
    suspendStep(PointKind::Await),
    suspendStep(PointKind::Initial),
    suspendStep(PointKind::Final),
    suspendStep(PointKind::Yield),
    kResume,
    kResume,
    kResume,
    kResume,
}};
const Step &stepOf(const Transition &event)
{
    return kSteps[std::size_t{event.active} * 4 + (static_cast<std::size_t>(event.kind) & 3)];
}
static_assert(static_cast<unsigned>(PointKind::Final) == 2);

/// One pass over a batch. Caches what each event needs.
class Pass {
public:
    explicit Pass(Population::Data &data)
        : m_data(data),
          m_records(data.records.data()),
          m_size(data.records.sizeOfWriter()),
          m_statistics(data.statistics.data()),
          m_statisticsCount(data.statistics.size()),
          m_latestOff(data.notes.processes.latestOff()),
          m_touchList{data.touchedIn.data(), data.touched.data(), data.batchNumber},
          m_touched(data.touchedCount)
    {
    }
    ~Pass() { m_data.touchedCount = m_touched; }
    Pass(const Pass &) = delete;
    Pass &operator=(const Pass &) = delete;

    void prefetch(const Transition &event) const { __builtin_prefetch(m_records + event.coroutine, 1); }
    /// Applies a resumption and the suspension that ends it, if both are ordinary. Else does nothing and returns false.
    bool applyPair(const Transition &resume, const Transition &suspend)
    {
        if (resume.coroutine >= m_size || !isResumeSuspendPair(resume, suspend) ||
            !applyOrdinaryPair(m_records[resume.coroutine], resume, suspend)) [[unlikely]]
            return false;
        m_touched = Population::Data::noteTouched(m_touchList, resume.coroutine, m_touched);
        return true;
    }
    void apply(const Transition &event)
    {
        if (event.coroutine >= m_size) [[unlikely]]
            return;
        m_touched = Population::Data::noteTouched(m_touchList, event.coroutine, m_touched);
        Record &record = m_records[event.coroutine];
        if (!applyOrdinary(record, event)) [[unlikely]]
            applyOther(record, event);
    }

private:
    bool applyOrdinary(Record &record, const Transition &event) const;
    bool applyOrdinaryPair(Record &record, const Transition &resume, const Transition &suspend) const;
    void applyOther(Record &record, const Transition &event) const;
    void leave(Record &record, std::uint32_t bits, const Transition &event) const;
    void noteDoubleResume(const Record &record, std::uint32_t bits, const Transition &event) const;
    bool isAdjacent(const Record &record, std::uint32_t bits, const Transition &event) const;

    Population::Data &m_data;
    Record *const m_records;
    const std::uint32_t m_size;
    Statistics *const *const m_statistics;
    const std::size_t m_statisticsCount;
    const std::uint64_t m_latestOff;
    const Population::Data::TouchList m_touchList;
    std::size_t m_touched;
};

/// True if this suspension names the coroutine.
bool givesName(std::uint32_t bits, const Transition &event)
{
    return !(bits & kNamed) && event.site != kUnknownSite && !event.active &&
           (event.kind == PointKind::Await || event.kind == PointKind::Yield);
}

/// True if givesName() must be called. Does not test the kind, see applyOrdinaryPair().
bool mayGiveName(std::uint32_t bits, const Transition &event)
{
    return !(bits & kNamed) && event.site != kUnknownSite;
}

/// Applies `event` if it directly follows the one before and ends its state. Else does nothing and returns false.
[[gnu::always_inline]] inline bool Pass::applyOrdinary(Record &record, const Transition &event) const
{
    const Step &step = stepOf(event);
    const std::uint64_t lockAndBits = record.lockAndBits.load(kRelaxed);
    const auto bits = static_cast<std::uint32_t>(lockAndBits >> 32);
    const std::uint64_t since = record.since.load(kRelaxed);
    const std::uint64_t ts = event.ts;
    const std::uint64_t n = event.n;
    const SiteId oldSite = record.site.load(kRelaxed);
    if ((bits & (kOrdinary | kRunning)) != step.expected || n != record.nextN.load(kRelaxed) || since < m_latestOff ||
        ts < since || std::size_t{oldSite} + 1 >= m_statisticsCount || mayGiveName(bits, event)) [[unlikely]]
        return false;
    // Only a resumption ends a suspension.
    const std::uint64_t resumed = step.resumed;
    Statistics *statistics = m_statistics[(std::size_t{oldSite} + 1) & resumed];
    if (!statistics) [[unlikely]]
        return false;
    const std::uint64_t lasted = ts - since;
    const std::uint64_t newBits = (bits & step.keep) | step.set;
    const std::uint64_t oldAddr = record.addr.load(kRelaxed);
    const std::uint64_t addr = event.addr ^ ((event.addr ^ oldAddr) & resumed);
    const SiteId site = event.site ^ ((event.site ^ oldSite) & static_cast<SiteId>(resumed));
    const std::uint32_t tid = event.tid;
    Word &spent = record.spent[step.spent];
    const std::uint64_t spentNow = spent.load(kRelaxed) + lasted;

    record.lockAndBits.store(lockAndBits + 1, kRelaxed);
    record.since.store(ts, kRelease);
    record.addr.store(addr, kRelease);
    record.site.store(site, kRelease);
    record.tid.store(tid, kRelease);
    record.nextN.store(n + 1, kRelease);
    spent.store(spentNow, kRelease);
    record.lockAndBits.store(newBits << 32 | (static_cast<std::uint32_t>(lockAndBits) + 2), kRelease);
    countSuspension(*statistics, lasted, event.coroutine);
    return true;
}

/// As applyOrdinary(), for two events at once.
[[gnu::always_inline]] inline bool Pass::applyOrdinaryPair(Record &record, const Transition &resume,
                                                           const Transition &suspend) const
{
    const std::uint64_t lockAndBits = record.lockAndBits.load(kRelaxed);
    const auto bits = static_cast<std::uint32_t>(lockAndBits >> 32);
    const std::uint64_t since = record.since.load(kRelaxed);
    const SiteId oldSite = record.site.load(kRelaxed);
    if ((bits & (kOrdinary | kRunning)) != kOrdinary || resume.n != record.nextN.load(kRelaxed) ||
        suspend.n != resume.n + 1 || since < m_latestOff || resume.ts < since || suspend.ts < resume.ts ||
        std::size_t{oldSite} + 1 >= m_statisticsCount || mayGiveName(bits, suspend)) [[unlikely]]
        return false;
    Statistics *statistics = m_statistics[std::size_t{oldSite} + 1];
    if (!statistics) [[unlikely]]
        return false;
    const std::uint64_t suspended = resume.ts - since;
    // Reads the kind here and not earlier. Otherwise the compiler keeps the byte in memory and loads it as a word. Such
    // a load cannot be forwarded from the store, and took longer than all the rest.
    const Step &step = stepOf(suspend);
    const std::uint64_t newBits = (bits & step.keep) | step.set;
    const std::uint64_t ran = record.spent[0].load(kRelaxed) + (suspend.ts - resume.ts);
    const std::uint64_t waited = record.spent[1].load(kRelaxed) + suspended;

    record.lockAndBits.store(lockAndBits + 1, kRelaxed);
    record.since.store(suspend.ts, kRelease);
    record.addr.store(suspend.addr, kRelease);
    record.site.store(suspend.site, kRelease);
    record.tid.store(suspend.tid, kRelease);
    record.nextN.store(suspend.n + 1, kRelease);
    record.spent[0].store(ran, kRelease);
    record.spent[1].store(waited, kRelease);
    record.lockAndBits.store(newBits << 32 | (static_cast<std::uint32_t>(lockAndBits) + 2), kRelease);
    countSuspension(*statistics, suspended, suspend.coroutine);
    return true;
}

/// True if no event is missing between `event` and the one before it.
bool Pass::isAdjacent(const Record &record, std::uint32_t bits, const Transition &event) const
{
    if (!(bits & kSeen) || event.n != record.nextN.load(kRelaxed))
        return false;
    const std::uint64_t since = record.since.load(kRelaxed);
    if (since >= m_latestOff)
        return true;
    const std::uint32_t process = m_data.origins[event.coroutine].process.load(kRelaxed);
    return !m_data.notes.processes.wasOff(process, since, event.ts);
}

/// Adds the duration of the state that ends with `event`, which must be adjacent.
void Pass::leave(Record &record, std::uint32_t bits, const Transition &event) const
{
    const CoroutineState state = stateOf(bits);
    const std::uint64_t since = record.since.load(kRelaxed);
    const std::uint64_t lasted = event.ts > since ? event.ts - since : 0;
    if (state == CoroutineState::Running) {
        record.spent[0].store(record.spent[0].load(kRelaxed) + lasted, kRelease);
    } else if ((state == CoroutineState::Suspended || state == CoroutineState::Finished) && event.active &&
               !isFinishedWithoutEvent(bits)) {
        record.spent[1].store(record.spent[1].load(kRelaxed) + lasted, kRelease);
        const SiteId site = record.site.load(kRelaxed);
        const bool known = std::size_t{site} + 1 < m_statisticsCount;
        countSuspension(m_data.statisticsOf(known ? site : kUnknownSite, event.coroutine), lasted, event.coroutine);
    }
}

/// Full stations prove nothing: their slots are overwritten, and two threads that write one contradict themselves.
void Pass::noteDoubleResume(const Record &record, std::uint32_t bits, const Transition &event) const
{
    if (dialectOf(bits) == Dialect::Lane)
        m_data.notes.doubleResumes.append({std::uint64_t{event.coroutine} << 32 | record.site.load(kRelaxed), event.n,
                                           record.since.load(kRelaxed), event.ts,
                                           std::uint64_t{record.tid.load(kRelaxed)} << 32 | event.tid});
}

[[gnu::noinline]] void Pass::applyOther(Record &record, const Transition &event) const
{
    // An evicted record reads as zero, which is never ordinary.
    if (m_data.coroutineEviction.isWithoutRecord(event.coroutine)) {
        m_data.overflow.addEvent();
        return;
    }
    Writing writing(record);
    writing.bits = determineDialect(writing.bits, event);
    const bool adjacent = isAdjacent(record, writing.bits, event);
    record.skipped.store(record.skipped.load(kRelaxed) + event.n - record.nextN.load(kRelaxed), kRelease);
    record.nextN.store(event.n + 1, kRelease);
    const CoroutineState state = stateOf(writing.bits);
    if ((writing.bits & kFlagged) || state == CoroutineState::Destroyed)
        return;  // counted, but without effect on the state
    if (isFinishedWithoutEvent(writing.bits) && event.ts <= record.since.load(kRelaxed))
        return;  // from before the finish
    // A resumption of a running coroutine (a ready await) changes nothing, unless the thread is another one.
    const bool continues =
        event.active && adjacent && state == CoroutineState::Running && record.tid.load(kRelaxed) == event.tid;
    if (adjacent && event.active && !continues && state == CoroutineState::Running)
        noteDoubleResume(record, writing.bits, event);
    if (adjacent && !continues)
        leave(record, writing.bits, event);
    if (!continues)
        record.since.store(event.ts, kRelease);
    record.tid.store(event.tid, kRelease);
    const Step &step = stepOf(event);
    writing.bits = (writing.bits & step.keep) | step.set | kSeen;
    if (event.active)
        return;
    record.site.store(event.site, kRelease);
    record.addr.store(event.addr, kRelease);
    if (givesName(writing.bits, event)) {
        m_data.origins[event.coroutine].bodySite.store(event.site, kRelease);
        writing.bits |= kNamed;
        if (event.kind == PointKind::Yield && event.site < m_data.sites.sizeOfWriter())
            m_data.sites[event.site].isGenerator.store(true, kRelaxed);
    }
}

constexpr std::size_t kAhead = 32;  // enough events for a cache miss to be over when its turn comes

/// Applies `events`, and prefetches for the events behind them, up to `end`.
void applyOneByOne(Pass &pass, std::span<const Transition> events, const Transition *end)
{
    for (const Transition &event : events) {
        if (end - &event > static_cast<std::ptrdiff_t>(kAhead))
            pass.prefetch((&event)[kAhead]);
        pass.apply(event);
    }
}
void applyInPairs(Pass &pass, std::span<const Transition> events, const Transition *end)
{
    const Transition *event = events.data();
    const Transition *const last = event + events.size() - 1;
    while (event < last) {
        // Both events of a pair are of the same coroutine, so one prefetch is enough.
        if (end - event > static_cast<std::ptrdiff_t>(kAhead))
            pass.prefetch(event[kAhead]);
        if (pass.applyPair(event[0], event[1])) [[likely]]
            event += 2;
        else
            pass.apply(*event++);
    }
    if (event == last)
        pass.apply(*event);
}

}  // namespace

void applyTransitions(Population::Data &data, std::span<const Transition> rest)
{
    constexpr std::size_t kPiece = 1024;
    Pass pass(data);
    const Transition *const end = rest.data() + rest.size();
    for (const Transition &event : rest.first(std::min(rest.size(), kAhead)))
        pass.prefetch(event);
    while (!rest.empty()) {
        const std::span<const Transition> piece = rest.first(std::min(rest.size(), kPiece));
        rest = rest.subspan(piece.size());
        if (hasManyPairs(piece))
            applyInPairs(pass, piece, end);
        else
            applyOneByOne(pass, piece, end);
    }
}

}  // namespace ct
