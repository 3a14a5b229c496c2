// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/laneharvest.h"

#include "core/region/unfinishedlanes.h"

#include <algorithm>
#include <limits>

namespace ct {

namespace {

constexpr std::uint64_t kStatesEveryNs = 500'000;     ///< interval in which closed lanes are freed
constexpr std::uint64_t kGaugeEveryNs = 5'000'000;    ///< interval in which the fill of lanes is measured
constexpr std::uint64_t kSweepEveryNs = 100'000'000;  ///< shortest interval between sweeps
/// A periodic sweep finds deaths that only compact stations show. Its interval keeps the cost at about 0.1 %.
constexpr std::uint64_t kLingerNs = 500'000'000;
constexpr std::uint64_t kLingerNsPerStation = 10'000;
/// More than the number of parts in a sweep.
constexpr int kMostIdleDrains = 4096;
constexpr int kMostCuts = 4;
/// Bytes of the smallest lane, with its block numbers.
constexpr std::uint64_t kSmallestLane = corotracer::kLaneRecordsMin * sizeof(corotracer::LaneRecord) + 4096;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
/// A target can overwrite the sums in the region. Sums from here on are not believed.
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
        m_merger.setStationsOnly();
    if (region.access() == RegionAccess::PostMortem)
        m_merger.setPostMortem();
    if (isRecorder())
        m_atAttach = census();
    // Another engine has reported the earlier records.
    if (m_attaching && hasLanes())
        m_withoutLane = plausible(region.header().extension.records_without_lane.load(std::memory_order_relaxed));
}

/// Counts records that no lane will have, and threads without a lane.
std::uint64_t LaneHarvest::unemitted() const
{
    const corotracer::ExtensionHeader &extension = m_region.header().extension;
    // Relaxed: sums. The events that they count are in the compact stations.
    return m_lanes.dropped() + plausible(extension.records_without_lane.load(std::memory_order_relaxed)) +
           extension.threads_without_lane.load(std::memory_order_relaxed);
}

bool LaneHarvest::pass(Batch &batch, bool safety)
{
    if (!hasLanes() || m_ending != Ending::No)
        return true;
    const BatchMark before(batch);
    m_clock.update(batch.now);
    if (m_attachNs == 0)
        m_attachNs = batch.now;
    if (!readsLanes()) {
        passAsObserver(batch);
        account(batch, before);
        return true;
    }
    check(batch, safety);
    beginWork(batch);
    bool whole = m_lanes.read(m_merger, batch, before.transitions + kMaxTransitions, settledBefore(batch));
    m_everOff = m_everOff || !batch.notes.switches.empty();
    if (m_inBarrier)
        whole = finishWork(batch) && whole;
    const bool caughtUp = m_atAttach && isCaughtUp(whole);
    if (caughtUp)
        settleKnown(*m_atAttach, true, batch);
    account(batch, before);
    m_lanes.storeTails();
    if (caughtUp)
        countTraceless(m_atAttach, &Accounting::missedBeforeAttach);
    return whole;
}

/// A census against everything emitted so far. Call it when all of that was passed to account().
Census LaneHarvest::census() const
{
    return Census(m_region, m_sweep.stationCount(), m_merger.cursors(), m_emitted, m_books.nextCoroutine);
}

void LaneHarvest::account(const Batch &batch, const BatchMark &before)
{
    m_books.sums.captured += batch.transitions.size() - before.transitions;
    if (!isRecorder())
        return;
    m_emitted += countOf(batch, before);
    for (std::optional<Census> *const census : {&m_atAttach, &m_atEnd}) {
        if (*census)
            (*census)->add(batch, before);
    }
}

/// Settles the coroutines that are discovered, after every record from before `census` was read. The rest of the census
/// then belongs to coroutines that left nothing else.
void LaneHarvest::settleKnown(const Census &census, bool missed, Batch &batch)
{
    m_merger.setAttaching(missed);
    m_merger.settleCounts(census.stations(), batch);
    m_merger.setAttaching(m_attaching);
}

/// Reports the rest of a census: coroutines that left neither records nor a compact station.
void LaneHarvest::countTraceless(std::optional<Census> &census, std::uint64_t Accounting::*sum)
{
    const Census::Count unemitted = std::exchange(census, {})->unemitted();
    const Census::Count traceless{plausible(unemitted.lives), plausible(unemitted.events)};
    m_books.sums.*sum += traceless.events;
    m_books.sums.coroutinesMissed += traceless.lives;
    m_books.eventsWithoutCoroutine += traceless.events;
    m_emitted += traceless;
    if (m_atEnd)
        m_atEnd->add(traceless);
}

/// Returns true if everything that was there at attach was emitted or settled.
bool LaneHarvest::isCaughtUp(bool whole) const
{
    return !m_attaching && isSettled() && ((whole && !awaitsWatermark()) || m_merger.settledUntil() >= m_attachNs);
}

/// Closes the sums in overwrite mode. Call it once, after account() has counted everything that the lanes had.
void LaneHarvest::closeBooks(Batch &batch)
{
    if (!m_atEnd)
        m_atEnd = census();
    const BatchMark before(batch);
    const bool missed = !m_processes.anySeenAlive();
    if (m_atAttach)
        settleKnown(*m_atAttach, true, batch);
    settleKnown(*m_atEnd, missed, batch);
    account(batch, before);
    if (m_atAttach)
        countTraceless(m_atAttach, &Accounting::missedBeforeAttach);
    countTraceless(m_atEnd, missed ? &Accounting::missedBeforeAttach : &Accounting::lost);
}

/// Returns a time in ns: everything committed before it is found by reading the lanes from now on.
std::uint64_t LaneHarvest::settledBefore(const Batch &batch) const
{
    return m_clock.isStarted() ? m_clock.earlier(batch.now, corotracer::detail::read_counter()) : batch.now;
}

/// Makes the periodic checks that are due, and starts a sweep if one is needed.
void LaneHarvest::check(Batch &batch, bool safety)
{
    const std::uint64_t now = batch.now;
    const bool states = safety || now - m_statesNs >= kStatesEveryNs;
    if (states)
        m_statesNs = now;
    m_lanes.refresh(batch, states);
    if (safety || now - m_gaugedNs >= kGaugeEveryNs) {
        checkResources(batch);
        // A coroutine whose birth, name or end has no record may die at any time. Only its compact station shows that.
        if ((m_everOff || m_unemitted != 0) &&
            now - m_sweptNs >= m_sweep.stationCount() * kLingerNsPerStation + kLingerNs)
            m_wantsSweep = true;
        retireGone(batch);
    }
    m_wantsSweep = m_merger.takeSweepRequest() || m_wantsSweep || unemitted() != m_unemitted;
    if (m_wantsSweep && !m_sweep.isRunning() && (safety || now - m_sweptNs >= kSweepEveryNs)) {
        m_wantsSweep = false;
        m_unemitted = unemitted();
        m_sweptNs = now;
        m_sweep.start();
        reportRecordsWithoutLane(batch);
    }
}

/// Checks the lanes as a whole, the memory and the processes.
void LaneHarvest::checkResources(Batch &batch)
{
    m_gaugedNs = batch.now;
    m_lanes.gauge(batch.now);
    checkMemory();
    m_processes.check(batch, batch.now);
    if (areTimesApproximate())
        m_merger.distrustTimes();
    m_everOff = m_everOff || m_processes.anySwitchedOff();
}

void LaneHarvest::Shortage::check(std::uint64_t withoutNow, std::uint64_t madeNow, bool isThereMore)
{
    // If both numbers grew since the last check, a burst used up the last memory. Better one report too many than none.
    if (withoutNow != without)
        lasts = isThereMore;
    else if (madeNow != made)
        lasts = false;
    without = withoutNow;
    made = madeNow;
}

/// Reports records of threads without a lane. The counter does not say which threads these were.
void LaneHarvest::reportRecordsWithoutLane(Batch &batch)
{
    const std::uint64_t without =
        plausible(m_region.header().extension.records_without_lane.load(std::memory_order_relaxed));
    if (without > m_withoutLane)
        batch.notes.drops.push_back({m_processes.onlyPid(), 0, without - m_withoutLane,
                                     m_withoutLaneNs != 0 ? m_withoutLaneNs : batch.now, batch.now});
    m_withoutLane = std::max(m_withoutLane, without);
    m_withoutLaneNs = batch.now;
}

/// Detects a full file system by what probes were refused.
void LaneHarvest::checkMemory()
{
    const corotracer::ExtensionHeader &extension = m_region.header().extension;
    const auto load = [](const auto &sum) { return sum.load(std::memory_order_relaxed); };  // for display
    // Probes are also refused what their address space has no room for.
    constexpr std::uint64_t kRoomForMore = 4U << 20;
    if (load(extension.processes_partly_mapped) != 0 && m_region.freeBytes() > kRoomForMore)
        return;
    m_stationShortage.check(load(extension.births_without_line), load(extension.lines_committed),
                            load(extension.line_count) < m_region.compactStations().size());
    const std::uint64_t used = load(extension.lane_pool_used);
    m_laneShortage.check(load(extension.threads_without_lane), used,
                         used < extension.lane_pool_size && extension.lane_pool_size - used >= kSmallestLane &&
                             load(extension.lane_count) < m_region.laneDirectory().size());
}

/// Begins a barrier for waiting events and for the next part of a sweep. Only one barrier is in progress at a time.
void LaneHarvest::beginWork(Batch &batch)
{
    if (m_inBarrier || (!m_merger.isWaiting() && !m_sweep.isRunning()))
        return;
    if (m_sweep.isRunning())
        m_sweep.readPart(batch);
    m_merger.beginBarrier();
    // After this, every lane with events of the coroutines read so far is known. Their missing events lie below the
    // ends.
    m_lanes.refresh(batch, false);
    m_lanes.markEnds();
    m_inBarrier = true;
}

/// Completes the barrier. Returns false if there is more to do at once.
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

/// Ends the processes that are gone. One more sweep emits everything that they wrote. Then their lanes and stations are
/// freed.
void LaneHarvest::retireGone(Batch &batch)
{
    for (const std::uint32_t process : m_processes.takeGone()) {
        m_gone.push_back({process, m_sweep.started() + 1, batch.now});
        m_wantsSweep = true;
        if (readsLanes())
            m_lanes.refresh(batch, true);  // marks its lanes as ended before the next barrier marks ends
    }
    if (m_inBarrier || m_sweep.isRunning())
        return;
    std::erase_if(m_gone, [&](const Gone &gone) {
        if (m_sweep.finished() < gone.sweep || (readsLanes() && m_merger.settledUntil() < gone.ns))
            return false;
        // If no process needs the room, the region stays as it is for post-mortem reading.
        const bool wanted =
            m_processes.isKnowable(gone.process) && (m_processes.sawAlive(gone.process) || m_processes.active() != 0);
        const bool reuse = wanted && isOwner() && m_region.laneMode() == corotracer::kLanesDiscard;
        if (reuse) {
            // Load these before the check for other processes: a living process that claims one of them is in the table
            // by then.
            const std::vector<std::uint32_t> unfinished = unfinishedLanes(m_region);
            const bool last = m_processes.isLast(gone.process);
            m_lanes.freeLanesOf(gone.process, batch);
            if (last)
                freeUnfinishedLanes(m_region, unfinished);
            m_sweep.reclaim(gone.process, last);
        }
        m_processes.retire(gone.process, reuse, batch);
        return true;
    });
}

void LaneHarvest::passAsObserver(Batch &batch)
{
    m_processes.check(batch, batch.now);
    m_sweep.start();
    while (m_sweep.isRunning()) {
        m_sweep.readPart(batch);
        m_sweep.settlePart(batch, kNoLimit);
    }
    m_merger.beginBarrier();
    m_merger.completeBarrier(batch, kNoLimit);
    m_attaching = false;
    m_merger.setAttaching(false);
    retireGone(batch);
}

bool LaneHarvest::finalDrain(Batch &batch)
{
    if (!hasLanes() || m_ending == Ending::Done)
        return true;
    const BatchMark before(batch);
    // The latest checks were some time ago. There were none if the end was requested at once.
    if (!std::exchange(m_drainBegun, true) && readsLanes()) {
        m_clock.update(batch.now);
        m_lanes.refresh(batch, true);
        checkResources(batch);
    }
    const bool done = readsLanes() ? drain(batch) : (passAsObserver(batch), true);
    if (done) {
        m_merger.finish(batch);
        if (readsLanes()) {
            m_lanes.reportLastDrops(batch);
            reportRecordsWithoutLane(batch);
        }
        m_processes.checkLast(batch.now);
        for (const std::uint32_t process : m_processes.takeGone())
            m_processes.retire(process, false, batch);
        for (const Gone &gone : std::exchange(m_gone, {}))
            m_processes.retire(gone.process, false, batch);
    }
    account(batch, before);
    if (done && isRecorder())
        closeBooks(batch);
    m_lanes.storeTails();
    if (done)
        m_ending = Ending::Done;
    return done;
}

/// Completes the barrier and the sweep in progress, then makes one whole sweep. Then reads the lanes to their present
/// ends and no further. What is still missing is lost.
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
    if (m_ending == Ending::Lanes && whole && m_lanes.reachedEnds() && isSettled() && !awaitsWatermark()) {
        // If no process was ever seen alive, a further sweep finds deaths that only compact stations show. They belong
        // to coroutines that the lanes have only just discovered.
        if (m_lastSweep || m_processes.anySeenAlive())
            return true;
        m_lastSweep = true;
        m_sweep.start();
        return false;
    }
    // Whatever a probe writes comes to an end. The record that a damaged lane waits for never comes.
    m_idleDrains = batch.transitions.size() == before && m_lanes.recordsRead() == readBefore ? m_idleDrains + 1 : 0;
    if (m_idleDrains < kMostIdleDrains)
        return false;
    // This lane ends here. The compact stations count the events behind this position.
    m_idleDrains = 0;
    m_lanes.cutEnds();
    return ++m_cuts > kMostCuts;
}

void LaneHarvest::addTo(Accounting &sums) const
{
    if (!m_region.hasExtension())
        return;
    // Relaxed, all loads: sums for display, which publish nothing.
    const corotracer::ExtensionHeader &extension = m_region.header().extension;
    sums.bornWhileOff = plausible(extension.births_while_off.load(std::memory_order_relaxed));
    if (!hasLanes())
        return;
    const auto reserved = static_cast<std::uint32_t>(m_region.compactStations().size());
    sums.untraced += plausible(extension.births_without_line.load(std::memory_order_relaxed));
    sums.slotsAllocated = std::min(extension.line_count.load(std::memory_order_relaxed), reserved);
    sums.slotsMax = reserved;
    sums.stationsAllocated += sums.slotsAllocated;
    sums.stationsMax += sums.slotsMax;
    sums.recordsDropped = m_lanes.dropped() + plausible(extension.records_without_lane.load(std::memory_order_relaxed));
    sums.recordsInHoles = m_lanes.inHoles();
    sums.growthStopped = sums.growthStopped || m_stationShortage.lasts || m_laneShortage.lasts || m_lanes.isStarved();
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
