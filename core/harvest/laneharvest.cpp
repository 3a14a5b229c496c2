// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/laneharvest.h"

#include "core/harvest/unfinishedlanes.h"

#include <algorithm>
#include <limits>

namespace ct {

namespace {

constexpr std::uint64_t kStatesEveryNs = 500'000;     ///< closed lanes are freed
constexpr std::uint64_t kGaugeEveryNs = 5'000'000;    ///< and filling ones noticed
constexpr std::uint64_t kSweepEveryNs = 100'000'000;  ///< at most, while records are dropped
/// Deaths that lines alone tell are looked for, at a cost of about 0.1 %.
constexpr std::uint64_t kLingerNs = 500'000'000;
constexpr std::uint64_t kLingerNsPerLine = 10'000;
/// More than a sweep has parts.
constexpr int kMostIdleDrains = 4096;
constexpr int kMostCuts = 4;
/// With its block numbers.
constexpr std::uint64_t kSmallestLane = corotracer::kLaneRecordsMin * sizeof(corotracer::LaneRecord) + 4096;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
/// Sums in the file are a target's to scribble over.
constexpr std::uint64_t kImplausibleSum = std::uint64_t{1} << 48;

std::uint64_t plausible(std::uint64_t sum_untrusted)
{
    return sum_untrusted < kImplausibleSum ? sum_untrusted : 0;
}

}  // namespace

LaneHarvest::LaneHarvest(Region &region, HarvestBooks &books, IsAlive isAlive)
    : m_region(region),
      m_books(books),
      m_processes(region, m_clock, std::move(isAlive)),
      m_merger(region, books, m_processes),
      m_lanes(region, books, m_processes),
      m_sweep(region, m_merger),
      m_attaching(region.isAdopted())
{
    m_wantsSweep = m_attaching;
    m_merger.setAttaching(m_attaching);
    if (!readsLanes())
        m_merger.setLinesOnly();
    if (region.access() == RegionAccess::Evidence)
        m_merger.setPostMortem();
    if (isRecorder())
        m_whenWeCame = census();
    // What was dropped before we came was another engine's to tell.
    if (m_attaching && hasLanes())
        m_withoutLane = plausible(region.header().extension.records_without_lane.load(std::memory_order_relaxed));
}

/// Records that no lane will bring.
std::uint64_t LaneHarvest::untold() const
{
    const corotracer::ExtensionHeader &extension = m_region.header().extension;
    // Relaxed: sums; what they count shows in the lines.
    return m_lanes.dropped() + plausible(extension.records_without_lane.load(std::memory_order_relaxed)) +
           extension.threads_without_lane.load(std::memory_order_relaxed);
}

bool LaneHarvest::pass(Batch &batch, bool safety)
{
    if (!hasLanes() || m_ending != Ending::No)
        return true;
    const BatchMark before(batch);
    m_clock.update(batch.now);
    if (m_cameNs == 0)
        m_cameNs = batch.now;
    if (!readsLanes()) {
        passAsObserver(batch);
        account(batch, before);
        return true;
    }
    look(batch, safety);
    beginWork(batch);
    bool whole = m_lanes.read(m_merger, batch, before.transitions + kMaxTransitions, settledBefore(batch));
    m_everOff = m_everOff || !batch.notes.switches.empty();
    if (m_inBarrier)
        whole = finishWork(batch) && whole;
    const bool caughtUp = m_whenWeCame && isCaughtUp(whole);
    if (caughtUp)
        settleKnown(*m_whenWeCame, true, batch);
    account(batch, before);
    m_lanes.storeTails();
    if (caughtUp)
        countTraceless(m_whenWeCame, &Accounting::missedBeforeAttach);
    return whole;
}

/// What was told so far has been accounted for: between two passes, or before one told anything.
Census LaneHarvest::census() const
{
    return Census(m_region, m_sweep.lineCount(), m_merger.cursors(), m_told, m_books.nextCoroutine);
}

void LaneHarvest::account(const Batch &batch, const BatchMark &before)
{
    m_books.sums.captured += batch.transitions.size() - before.transitions;
    if (!isRecorder())
        return;
    m_told += countOf(batch, before);
    for (std::optional<Census> *const census : {&m_whenWeCame, &m_atEnd}) {
        if (*census)
            (*census)->add(batch, before);
    }
}

/// Every record from before `census` was read. A known coroutine that is behind its count there gets a Loss up to it,
/// so that what is left belongs to lives without a coroutine.
void LaneHarvest::settleKnown(const Census &census, bool missed, Batch &batch)
{
    m_merger.setAttaching(missed);
    m_merger.settleCounts(census.stations(), batch);
    m_merger.setAttaching(m_attaching);
}

/// A recorder overwrites whole lives. What its compact stations had, and no lane tells of, belongs to nobody we know.
void LaneHarvest::countTraceless(std::optional<Census> &census, std::uint64_t Accounting::*sum)
{
    const Census::Count untold = std::exchange(census, {})->untold();
    const Census::Count traceless{plausible(untold.lives), plausible(untold.events)};
    m_books.sums.*sum += traceless.events;
    m_books.sums.coroutinesMissed += traceless.lives;
    m_books.eventsWithoutCoroutine += traceless.events;
    m_told += traceless;
    if (m_atEnd)
        m_atEnd->add(traceless);
}

/// All that was there when we came has been told, or never will be.
bool LaneHarvest::isCaughtUp(bool whole) const
{
    return !m_attaching && isSettled() && ((whole && !isHolding()) || m_merger.settledUntil() >= m_cameNs);
}

/// Overwrite mode, once, after account() has seen everything that the lanes brought.
void LaneHarvest::closeBooks(Batch &batch)
{
    if (!m_atEnd)
        m_atEnd = census();
    const BatchMark before(batch);
    const bool missed = !m_processes.anySeenAlive();
    if (m_whenWeCame)
        settleKnown(*m_whenWeCame, true, batch);
    settleKnown(*m_atEnd, missed, batch);
    account(batch, before);
    if (m_whenWeCame)
        countTraceless(m_whenWeCame, &Accounting::missedBeforeAttach);
    countTraceless(m_atEnd, missed ? &Accounting::missedBeforeAttach : &Accounting::lost);
}

/// What was committed before this time is found by a look at the lanes from now on.
std::uint64_t LaneHarvest::settledBefore(const Batch &batch) const
{
    return m_clock.isStarted() ? m_clock.earlier(batch.now, corotracer::detail::read_counter()) : batch.now;
}

/// What is asked for now and then only.
void LaneHarvest::look(Batch &batch, bool safety)
{
    const std::uint64_t now = batch.now;
    const bool states = safety || now - m_statesNs >= kStatesEveryNs;
    if (states)
        m_statesNs = now;
    m_lanes.refresh(batch, states);
    if (safety || now - m_gaugedNs >= kGaugeEveryNs) {
        lookAround(batch);
        // Whose birth, name or end was not told may die at any time; and only its line says so.
        if ((m_everOff || m_untold != 0) && now - m_sweptNs >= m_sweep.lineCount() * kLingerNsPerLine + kLingerNs)
            m_wantsSweep = true;
        buryGone(batch);
    }
    m_wantsSweep = m_merger.takeNeedOfSweep() || m_wantsSweep || untold() != m_untold;
    if (m_wantsSweep && !m_sweep.isRunning() && (safety || now - m_sweptNs >= kSweepEveryNs)) {
        m_wantsSweep = false;
        m_untold = untold();
        m_sweptNs = now;
        m_sweep.start();
        tellRecordsWithoutLane(batch);
    }
}

/// What is asked about the lanes as a whole, the memory and the processes.
void LaneHarvest::lookAround(Batch &batch)
{
    m_gaugedNs = batch.now;
    m_lanes.gauge(batch.now);
    heedMemory();
    m_processes.look(batch, batch.now);
    if (areTimesApproximate())
        m_merger.distrustTimes();
    m_everOff = m_everOff || m_processes.anySwitchedOff();
}

void LaneHarvest::Shortage::look(std::uint64_t withoutNow, std::uint64_t madeNow, bool isThereMore)
{
    // Both since the last look: a burst that used up the last memory there was. Said too much once rather than never.
    if (withoutNow != without)
        lasts = isThereMore;
    else if (madeNow != made)
        lasts = false;
    without = withoutNow;
    made = madeNow;
}

/// Nobody says which thread it was.
void LaneHarvest::tellRecordsWithoutLane(Batch &batch)
{
    const std::uint64_t without =
        plausible(m_region.header().extension.records_without_lane.load(std::memory_order_relaxed));
    if (without > m_withoutLane)
        batch.notes.drops.push_back({m_processes.onlyPid(), 0, without - m_withoutLane,
                                     m_withoutLaneNs != 0 ? m_withoutLaneNs : batch.now, batch.now});
    m_withoutLane = std::max(m_withoutLane, without);
    m_withoutLaneNs = batch.now;
}

/// A full file system shows in what probes go without.
void LaneHarvest::heedMemory()
{
    const corotracer::ExtensionHeader &extension = m_region.header().extension;
    const auto load = [](const auto &sum) { return sum.load(std::memory_order_relaxed); };  // they are for people
    // They also go without what they have no address space for.
    constexpr std::uint64_t kRoomForMore = 4U << 20;
    if (load(extension.processes_partly_mapped) != 0 && m_region.freeBytes() > kRoomForMore)
        return;
    m_lineShortage.look(load(extension.births_without_line), load(extension.lines_committed),
                        load(extension.line_count) < m_region.lines().size());
    const std::uint64_t used = load(extension.lane_pool_used);
    m_laneShortage.look(load(extension.threads_without_lane), used,
                        used < extension.lane_pool_size && extension.lane_pool_size - used >= kSmallestLane &&
                            load(extension.lane_count) < m_region.laneDirectory().size());
}

/// One barrier at a time: for what is held, and for the next part of a sweep.
void LaneHarvest::beginWork(Batch &batch)
{
    if (m_inBarrier || (!m_merger.isWaiting() && !m_sweep.isRunning()))
        return;
    if (m_sweep.isRunning())
        m_sweep.readPart(batch);
    m_merger.beginBarrier();
    // The lanes of whatever was read so far are known after this, and their ends lie behind what is missing.
    m_lanes.refresh(batch, false);
    m_lanes.markEnds();
    m_inBarrier = true;
}

/// False: there is more to do at once.
bool LaneHarvest::finishWork(Batch &batch)
{
    if (!m_lanes.reachedEnds())
        return false;
    const std::size_t enough = batch.transitions.size() + kMaxTransitions;
    if (!m_merger.completeBarrier(batch, enough))
        return false;
    if (m_sweep.hasPart() && !m_sweep.settlePart(batch, enough))
        return false;
    m_inBarrier = false;
    if (m_attaching && m_sweep.finished() != 0) {
        m_attaching = false;
        m_merger.setAttaching(false);
    }
    return isSettled();
}

/// Processes that are gone. After one more sweep all that they wrote is told; then what they had is free.
void LaneHarvest::buryGone(Batch &batch)
{
    for (const std::uint32_t process : m_processes.takeGone()) {
        m_gone.push_back({process, m_sweep.started() + 1, batch.now});
        m_wantsSweep = true;
        if (readsLanes())
            m_lanes.refresh(batch, true);  // its lanes are over, before their ends are marked
    }
    if (m_inBarrier || m_sweep.isRunning())
        return;
    std::erase_if(m_gone, [&](const Gone &gone) {
        if (m_sweep.finished() < gone.sweep || (readsLanes() && m_merger.settledUntil() < gone.ns))
            return false;
        // A region in which nobody is left to need the room is evidence: it stays as it is.
        const bool wanted =
            m_processes.isKnowable(gone.process) && (m_processes.sawAlive(gone.process) || m_processes.active() != 0);
        const bool reuse = wanted && isOwner() && m_region.laneMode() == corotracer::kLanesDiscard;
        if (reuse) {
            // Before we look who else is there: whoever takes one of these and lives was there already.
            const std::vector<std::uint32_t> unfinished = unfinishedLanes(m_region);
            const bool last = m_processes.isLast(gone.process);
            m_lanes.freeLanesOf(gone.process, batch);
            if (last)
                freeUnfinishedLanes(m_region, unfinished);
            m_sweep.reclaim(gone.process, last);
        }
        m_processes.bury(gone.process, reuse, batch);
        return true;
    });
}

void LaneHarvest::passAsObserver(Batch &batch)
{
    m_processes.look(batch, batch.now);
    m_sweep.start();
    while (m_sweep.isRunning()) {
        m_sweep.readPart(batch);
        m_sweep.settlePart(batch, kNoLimit);
    }
    m_merger.beginBarrier();
    m_merger.completeBarrier(batch, kNoLimit);
    m_attaching = false;
    m_merger.setAttaching(false);
    buryGone(batch);
}

bool LaneHarvest::finalDrain(Batch &batch)
{
    if (!hasLanes() || m_ending == Ending::Done)
        return true;
    const BatchMark before(batch);
    // The last look was some time ago; or there was none, when the end was asked for at once.
    if (!std::exchange(m_lastLook, true) && readsLanes()) {
        m_clock.update(batch.now);
        m_lanes.refresh(batch, true);
        lookAround(batch);
    }
    const bool done = readsLanes() ? drain(batch) : (passAsObserver(batch), true);
    if (done) {
        m_merger.finish(batch);
        if (readsLanes()) {
            m_lanes.tellLastDrops(batch);
            tellRecordsWithoutLane(batch);
        }
        m_processes.lookLast(batch.now);
        for (const std::uint32_t process : m_processes.takeGone())
            m_processes.bury(process, false, batch);
        for (const Gone &gone : std::exchange(m_gone, {}))
            m_processes.bury(gone.process, false, batch);
    }
    account(batch, before);
    if (done && isRecorder())
        closeBooks(batch);
    m_lanes.storeTails();
    if (done)
        m_ending = Ending::Done;
    return done;
}

/// Finishes what is under way, then one whole sweep; then the lanes are read to their ends and no further, and what is
/// still missing is lost.
bool LaneHarvest::drain(Batch &batch)
{
    m_lanes.refresh(batch, true);
    m_lanes.leapHoles();
    if (m_ending == Ending::No && !m_inBarrier) {
        m_ending = Ending::Sweep;
        m_sweep.start();
    }
    if (m_ending == Ending::Sweep && !m_sweep.isRunning() && !m_inBarrier) {
        m_ending = Ending::Lanes;
        if (isRecorder())
            m_atEnd = census();
        m_lanes.markEnds();
        m_lanes.stopAtEnds();
    }
    beginWork(batch);
    const std::size_t before = batch.transitions.size();
    const std::uint64_t readBefore = m_lanes.recordsRead();
    const bool whole = m_lanes.read(m_merger, batch, before + kMaxTransitions, settledBefore(batch));
    if (m_inBarrier)
        finishWork(batch);
    if (m_ending == Ending::Lanes && whole && m_lanes.reachedEnds() && isSettled() && !isHolding()) {
        // What nobody writes any more has lines that say how coroutines ended of which the lanes only told just now.
        if (m_lastSweep || m_processes.anySeenAlive())
            return true;
        m_lastSweep = true;
        m_sweep.start();
        return false;
    }
    // Whatever a probe writes comes to an end. What a scribbled record or a hole in a lane waits for will not come.
    m_idleDrains = batch.transitions.size() == before && m_lanes.recordsRead() == readBefore ? m_idleDrains + 1 : 0;
    if (m_idleDrains < kMostIdleDrains)
        return false;
    // A lane that cannot be read to its end ends here; the lines say how many events lie behind it.
    m_idleDrains = 0;
    m_lanes.cutEnds();
    return ++m_cuts > kMostCuts;
}

void LaneHarvest::addTo(Accounting &sums) const
{
    if (!m_region.hasExtension())
        return;
    // Relaxed, all of them: sums for people, they publish nothing.
    const corotracer::ExtensionHeader &extension = m_region.header().extension;
    sums.bornWhileOff = plausible(extension.births_while_off.load(std::memory_order_relaxed));
    if (!hasLanes())
        return;
    const auto reserved = static_cast<std::uint32_t>(m_region.lines().size());
    sums.untraced += plausible(extension.births_without_line.load(std::memory_order_relaxed));
    sums.slotsAllocated = std::min(extension.line_count.load(std::memory_order_relaxed), reserved);
    sums.slotsMax = reserved;
    sums.stationsAllocated += sums.slotsAllocated;
    sums.stationsMax += sums.slotsMax;
    sums.recordsDropped = m_lanes.dropped() + plausible(extension.records_without_lane.load(std::memory_order_relaxed));
    sums.recordsInHoles = m_lanes.inHoles();
    sums.growthStopped = sums.growthStopped || m_lineShortage.lasts || m_laneShortage.lasts || m_lanes.isStarved();
    sums.threadsWithoutLane = extension.threads_without_lane.load(std::memory_order_relaxed);
    sums.lanesShortened = m_lanes.shortened();
    sums.lanesDamaged = m_lanes.damaged();
    sums.lanesInUse = m_lanes.inUse();
    sums.lanes = std::min<std::uint32_t>(extension.lane_count.load(std::memory_order_relaxed),
                                         static_cast<std::uint32_t>(m_region.laneDirectory().size()));
    sums.laneBytesMax = extension.lane_pool_size;
    sums.laneBytes = std::min(extension.lane_pool_used.load(std::memory_order_relaxed), sums.laneBytesMax);
    sums.laneFill = m_lanes.fill();
    sums.processes = m_processes.active();
    sums.timesApproximate = areTimesApproximate();
}

}  // namespace ct
