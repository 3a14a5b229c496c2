// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/laneharvest.h"

#include "core/region/plausiblesum.h"

#include <algorithm>
#include <limits>

namespace ct {

namespace {

constexpr std::uint64_t kCheckEveryNs = 5'000'000;    ///< interval in which memory and processes are checked
constexpr std::uint64_t kSweepEveryNs = 100'000'000;  ///< shortest interval between sweeps
/// A periodic sweep finds deaths that only compact stations show. Its interval keeps the cost at about 0.1 %.
constexpr std::uint64_t kLingerNs = 500'000'000;
constexpr std::uint64_t kLingerNsPerStation = 10'000;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

}  // namespace

LaneHarvest::LaneHarvest(Region &region, RawQueue &queue, HarvestState &harvestState, IsAlive isAlive)
    : m_region(region),
      m_queue(queue),
      m_harvestState(harvestState),
      m_processes(region, m_clock, std::move(isAlive)),
      m_merger(region, harvestState, m_processes),
      m_lanes(region, harvestState, m_processes, queue),
      m_sweep(region, m_merger),
      m_barrier(m_lanes, m_merger, m_sweep, region.isAdopted()),
      m_gone(region, m_processes, m_lanes, m_sweep, m_merger, queue.requests),
      m_wantsSweep(region.isAdopted())
{
    if (!readsLanes())
        m_merger.setStationsOnly();
    if (region.access() == RegionAccess::PostMortem)
        m_merger.setPostMortem();
    if (readsLanes() && region.laneMode() == corotracer::kLanesOverwrite)
        m_overwriteLosses.emplace(region, harvestState, m_merger, m_sweep);
    // Another engine has reported the earlier records.
    if (region.isAdopted() && hasLanes())
        m_withoutLane = plausible(region.header().extension.records_without_lane.load(std::memory_order_relaxed));
}

/// Counts records that no lane will have. The events that they count are in the compact stations.
std::uint64_t LaneHarvest::recordsDropped() const
{
    return m_queue.facts.recordsDropped.load(kRelaxed) + m_lanes.lost() +
           plausible(m_region.header().extension.records_without_lane.load(kRelaxed));
}

/// Counts records that no lane will have, and threads without a lane.
std::uint64_t LaneHarvest::unemitted() const
{
    return recordsDropped() + m_region.header().extension.threads_without_lane.load(kRelaxed);
}

bool LaneHarvest::pass(Batch &batch, bool safety)
{
    if (!hasLanes() || m_drain)
        return true;
    const BatchMark before(batch);
    m_clock.update(batch.now);
    if (m_attachNs == 0)
        m_attachNs = batch.now;
    if (!readsLanes()) {
        m_decodedUntil = settledBefore();
        passAsObserver(batch);
        account(batch, before);
        return true;
    }
    check(batch, safety);
    m_barrier.beginBarrier(batch);
    bool whole = read(batch);
    m_everOff = m_everOff || !batch.notes.switches.empty();
    if (m_barrier.isInProgress() && m_lanes.isAnswered())
        whole = m_barrier.complete(batch) && whole;
    const bool caughtUp = m_overwriteLosses && m_overwriteLosses->awaitsAttach() && isCaughtUp(whole);
    if (caughtUp)
        m_overwriteLosses->settleAttach(batch);
    account(batch, before);
    if (caughtUp)
        m_overwriteLosses->closeAttach();
    return whole;
}

/// Decodes up to a full batch. Returns false if there is more.
bool LaneHarvest::read(Batch &batch)
{
    const std::uint64_t settled = settledBefore();
    const bool whole = m_lanes.read(m_merger, batch, batch.transitions.size() + kLaneBatch, settled);
    m_decodedUntil = std::min(settled, m_lanes.oldestUnreadNs());
    return whole;
}

bool LaneHarvest::readCut(Batch &batch)
{
    if (!hasLanes() || !readsLanes())
        return true;
    const BatchMark before(batch);
    const bool whole = read(batch);
    account(batch, before);
    return whole;
}

bool LaneHarvest::drainCut(Batch &batch)
{
    if (!readCut(batch))
        return false;
    const BatchMark before(batch);
    m_merger.finish(batch);
    account(batch, before);
    return true;
}

void LaneHarvest::account(const Batch &batch, const BatchMark &before)
{
    m_harvestState.sums.captured += batch.transitions.size() - before.transitions;
    if (m_overwriteLosses)
        m_overwriteLosses->account(batch, before);
}

/// Returns true if everything that was there at attach was emitted or settled.
bool LaneHarvest::isCaughtUp(bool whole) const
{
    return !m_barrier.isAttaching() && isSettled() &&
           ((whole && !awaitsWatermark()) || m_merger.settledUntil() >= m_attachNs);
}

/// Returns a time in ns: everything committed before it is found by reading the raw lanes from now on.
std::uint64_t LaneHarvest::settledBefore() const
{
    const std::uint64_t counter = m_queue.settled.counter();
    const std::uint64_t ns = m_queue.settled.ns();
    return m_clock.isStarted() ? m_clock.earlier(ns, counter) : ns;
}

/// Makes the periodic checks that are due, and starts a sweep if one is needed.
void LaneHarvest::check(Batch &batch, bool safety)
{
    const std::uint64_t now = batch.now;
    if (safety || now - m_checkedNs >= kCheckEveryNs) {
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

/// Checks the memory and the processes.
void LaneHarvest::checkResources(Batch &batch)
{
    m_checkedNs = batch.now;
    m_shortage.check(m_region);
    m_processes.check(batch, batch.now);
    if (areTimesApproximate())
        m_merger.distrustTimes();
    m_everOff = m_everOff || m_processes.anySwitchedOff();
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

/// Emits the ends of processes, once everything that they wrote was emitted.
void LaneHarvest::retireGone(Batch &batch)
{
    m_wantsSweep = m_gone.collect(batch) || m_wantsSweep;
    if (!m_barrier.isInProgress() && !m_sweep.isRunning())
        m_gone.retire(batch);
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
    m_barrier.endAttaching();
    retireGone(batch);
}

bool LaneHarvest::finalDrain(Batch &batch)
{
    if (!hasLanes() || m_isDrained)
        return true;
    const BatchMark before(batch);
    if (!m_drain)
        beginDrain(batch);
    m_isDrained = readsLanes() ? m_drain->pass(batch, settledBefore()) : (passAsObserver(batch), true);
    if (m_isDrained)
        emitLast(batch);
    account(batch, before);
    if (m_isDrained && m_overwriteLosses)
        closeLosses(batch);
    m_decodedUntil = std::min(settledBefore(), m_lanes.oldestUnreadNs());
    return m_isDrained;
}

void LaneHarvest::beginDrain(Batch &batch)
{
    m_drain.emplace(m_lanes, m_merger, m_sweep, m_barrier, m_processes,
                    m_overwriteLosses ? &*m_overwriteLosses : nullptr);
    if (!readsLanes())
        return;
    // The latest checks were some time ago. There were none if the end was requested at once.
    m_clock.update(batch.now);
    checkResources(batch);
}

/// Emits what still waits when the lanes were read to their ends.
void LaneHarvest::emitLast(Batch &batch)
{
    m_merger.finish(batch);
    if (readsLanes()) {
        m_lanes.reportLastDrops(batch);
        reportRecordsWithoutLane(batch);
    }
    m_processes.checkLast(batch.now);
    m_gone.retireAll(batch);
}

/// Closes the sums in overwrite mode, after account() has counted everything that the lanes had.
void LaneHarvest::closeLosses(Batch &batch)
{
    const BatchMark before(batch);
    const bool missed = !m_processes.anySeenAlive();
    m_overwriteLosses->settleEnd(missed, batch);
    account(batch, before);
    m_overwriteLosses->closeEnd(missed);
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
    sums.untraced += plausible(extension.births_without_station.load(std::memory_order_relaxed));
    sums.compactStationsAllocated = std::min(extension.compact_station_count.load(std::memory_order_relaxed), reserved);
    sums.compactStationsMax = reserved;
    sums.stationsAllocated += sums.compactStationsAllocated;
    sums.stationsMax += sums.compactStationsMax;
    const CollectorFacts &facts = m_queue.facts;
    sums.recordsDropped = recordsDropped();
    sums.recordsInHoles = facts.recordsInHoles.load(kRelaxed);
    sums.growthStopped = sums.growthStopped || m_shortage.lasts() || facts.lanesStarved.load(kRelaxed);
    sums.threadsWithoutLane = extension.threads_without_lane.load(std::memory_order_relaxed);
    sums.lanesShortened = facts.lanesShortened.load(kRelaxed);
    sums.lanesDamaged = facts.lanesDamaged.load(kRelaxed);
    sums.lanesInUse = facts.lanesInUse.load(kRelaxed);
    sums.lanes = std::min<std::uint32_t>(extension.lane_count.load(std::memory_order_relaxed),
                                         static_cast<std::uint32_t>(m_region.laneDirectory().size()));
    sums.laneBytesMax = extension.lane_pool_size;
    sums.laneBytes = std::min(extension.lane_pool_used.load(std::memory_order_relaxed), sums.laneBytesMax);
    sums.laneFill = facts.laneFill.load(kRelaxed);
    sums.processes = m_processes.active();
    sums.timesApproximate = areTimesApproximate();
}

}  // namespace ct
