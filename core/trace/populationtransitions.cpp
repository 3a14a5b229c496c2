// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The writer's side of transitions: the path that everything captured goes through.
//
// Who comes next, and whether it resumes or suspends, is as good as random in a batch of many coroutines: a branch on
// it would be mispredicted half of the time. So the ordinary event makes its choices with masks and tables; what is
// not ordinary (the first events, gaps, a resume of what runs already ...) takes the long way.
//
// Of a single busy thread the events come in turns instead: a resume, and right behind it the suspension that ends it.
// Then the two are one visit, which costs little more than one event.
#include "core/trace/populationdata.h"
#include "core/trace/turns.h"

#include <algorithm>
#include <span>

namespace ct {

using namespace population;

namespace {

/// A number and its seq tell the dialect, unless they fit both.
std::uint32_t concludeDialect(std::uint32_t bits, const Transition &event)
{
    const bool seqlock = event.seq == slotSeq(Dialect::Seqlock, event.n);
    const bool monotonic = event.seq == slotSeq(Dialect::Monotonic, event.n);
    if (dialectOf(bits) != Dialect::Unknown || seqlock == monotonic)
        return bits;
    return withDialect(bits, seqlock ? Dialect::Seqlock : Dialect::Monotonic);
}

void countSuspension(Statistics &statistics, std::uint64_t ns)
{
    increase(statistics.buckets[static_cast<std::size_t>(SiteStatistics::bucketOf(ns))], 1);
    if (ns > statistics.maxNs.load(kRelaxed)) [[unlikely]]
        statistics.maxNs.store(ns, kRelaxed);
}

/// What an event means, by stepOf(). The one place where it is asked whether it resumes or suspends: the compiler makes
/// branches of what it can tell apart.
struct alignas(32) Step {
    std::uint64_t resumed;   ///< all ones or none
    std::uint32_t spent;     ///< index in Record::spent of what it ends
    std::uint32_t expected;  ///< of kOrdinary and kRunning, before it
    std::uint32_t keep;      ///< bits; a resume leaves the kind as it was
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

/// One pass over a batch; what each event needs is at hand.
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
    /// A resume and the next event, if that is the suspension that ends it and both are ordinary; else false, and
    /// nothing is done.
    bool applyTurn(const Transition &resume, const Transition &suspend)
    {
        if (resume.coroutine >= m_size || !isTurn(resume, suspend) ||
            !applyOrdinaryTurn(m_records[resume.coroutine], resume, suspend)) [[unlikely]]
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
    bool applyOrdinaryTurn(Record &record, const Transition &resume, const Transition &suspend) const;
    void applyOther(Record &record, const Transition &event) const;
    void leave(Record &record, std::uint32_t bits, const Transition &event) const;
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

/// Whether the coroutine is to be named after this suspension.
bool givesName(std::uint32_t bits, const Transition &event)
{
    return !(bits & kNamed) && event.site != kUnknownSite && !event.active &&
           (event.kind == PointKind::Await || event.kind == PointKind::Yield);
}

/// Whether that has to be asked. Without the kind, see applyOrdinaryTurn().
bool mayGiveName(std::uint32_t bits, const Transition &event)
{
    return !(bits & kNamed) && event.site != kUnknownSite;
}

/// False, and nothing is done, unless `event` follows the one before without a gap and ends what that one began.
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
    // Only what a resume ends is a suspension.
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
    countSuspension(*statistics, lasted);
    return true;
}

/// The same for two events at once.
[[gnu::always_inline]] inline bool Pass::applyOrdinaryTurn(Record &record, const Transition &resume,
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
    // The kind is read here and not earlier: a byte that the compiler keeps in memory meanwhile, and loads as a word,
    // can not be forwarded between the two, and that took longer than all the rest.
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
    countSuspension(*statistics, suspended);
    return true;
}

/// Whether nothing is missing between `event` and the one before it.
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

/// Accounts for the state that ends with `event`, which is adjacent.
void Pass::leave(Record &record, std::uint32_t bits, const Transition &event) const
{
    const CoroutineState state = stateOf(bits);
    const std::uint64_t since = record.since.load(kRelaxed);
    const std::uint64_t lasted = event.ts > since ? event.ts - since : 0;
    if (state == CoroutineState::Running) {
        record.spent[0].store(record.spent[0].load(kRelaxed) + lasted, kRelease);
    } else if ((state == CoroutineState::Suspended || state == CoroutineState::Finished) && event.active) {
        record.spent[1].store(record.spent[1].load(kRelaxed) + lasted, kRelease);
        const SiteId site = record.site.load(kRelaxed);
        const bool known = std::size_t{site} + 1 < m_statisticsCount;
        countSuspension(m_data.statisticsOf(known ? site : kUnknownSite), lasted);
    }
}

[[gnu::noinline]] void Pass::applyOther(Record &record, const Transition &event) const
{
    // The record of a dropped one reads as zero, which is nothing ordinary.
    if (m_data.residence.isDropped(event.coroutine)) {
        m_data.notKept.addEvent();
        return;
    }
    Writing writing(record);
    writing.bits = concludeDialect(writing.bits, event);
    const bool adjacent = isAdjacent(record, writing.bits, event);
    record.skipped.store(record.skipped.load(kRelaxed) + event.n - record.nextN.load(kRelaxed), kRelease);
    record.nextN.store(event.n + 1, kRelease);
    const CoroutineState state = stateOf(writing.bits);
    if ((writing.bits & kFlagged) || state == CoroutineState::Destroyed)
        return;  // counted, but says nothing about the state any more
    // A resume of what runs already (a ready await) changes nothing, unless it came to another thread.
    const bool goesOn =
        event.active && adjacent && state == CoroutineState::Running && record.tid.load(kRelaxed) == event.tid;
    if (adjacent && !goesOn)
        leave(record, writing.bits, event);
    if (!goesOn)
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
    }
}

constexpr std::size_t kAhead = 32;  // far enough for a cache miss to be over when its turn comes

/// `events` and, behind them, events to prefetch, up to `end`.
void applyOneByOne(Pass &pass, std::span<const Transition> events, const Transition *end)
{
    for (const Transition &event : events) {
        if (end - &event > static_cast<std::ptrdiff_t>(kAhead))
            pass.prefetch((&event)[kAhead]);
        pass.apply(event);
    }
}
void applyInTurns(Pass &pass, std::span<const Transition> events, const Transition *end)
{
    const Transition *event = events.data();
    const Transition *const last = event + events.size() - 1;
    while (event < last) {
        // Both events of a turn are of one coroutine.
        if (end - event > static_cast<std::ptrdiff_t>(kAhead))
            pass.prefetch(event[kAhead]);
        if (pass.applyTurn(event[0], event[1])) [[likely]]
            event += 2;
        else
            pass.apply(*event++);
    }
    if (event == last)
        pass.apply(*event);
}

}  // namespace

void Population::Data::applyTransitions(std::span<const Transition> rest)
{
    constexpr std::size_t kPiece = 1024;
    Pass pass(*this);
    const Transition *const end = rest.data() + rest.size();
    for (const Transition &event : rest.first(std::min(rest.size(), kAhead)))
        pass.prefetch(event);
    while (!rest.empty()) {
        const std::span<const Transition> piece = rest.first(std::min(rest.size(), kPiece));
        rest = rest.subspan(piece.size());
        if (comesInTurns(piece))
            applyInTurns(pass, piece, end);
        else
            applyOneByOne(pass, piece, end);
    }
}

}  // namespace ct
