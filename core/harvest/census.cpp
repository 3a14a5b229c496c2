// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/census.h"

#include "core/region/plausiblesum.h"

#include <algorithm>

namespace ct {

namespace {

/// Readings of a station before its counts are used as they are. A birth is far shorter than so many readings.
constexpr int kMaxReadings = 256;

}  // namespace

Census::Count &Census::Count::operator+=(const Count &other)
{
    generations += other.generations;
    events += other.events;
    return *this;
}

Census::Count Census::Count::without(const Count &other) const
{
    return {generations - std::min(generations, other.generations), events - std::min(events, other.events)};
}

Census::Census(const Region &region, std::size_t stations, std::span<const LaneCursor> cursors, const Count &emitted,
               CoroutineId firstNew)
    : m_emitted(emitted), m_firstNew(firstNew)
{
    m_stations.reserve(stations);
    for (std::size_t index = 0; index < stations; ++index) {
        m_stations.push_back(countStation(region.compactStations()[index], region.births()[index]));
        if (index >= cursors.size())
            continue;
        const Station &station = m_stations.back();
        const LaneCursor &cursor = cursors[index];
        if (!cursor.isDiscovered() || cursor.generation() != station.generation)
            continue;
        // If a thread is killed in the middle of an event, only the lane has it, not the CompactState.
        if (cursor.next() > station.events)
            m_emitted.events -= std::min(m_emitted.events, cursor.next() - station.events);
        if (!cursor.isEnded())
            m_olderLimits.emplace(cursor.coroutine, station.events);
    }
}

/// Adds the counts of one compact station to the sums, and returns the counts of its latest generation.
Census::Station Census::countStation(const corotracer::CompactState &state, const corotracer::CompactBirth &birth)
{
    std::uint64_t life = 0;
    std::uint64_t events = 0;
    std::uint64_t before = 0;
    bool isClaimed = false;
    for (int readings = 0; readings < kMaxReadings; ++readings) {
        // Acquire, all loads; partners: the release stores of the thread that claims the station, and of its events.
        life = state.life.load(std::memory_order_acquire);
        const std::uint64_t seq = state.seq.load(std::memory_order_acquire);
        before = birth.events_before.load(std::memory_order_acquire);
        events = seq / 2;
        // Claimed, but not born: the birth is moving the count in `seq` to events_before. This state is short, unless
        // its thread was killed.
        isClaimed = static_cast<std::uint32_t>(life) == corotracer::kCompactFree && life >> 32 != 0;
        if (!isClaimed && state.life.load(std::memory_order_relaxed) == life)
            break;
    }
    const std::uint64_t generations = (life >> 32) - (isClaimed ? 1 : 0);
    m_ever.generations += generations;
    if (events >= kImplausibleSum || before >= kImplausibleSum)
        return {kAll, kAll, static_cast<std::uint32_t>(generations)};
    m_ever.events += events + before;
    return {isClaimed ? kAll : events, isClaimed ? kAll : before, static_cast<std::uint32_t>(generations)};
}

std::uint64_t Census::limitOf(CoroutineId coroutine) const
{
    if (coroutine >= m_firstNew)
        return coroutine - m_firstNew < m_limits.size() ? m_limits[coroutine - m_firstNew] : 0;
    const auto older = m_olderLimits.find(coroutine);
    return older != m_olderLimits.end() ? older->second : kAll;
}

void Census::addEmitted(const Batch &batch, const BatchMark &since)
{
    for (std::size_t i = since.births; i < batch.births.size(); ++i) {
        const Birth &birth = batch.births[i];
        if (birth.dialect != Dialect::Lane || birth.coroutine < m_firstNew)
            continue;
        // Born after the census, or in a station that was not used then: the census has none of its events.
        const std::size_t index = birth.station - corotracer::kCompactBase;
        const Station station = index < m_stations.size() ? m_stations[index] : Station{0, 0, 0};
        m_limits.resize(std::max<std::size_t>(m_limits.size(), birth.coroutine - m_firstNew + 1), 0);
        m_limits[birth.coroutine - m_firstNew] = birth.generation < station.generation    ? kAll
                                                 : birth.generation == station.generation ? station.events
                                                                                          : 0;
        m_emitted.generations += birth.generation <= station.generation;
    }
    for (std::size_t i = since.losses; i < batch.losses.size(); ++i) {
        const Loss &loss = batch.losses[i];
        const std::uint64_t limit = limitOf(loss.coroutine);
        m_emitted.events += limit > loss.firstN ? std::min(loss.count, limit - loss.firstN) : 0;
    }
    for (std::size_t i = since.transitions; i < batch.transitions.size(); ++i)
        m_emitted.events += batch.transitions[i].n < limitOf(batch.transitions[i].coroutine);
}

Census::Count countOf(const Batch &batch, const BatchMark &since)
{
    Census::Count count{batch.births.size() - since.births, batch.transitions.size() - since.transitions};
    for (std::size_t i = since.losses; i < batch.losses.size(); ++i)
        count.events += batch.losses[i].count;
    return count;
}

}  // namespace ct
