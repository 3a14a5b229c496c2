// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/decoder.h"

#include "core/base/monotonic.h"
#include "core/harvest/laneharvest.h"
#include "core/harvest/stationdecoder.h"
#include "core/region/calendartime.h"
#include "core/region/plausiblesum.h"

#include <algorithm>

namespace ct {

struct Decoder::Data {
    Data(Region &theRegion, RawQueue &theQueue, IsAlive isAlive)
        : region(theRegion),
          queue(theQueue),
          harvestState(theRegion),
          stations(theQueue.stations, harvestState),
          lanes(theRegion, theQueue, harvestState, std::move(isAlive)),
          time(theRegion)
    {
    }

    Region &region;
    RawQueue &queue;
    HarvestState harvestState;
    StationDecoder stations;
    LaneHarvest lanes;
    RegionTime time;
    bool isWhole = true;         ///< nothing was left after the latest pass
    std::uint64_t streamNs = 0;  ///< Batch::now of the latest pass
    RunLag lag;
    std::uint64_t endRequest = 0;  ///< number of the request that ends the stations; 0 = no end yet
    bool hasEnded = false;         ///< accounting() is final

    void pass(Batch &batch, bool safety)
    {
        const std::uint64_t now = monotonicNow();
        batch.now = now;
        isWhole = true;
        if (endRequest == 0) {
            const bool areStationsDecoded = stations.pass(batch);
            const bool isCut = !region.isWhole();
            isWhole = (isCut ? lanes.readCut(batch) : lanes.pass(batch, safety)) && areStationsDecoded;
            if (!isCut && time.isDue(now))
                time.keep(now, lanes.hasSeenLife());
        }
        queue.requests.setAwaitsPasses(awaitsCollector());
        setStreamTime(batch);
    }

    /// The stream is complete up to this time. It begins at the first pass, because what was there before may be old,
    /// and never goes back.
    void setStreamTime(Batch &batch)
    {
        if (streamNs == 0)
            streamNs = batch.now;
        std::uint64_t until = region.laneMode() != corotracer::kLanesNone ? lanes.decodedUntil() : queue.settled.ns();
        if (const Batch *const waiting = queue.stations.front())
            until = std::min(until, waiting->now);
        streamNs = std::max(streamNs, std::min(until, batch.now));
        if (endRequest == 0 || queue.requests.isAnswered(endRequest))  // the collector's last word may be old
            measureLag(batch.now);
        batch.now = streamNs;
    }

    /// Post mortem, time stands still.
    void measureLag(std::uint64_t now)
    {
        lag.behindNs = region.access() != RegionAccess::PostMortem ? now - streamNs : 0;
        lag.mostBehindNs = std::max(lag.mostBehindNs, lag.behindNs);
        lag.recordsBehind = lanes.unread();
        lag.memoryFill = static_cast<double>(queue.pool.bytesInUse()) /
                         static_cast<double>(std::max<std::uint64_t>(queue.pool.budget(), 1));
    }

    bool awaitsCollector() const { return !lanes.isSettled() || lanes.awaitsWatermark(); }
};

Decoder::Decoder(Region &region, RawQueue &queue, IsAlive isAlive)
    : m_data(std::make_unique<Data>(region, queue, std::move(isAlive)))
{
}

Decoder::~Decoder() = default;

void Decoder::pass(Batch &batch)
{
    m_data->pass(batch, false);
}

void Decoder::safetyPass(Batch &batch)
{
    m_data->pass(batch, true);
}

bool Decoder::hasMore() const
{
    return !m_data->isWhole;
}

bool Decoder::awaitsCollector() const
{
    return m_data->awaitsCollector();
}

bool Decoder::hasEndsToEmit()
{
    return m_data->region.isWhole() && m_data->lanes.hasEndsToEmit(monotonicNow());
}

bool Decoder::finalDrain(Batch &batch)
{
    Data &data = *m_data;
    batch.now = monotonicNow();
    if (data.endRequest == 0)
        data.endRequest = data.queue.requests.request(CollectorRequests::kEndStations);
    if (!data.hasEnded) {
        // Only the answer says that no further batch of the stations follows.
        const bool isLast = data.queue.requests.isAnswered(data.endRequest);
        const bool areStationsDecoded = data.stations.pass(batch) && isLast;
        const bool areLanesDecoded = data.region.isWhole() ? data.lanes.finalDrain(batch) : data.lanes.drainCut(batch);
        data.hasEnded = areLanesDecoded && areStationsDecoded;
    }
    data.isWhole = batch.empty();
    data.queue.requests.setAwaitsPasses(!data.hasEnded);
    data.setStreamTime(batch);
    return data.hasEnded;
}

Accounting Decoder::accounting() const
{
    const Data &data = *m_data;
    const CollectorFacts &facts = data.queue.facts;
    Accounting sums(data.harvestState.sums);
    static_cast<RunLag &>(sums) = data.lag;
    sums.unproven = facts.unproven.load(kRelaxed);
    sums.paused = facts.paused.load(kRelaxed);
    sums.regionBytes = facts.regionBytes.load(kRelaxed);
    sums.growthStopped = facts.growthStopped.load(kRelaxed);
    if (!data.region.isWhole())
        return sums;
    sums.untraced = facts.untraced.load(kRelaxed);
    sums.birthsOvertaken = facts.birthsOvertaken.load(kRelaxed);
    sums.stationsAllocated = facts.stationsAllocated.load(kRelaxed);
    sums.stationsMax = facts.stationsMax.load(kRelaxed);
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

}  // namespace ct
