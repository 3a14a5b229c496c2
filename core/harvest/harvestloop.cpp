// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/harvestloop.h"

#include "core/base/monotonic.h"
#include "core/harvest/fullstationlist.h"
#include "core/harvest/laneharvest.h"
#include "core/harvest/plausiblesum.h"
#include "core/region/calendartime.h"
#include "core/region/processfence.h"

#include <algorithm>

namespace ct {

namespace {

using corotracer::GlobalHeader;

/// Each station is checked for death once in this time.
constexpr std::uint64_t kRotationNs = 250'000'000;
/// From here on, allocated_count might wrap before the next pass.
constexpr std::uint32_t kNearWrap = 1U << 31;
constexpr std::uint32_t kWrapStep = 1U << 30;
/// ns between two passes over the stations while lanes are busy
constexpr std::uint64_t kStationGapNs = 500'000;
constexpr std::uint64_t kGrowthRetryNs = 250'000'000;
constexpr std::uint64_t kBytesEveryNs = 100'000'000;

std::uint64_t wrappedIn(const corotracer::ExtensionHeader &extension)
{
    // Relaxed: a sum for display, which publishes nothing.
    const std::uint64_t wrapped_untrusted = extension.allocated_wrapped.load(std::memory_order_relaxed);
    return wrapped_untrusted % kWrapStep == 0 ? plausible(wrapped_untrusted) : 0;
}

}  // namespace

struct HarvestLoop::Data {
    Data(Region &theRegion, IsAlive isAlive)
        : region(theRegion),
          harvestState(theRegion),
          list(theRegion, harvestState),
          lanes(theRegion, harvestState, std::move(isAlive)),
          time(theRegion)
    {
    }

    Region &region;
    HarvestState harvestState;
    FullStationList list;
    LaneHarvest lanes;
    RegionTime time;
    bool lanesWhole = true;            ///< after the latest pass
    std::uint64_t lastStationsNs = 0;  ///< time of the latest pass over the stations
    std::uint32_t grownFor = 0;        ///< allocated_count at the latest growth
    std::uint64_t lastGrowthNs = 0;
    bool growthStopped = false;
    std::uint64_t lastBytesNs = 0;
    std::uint64_t regionBytes = 0;
    bool paused = false;
    std::uint64_t lastPassNs = 0;
    std::uint64_t lastRotationNs = 0;  ///< time of the latest share of the death rotation
    bool ending = false;
    bool ended = false;  ///< accounting() is final
    Allocation finalAllocation;

    Allocation allocation(std::memory_order order) const
    {
        const GlobalHeader &header = region.header();
        Allocation now;
        now.count = header.allocated_count.load(order);
        now.max = std::min(header.max_stations.load(std::memory_order_acquire), region.stationCapacity());
        if (region.hasExtension())
            now.wrapped = wrappedIn(header.extension);
        return now;
    }

    /// Keeps allocated_count from wrapping to small indices. A wrap would assign stations twice.
    void keepFromWrapping()
    {
        GlobalHeader *const header = region.writableHeader();
        if (!header)
            return;
        std::uint32_t count = header->allocated_count.load(std::memory_order_relaxed);
        while (count >= kNearWrap) {
            // Relaxed: the count only assigns indices and publishes nothing (partner: the probes' fetch_add).
            if (header->allocated_count.compare_exchange_weak(count, count - kWrapStep, std::memory_order_relaxed)) {
                header->extension.allocated_wrapped.fetch_add(kWrapStep, std::memory_order_relaxed);
                return;
            }
        }
    }

    /// Keeps stations free for version-1 probes, and measures the region's memory; `last` measures it at once.
    void keepStationsFree(std::uint64_t now, bool last)
    {
        // Relaxed: the count publishes nothing.
        const std::uint32_t count = region.header().allocated_count.load(std::memory_order_relaxed);
        if (count != grownFor || (growthStopped && now - lastGrowthNs >= kGrowthRetryNs)) {
            grownFor = count;
            lastGrowthNs = now;
            growthStopped = !region.growStations();
        }
        if (last || now - lastBytesNs >= kBytesEveryNs) {
            lastBytesNs = now;
            regionBytes = region.committedBytes();
        }
    }

