// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/collector.h"

#include "core/base/monotonic.h"
#include "core/region/plausiblesum.h"
#include "core/region/processfence.h"
#include "corotracer/clock.h"

#include <algorithm>

namespace ct {

namespace {

using corotracer::GlobalHeader;

constexpr std::uint64_t kStatesEveryNs = 500'000;   ///< interval in which closed lanes are freed
constexpr std::uint64_t kGaugeEveryNs = 5'000'000;  ///< interval in which the fill of lanes is measured
/// Each station is checked for death once in this time.
constexpr std::uint64_t kRotationNs = 250'000'000;
/// From here on, allocated_count might wrap before the next pass.
constexpr std::uint32_t kNearWrap = 1U << 31;
constexpr std::uint32_t kWrapStep = 1U << 30;
/// ns between two passes over the stations while lanes are busy
constexpr std::uint64_t kStationGapNs = 500'000;
constexpr std::uint64_t kGrowthRetryNs = 250'000'000;
constexpr std::uint64_t kBytesEveryNs = 100'000'000;
/// Pauses between passes. Polling the cache lines that a target writes slows the target, and each pass over a lane may
/// take a switch between threads. But no lane may be full to more than an eighth, even at one record in 20 ns.
constexpr std::uint64_t kShortestPauseNs = 100'000;
constexpr std::uint64_t kLongestPauseNs = 1'000'000;
constexpr std::uint64_t kRecordNs = 20;
constexpr std::uint64_t kNever = ~std::uint64_t{0};
/// A pass that begins so long after it was planned came late: the system ran other threads.
constexpr std::uint64_t kLateNs = 2'000'000;
/// How long the decoder pauses after such a pass, if the pass found a lane more than an eighth full. If this happens
/// again soon after the pause, the next pause is twice as long, up to the longest.
constexpr std::uint64_t kShortestPressNs = 20'000'000;
constexpr std::uint64_t kLongestPressNs = 1'000'000'000;

std::uint64_t wrappedIn(const corotracer::ExtensionHeader &extension)
{
    // Relaxed: a sum for display, which publishes nothing.
    const std::uint64_t wrapped_untrusted = extension.allocated_wrapped.load(std::memory_order_relaxed);
    return wrapped_untrusted % kWrapStep == 0 ? plausible(wrapped_untrusted) : 0;
}

}  // namespace

Collector::Collector(Region &region, const BacklogSpec &backlog)
    : m_region(region),
      m_queue(backlog, region.laneDirectory().size(), region.processes().size()),
      m_lanes(region, m_queue),
      m_stations(region),
      m_lastRotationNs(monotonicNow())
{
    if (region.isAdopted())
        m_stations.setAttached(allocation(std::memory_order_acquire));
}

bool Collector::hasLanes() const
{
    // An observer must not read lanes: another engine frees their slots.
    return m_region.laneMode() != corotracer::kLanesNone && m_region.access() != RegionAccess::Observer;
}

Allocation Collector::allocation(std::memory_order order) const
{
    const GlobalHeader &header = m_region.header();
    Allocation now;
    now.count = header.allocated_count.load(order);
    now.max = std::min(header.max_stations.load(std::memory_order_acquire), m_region.stationCapacity());
    if (m_region.hasExtension())
        now.wrapped = wrappedIn(header.extension);
    return now;
}

/// Keeps allocated_count from wrapping to small indices. A wrap would assign stations twice.
void Collector::keepFromWrapping()
{
    GlobalHeader *const header = m_region.writableHeader();
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

/// Keeps stations free for version-1 probes, and measures the region's memory.
void Collector::keepStationsFree(const Order &order, std::uint64_t now)
{
    // Relaxed: the count publishes nothing.
    const std::uint32_t count = m_region.header().allocated_count.load(std::memory_order_relaxed);
    if (count != m_grownFor || (m_growthStopped && now - m_lastGrowthNs >= kGrowthRetryNs)) {
        m_grownFor = count;
        m_lastGrowthNs = now;
        m_growthStopped = !m_region.growStations();
    }
    if (now - m_lastBytesNs >= kBytesEveryNs || order.endsStations()) {
        m_lastBytesNs = now;
        m_queue.facts.regionBytes.store(m_region.committedBytes(), kRelaxed);
    }
}

bool Collector::pass()
{
    return pass(Kind::Usual);
}

bool Collector::safetyPass()
{
    return pass(Kind::Safety);
}

bool Collector::lanePass()
{
    return pass(Kind::LanesOnly);
}

bool Collector::pass(Kind kind)
{
    const Order order = takeOrder();
    const std::uint64_t now = monotonicNow();
    const Mark mark{order, now, corotracer::detail::read_counter()};
    if (!m_region.isWhole()) {
        m_isWhole = true;
        setDue(0, kNever);
        m_queue.settled.set(mark.ns, mark.counter);  // there is nothing more to collect
        m_queue.requests.answer(order.number);
        return order.isOpen || m_queue.requests.awaitsPasses();
    }
    keepStationsFree(order, now);
    if (m_wantsMark)
        m_mark = mark;
    bool any = passLanes(kind, order, now);
    // Busy lanes have priority: a pass over the stations may take longer than the lanes have room for.
    if (order.isOpen || (kind != Kind::LanesOnly && (m_isWhole || now - m_lastStationsNs >= kStationGapNs)))
        any = passStations(kind, order, now) || any;
    publish();
    if (m_isWhole)
        settle(mark);
    else if (m_mark && m_lanes.reachedEnds())
        settle(*m_mark);
    m_wantsMark = !m_isWhole && !m_mark;
    m_plannedNs = monotonicNow() + pauseNs();
    return any || order.isOpen || m_queue.requests.awaitsPasses();
}

/// Publishes that everything from before the mark is collected.
void Collector::settle(const Mark &reached)
{
    const Mark mark = reached;  // it may be m_mark
    m_mark.reset();
    if (mark.order.endsStations() && !m_areStationsDrained)
        return;
    m_areLanesStopped = (mark.order.wishes & CollectorRequests::kStopLanes) != 0;
    m_queue.settled.set(mark.ns, mark.counter);
    m_queue.requests.answer(mark.order.number);
}

/// Call it before everything else in a pass: then the pass finds all that was committed before the request.
Collector::Order Collector::takeOrder() const
{
    Order order;
    order.number = m_queue.requests.wanted();
    order.isOpen = order.number != m_queue.requests.answered();
    order.wishes = m_queue.requests.wishes();
    return order;
}

/// Returns true if there is something for the decoder.
bool Collector::passLanes(Kind kind, const Order &order, std::uint64_t now)
{
    m_isWhole = true;
    if (!hasLanes() || m_areLanesStopped) {
        setDue(0, kNever);
        return false;
    }
    if ((order.wishes & CollectorRequests::kLeapHoles) != 0)
        m_lanes.leapHoles();
    const bool stops = (order.wishes & CollectorRequests::kStopLanes) != 0;
    const bool all = kind == Kind::Safety || order.isOpen || stops;
    const bool states = all || now - m_statesNs >= kStatesEveryNs;
    if (states)
        m_statesNs = now;
    m_lanes.refresh(states, now);
    if (all || now - m_gaugedNs >= kGaugeEveryNs) {
        m_gaugedNs = now;
        m_lanes.gauge(now);
    }
    if (m_wantsMark)
        m_lanes.markEnds();
    m_isWhole = m_lanes.collect();
    if (m_lanes.isPressed() && now > m_plannedNs + kLateNs)
        press(now);
    // Without memory, only the decoder can help.
    if (m_isWhole)
        setDue(m_pressedUntilNs, kind == Kind::Usual ? now + m_lanes.timeToQuarterNs() : kNever);
    else
        setDue(0, kNever);
    if (order.isOpen)
        m_isWhole = m_lanes.freeLanesOfGone() && m_isWhole;
    return m_lanes.hasCollected();
}

void Collector::press(std::uint64_t now)
{
    const bool again = now < m_pressedUntilNs + m_pressNs;
    m_pressNs = again ? std::min(2 * m_pressNs, kLongestPressNs) : kShortestPressNs;
    m_pressedUntilNs = now + m_pressNs;
}

void Collector::setDue(std::uint64_t pressedUntilNs, std::uint64_t dueNs)
{
    m_queue.facts.pressedUntilNs.store(pressedUntilNs, kRelaxed);
    m_queue.facts.dueNs.store(dueNs, kRelaxed);
}

/// Returns true if there is something for the decoder.
bool Collector::passStations(Kind kind, const Order &order, std::uint64_t now)
{
    if (m_areStationsDrained || m_queue.stations.isFull())
        return false;
    m_lastStationsNs = now;
    Batch &batch = m_queue.stations.spare().batch;
    batch.now = now;
    if (order.endsStations()) {
        m_areStationsDrained = endStations(batch);
        return m_queue.stations.push();
    }
    keepFromWrapping();
    m_stations.noticeReuse();
    const bool all = kind != Kind::Usual;
    // seq_cst before sleep; partner: the seq_cst announcement. A birth is seen either here or by stillQuiet().
    m_allocation = allocation(kind == Kind::BeforeSleep ? std::memory_order_seq_cst : std::memory_order_acquire);
    m_stations.discover(m_allocation, all, batch);
    const bool whole = kind == Kind::BeforeSleep
                           ? m_stations.readLive<std::memory_order_seq_cst>(batch, StationQueue::kMostInBatch)
                           : m_stations.readLive<std::memory_order_acquire>(batch, StationQueue::kMostInBatch);
    m_stations.readFaulty(batch);
    if (whole)
        m_lastPassNs = monotonicNow() - now;
    const std::uint64_t elapsed = std::min(now - m_lastRotationNs, kRotationNs);
    const std::uint64_t share = m_stations.rotationSize() * elapsed / kRotationNs + 1;
    m_lastRotationNs = now;
    m_stations.rotate(kind == Kind::Safety ? m_stations.rotationSize() : share, batch, StationQueue::kMostInBatch);
    if (whole && kind == Kind::Safety)
        m_lastPassNs = monotonicNow() - now;
    return m_queue.stations.push();
}

/// Reads the next part of the stations, up to the ends that they had at the first call. Returns true after the last
/// part.
bool Collector::endStations(Batch &batch)
{
    if (!m_areStationsEnding) {
        m_areStationsEnding = true;
        cancelSleep();
        m_stations.noticeReuse();
        m_allocation = allocation(std::memory_order_acquire);
        m_stations.discover(m_allocation, true, batch);
        m_stations.decideEnd();
    }
    return m_stations.drainToEnd(batch, StationQueue::kMostInBatch);
}

bool Collector::mayAnnounceSleep() const
{
    // A flight recorder has no socket, and its probe has no fence.
    return m_region.access() == RegionAccess::Owner && !m_isPaused && !m_areStationsEnding &&
           m_region.laneMode() != corotracer::kLanesOverwrite && !(m_region.isAdopted() && m_stations.hasUnmarked());
}

bool Collector::areWakesSure() const
{
    return !m_stations.hasUnmarked() && m_stations.pendingBirths() == 0;
}

bool Collector::prepareSleep()
{
    GlobalHeader *const header = m_region.writableHeader();
    if (!header || !mayAnnounceSleep() || !m_region.isWhole()) {
        pass(Kind::Usual);
        return false;
    }
    // The store is seq_cst, and so are the loads after it: of seq in the pass over the stations, of commit in
    // isQuiet(). Partners: the probe's seq_cst store of seq or commit, then its seq_cst load of this flag. These four
    // accesses have one order: either this engine sees the event, or the probe sees the flag.
    header->tracer_sleeping.store(corotracer::kEngineSleeps, std::memory_order_seq_cst);
    // Registered probes of such a region store with release and load plainly. This call is the fence between the two.
    if (header->extension.engine_fences != 0 && !fenceProcesses()) {
        cancelSleep();
        pass(Kind::Usual);
        return false;
    }
    const bool any = pass(Kind::BeforeSleep);
    if (!any && m_isWhole && !isAwaited() && !m_queue.stations.isFull() && (!hasLanes() || m_lanes.isQuiet()))
        return true;
    cancelSleep();
    return false;
}

void Collector::setPaused(bool paused)
{
    m_isPaused = paused;
    m_queue.facts.paused.store(paused, kRelaxed);
    // Release; partner: the loads of the flag by probes after each event. Each thread reacts at its next event.
    if (GlobalHeader *const header = m_region.writableHeader(); header && m_region.isWhole())
        header->tracer_sleeping.store(paused ? corotracer::kEnginePaused : corotracer::kEngineAwake,
                                      std::memory_order_release);
}

void Collector::cancelSleep()
{
    // Relaxed: a probe that still sees 1 only sends a superfluous byte.
    if (GlobalHeader *const header = m_region.writableHeader(); header && m_region.isWhole())
        header->tracer_sleeping.store(m_isPaused ? corotracer::kEnginePaused : corotracer::kEngineAwake,
                                      std::memory_order_relaxed);
}

bool Collector::stillQuiet() const
{
    if (!m_region.isWhole())
        return false;
    // Acquire; partner: the compare-exchange to 0 by the probe that wakes the engine, which follows its event.
    return m_region.header().tracer_sleeping.load(std::memory_order_acquire) == corotracer::kEngineSleeps &&
           m_stations.isReuseNoticed() && m_stations.isDiscovered(allocation(std::memory_order_acquire));
}

std::uint64_t Collector::pauseNs() const
{
    if (m_lanes.isUrgent() && !m_areLanesStopped && m_region.isWhole())
        return std::min(kShortestPauseNs, m_lanes.smallestCapacity() / 8 * kRecordNs);
    if (m_stations.rotationSize() != 0 || m_stations.pendingBirths() != 0)
        return kShortestPauseNs;
    return std::clamp(m_lanes.smallestCapacity() / 8 * kRecordNs, kShortestPauseNs, kLongestPauseNs);
}

void Collector::publish()
{
    CollectorFacts &facts = m_queue.facts;
    if (hasLanes())
        m_lanes.publish();
    const std::uint64_t untraced = m_stations.pendingBirths() + m_allocation.beyond();
    facts.untraced.store(untraced, kRelaxed);
    // A refused probe of the extension offers further stations itself, so its birth is traced after all.
    facts.birthsOvertaken.store(std::min(m_region.overtakenBirths(), untraced), kRelaxed);
    facts.stationsAllocated.store(std::min(m_allocation.count, m_allocation.max), kRelaxed);
    facts.stationsMax.store(m_region.hasExtension() && !m_growthStopped ? m_region.stationCapacity() : m_allocation.max,
                            kRelaxed);
    facts.growthStopped.store(m_growthStopped, kRelaxed);
    facts.unproven.store(m_stations.isUnproven(), kRelaxed);
}

}  // namespace ct