    void pass(Batch &batch, bool allDeaths, bool beforeSleep)
    {
        const std::uint64_t start = monotonicNow();
        batch.now = start;
        if (ending || !region.isWhole())
            return;
        keepStationsFree(start, false);
        lanesWhole = lanes.pass(batch, allDeaths);
        if (time.isDue(start))
            time.keep(start, lanes.hasSeenLife());
        // Busy lanes have priority: a pass over the stations may take longer than the lanes have room for.
        if (!lanesWhole && !allDeaths && !beforeSleep && start - lastStationsNs < kStationGapNs)
            return;
        lastStationsNs = start;
        keepFromWrapping();
        list.noticeReuse();
        // seq_cst before sleep; partner: the seq_cst announcement. A birth is seen either here or by stillQuiet().
        list.discover(allocation(beforeSleep ? std::memory_order_seq_cst : std::memory_order_acquire),
                      allDeaths || beforeSleep, batch);
        const bool whole = beforeSleep ? list.readLive<std::memory_order_seq_cst>(batch, kMaxTransitions)
                                       : list.readLive<std::memory_order_acquire>(batch, kMaxTransitions);
        list.readFaulty(batch);
        if (whole)
            lastPassNs = monotonicNow() - start;
        checkDeaths(batch, start, allDeaths);
        if (whole && allDeaths)
            lastPassNs = monotonicNow() - start;
    }

    void checkDeaths(Batch &batch, std::uint64_t now, bool all)
    {
        const std::uint64_t elapsed = std::min(now - lastRotationNs, kRotationNs);
        const std::uint64_t share = list.rotationSize() * elapsed / kRotationNs + 1;
        lastRotationNs = now;
        list.rotate(all ? list.rotationSize() : share, batch, kMaxTransitions);
    }
};

HarvestLoop::HarvestLoop(Region &region) : HarvestLoop(region, IsAlive()) {}

HarvestLoop::HarvestLoop(Region &region, IsAlive isAlive) : m_data(std::make_unique<Data>(region, std::move(isAlive)))
{
    if (region.isAdopted())
        m_data->list.setAttached(m_data->allocation(std::memory_order_acquire));
    m_data->lastRotationNs = monotonicNow();
}

HarvestLoop::~HarvestLoop() = default;

void HarvestLoop::pass(Batch &batch)
{
    m_data->pass(batch, false, false);
}

void HarvestLoop::safetyPass(Batch &batch)
{
    m_data->pass(batch, true, false);
}

bool HarvestLoop::hasEndsToEmit()
{
    return m_data->region.isWhole() && m_data->lanes.hasEndsToEmit(monotonicNow());
}

void HarvestLoop::emitEnds(Batch &batch)
{
    batch.now = monotonicNow();
    if (!m_data->ending && m_data->region.isWhole())
        m_data->lanesWhole = m_data->lanes.pass(batch, true);
}

bool HarvestLoop::mayAnnounceSleep() const
{
    // A flight recorder has no socket, and its probe has no fence.
    return m_data->region.access() == RegionAccess::Owner && !m_data->paused &&
           m_data->region.laneMode() != corotracer::kLanesOverwrite &&
           !(m_data->region.isAdopted() && m_data->list.hasUnmarked());
}

bool HarvestLoop::areWakesSure() const
{
    return !m_data->list.hasUnmarked() && m_data->list.pendingBirths() == 0;
}

bool HarvestLoop::prepareSleep(Batch &batch)
{
    GlobalHeader *const header = m_data->region.writableHeader();
    if (!header || !mayAnnounceSleep() || !m_data->region.isWhole()) {
        m_data->pass(batch, false, false);
        return false;
    }
    // The store is seq_cst, and so are the loads after it: of seq in the pass over the stations, of commit in
    // isQuiet(). Partners: the probe's seq_cst store of seq or commit, then its seq_cst load of this flag. These four
    // accesses have one order: either this engine sees the event, or the probe sees the flag.
    header->tracer_sleeping.store(corotracer::kEngineSleeps, std::memory_order_seq_cst);
    // Registered probes of such a region store with release and load plainly. This call is the fence between the two.
    if (header->extension.engine_fences != 0 && !fenceProcesses()) {
        cancelSleep();
        m_data->pass(batch, false, false);
        return false;
    }
    m_data->pass(batch, false, true);
    if (batch.empty() && m_data->lanesWhole && m_data->lanes.isSettled() && !m_data->lanes.awaitsWatermark() &&
        m_data->lanes.isQuiet())
        return true;
    cancelSleep();
    return false;
}

void HarvestLoop::setPaused(bool paused)
{
    m_data->paused = paused;
    // Release; partner: the loads of the flag by probes after each event. Each thread reacts at its next event.
    if (GlobalHeader *const header = m_data->region.writableHeader(); header && m_data->region.isWhole())
        header->tracer_sleeping.store(paused ? corotracer::kEnginePaused : corotracer::kEngineAwake,
                                      std::memory_order_release);
}

void HarvestLoop::cancelSleep()
{
    // Relaxed: a probe that still sees 1 only sends a superfluous byte.
    if (GlobalHeader *const header = m_data->region.writableHeader(); header && m_data->region.isWhole())
        header->tracer_sleeping.store(m_data->paused ? corotracer::kEnginePaused : corotracer::kEngineAwake,
                                      std::memory_order_relaxed);
}

bool HarvestLoop::stillQuiet() const
{
    if (!m_data->region.isWhole())
        return false;
    // Acquire; partner: the compare-exchange to 0 by the probe that wakes the engine, which follows its event.
    return m_data->region.header().tracer_sleeping.load(std::memory_order_acquire) == 1 &&
           m_data->list.isReuseNoticed() && m_data->list.isDiscovered(m_data->allocation(std::memory_order_acquire));
}

bool HarvestLoop::finalDrain(Batch &batch)
{
    Data &data = *m_data;
    batch.now = monotonicNow();
    if (data.ended || !data.region.isWhole()) {
        data.ending = data.ended = true;
        return true;
    }
    if (!data.ending) {
        data.ending = true;
        cancelSleep();
        data.keepStationsFree(batch.now, true);  // there may have been no pass
        data.list.noticeReuse();
        data.finalAllocation = data.allocation(std::memory_order_acquire);
        data.list.discover(data.finalAllocation, true, batch);
        data.list.decideEnd();
    }
    data.ended = data.lanes.finalDrain(batch) && data.list.drainToEnd(batch, kMaxTransitions);
    return data.ended;
}

bool HarvestLoop::hasMore() const
{
    return !m_data->lanesWhole;
}

bool HarvestLoop::isUrgent() const
{
    return m_data->lanes.isUrgent();
}

Accounting HarvestLoop::accounting() const
{
    const Data &data = *m_data;
    Accounting sums(data.harvestState.sums);
    sums.unproven = data.harvestState.unproven;
    sums.paused = data.paused;
    sums.regionBytes = data.regionBytes;
    sums.growthStopped = data.growthStopped;
    if (!data.region.isWhole())
        return sums;
    const Allocation allocation = data.ending ? data.finalAllocation : data.allocation(std::memory_order_acquire);
    sums.untraced = data.list.pendingBirths() + allocation.beyond();
    // A refused probe of the extension offers further stations itself, so its birth is traced after all.
    sums.birthsOvertaken = std::min(data.region.overtakenBirths(), sums.untraced);
    sums.stationsAllocated = std::min(allocation.count, allocation.max);
    sums.stationsMax =
        data.region.hasExtension() && !data.growthStopped ? data.region.stationCapacity() : allocation.max;
    if (data.region.hasExtension()) {
        // Relaxed: sums for display, which publish nothing.
        const corotracer::ExtensionHeader &extension = data.region.header().extension;
        sums.bornBeforeInit = plausible(extension.born_before_init.load(std::memory_order_relaxed));
        sums.processesUnmapped = extension.processes_unmapped.load(std::memory_order_relaxed);
        sums.processesPartlyMapped = extension.processes_partly_mapped.load(std::memory_order_relaxed);
        sums.sitesDropped = extension.sites_dropped.load(std::memory_order_relaxed);
    }
    data.lanes.addTo(sums);
    return sums;
}

std::uint64_t HarvestLoop::eventsWithoutCoroutine() const
{
    return m_data->harvestState.eventsWithoutCoroutine;
}

std::uint64_t HarvestLoop::lastPassNs() const
{
    return m_data->lastPassNs;
}

}  // namespace ct
