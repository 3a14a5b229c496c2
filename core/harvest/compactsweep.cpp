// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/compactsweep.h"

#include "core/region/freestack.h"

#include <algorithm>

namespace ct {

namespace {

constexpr std::size_t kPart = 16'384;
/// Limit of attempts to copy a station. If it changes that often, later events report its coroutine.
constexpr int kMaxAttempts = 4;

}  // namespace

CompactSweep::CompactSweep(Region &region, Merger &merger) : m_region(region), m_merger(merger) {}

/// Only stations that have memory. Reading others would create pages.
std::size_t CompactSweep::stationCount() const
{
    const corotracer::ExtensionHeader &extension = m_region.header().extension;
    // Acquire; partner: the release by the probe that committed them.
    const std::uint32_t committed_untrusted = extension.compact_stations_committed.load(std::memory_order_acquire);
    const std::uint32_t count_untrusted = extension.compact_station_count.load(std::memory_order_acquire);
    return std::min<std::size_t>({committed_untrusted, count_untrusted, m_region.compactStations().size()});
}

void CompactSweep::start()
{
    m_running = true;
    ++m_started;
    m_readAt = 0;
    m_end = stationCount();
}

void CompactSweep::readPart(Batch &batch)
{
    readTo(std::min(m_readAt + kPart, m_end), batch);
}

void CompactSweep::readWhole(Batch &batch)
{
    start();
    readTo(m_end, batch);
}

void CompactSweep::readTo(std::size_t end, Batch &batch)
{
    const std::span<const corotracer::CompactState> compactStations = m_region.compactStations();
    const std::span<const corotracer::CompactBirth> births = m_region.births();
    m_suspects.clear();
    m_settleAt = 0;
    m_hasPart = true;
    for (; m_readAt < end; ++m_readAt) {
        const auto index = static_cast<std::uint32_t>(m_readAt);
        const std::uint64_t life = compactStations[index].life.load(std::memory_order_acquire);
        if (static_cast<std::uint32_t>(life) == corotracer::kCompactFree)
            continue;
        std::optional<CompactCopy> station;
        for (int attempt = 0; attempt < kMaxAttempts && !station; ++attempt)
            station = readCompact(compactStations[index], births[index]);
        if (!station)
            continue;
        // The station of a dead coroutine must be freed even if all its events and its death were emitted already.
        const bool behind = m_merger.discover(index, *station, batch) && m_merger.isBehind(index, *station);
        if (behind || station->life == corotracer::kCompactDead)
            m_suspects.push_back({index, *station});
    }
}

bool CompactSweep::settlePart(Batch &batch, std::size_t maxTransitions)
{
    for (; m_settleAt < m_suspects.size(); ++m_settleAt) {
        if (batch.transitions.size() >= maxTransitions)
            return false;
        const Suspect &suspect = m_suspects[m_settleAt];
        m_merger.settle(suspect.index, suspect.station, batch);
        if (suspect.station.life == corotracer::kCompactDead && m_region.laneMode() == corotracer::kLanesDiscard)
            freeStation(suspect.index, std::uint64_t{suspect.station.generation} << 32 | corotracer::kCompactDead);
    }
    m_hasPart = false;
    m_running = m_readAt < m_end;
    return true;
}

/// Pushes a compact station on the stack of free ones, unless its `life` has changed.
void CompactSweep::freeStation(std::uint32_t index, std::uint64_t life)
{
    const std::span<corotracer::CompactState> compactStations = m_region.writableCompactStations();
    const std::span<corotracer::CompactBirth> births = m_region.writableBirths();
    if (index >= compactStations.size() || index >= births.size())
        return;
    const std::uint64_t free = (life & ~std::uint64_t{0xFFFF'FFFF}) | corotracer::kCompactFree;
    if (compactStations[index].life.compare_exchange_strong(life, free, std::memory_order_acq_rel,
                                                            std::memory_order_relaxed))
        pushFree(m_region.writableHeader()->extension.free_compact_stations, births[index].next_free, index);
}

void CompactSweep::reclaim(std::uint32_t process, bool last)
{
    const std::span<const corotracer::CompactState> compactStations = m_region.compactStations();
    const std::span<const corotracer::CompactBirth> births = m_region.births();
    if (m_region.laneMode() != corotracer::kLanesDiscard || m_region.writableCompactStations().empty())
        return;
    std::vector<bool> stacked;
    const std::size_t count = stationCount();
    if (last) {
        // No process pushes or pops any more. Walking the stack finds its stations; threads had kept the others.
        stacked.resize(count);
        std::uint32_t next = static_cast<std::uint32_t>(
            m_region.header().extension.free_compact_stations.load(std::memory_order_acquire));
        for (std::size_t steps = 0; next != 0 && next <= count && steps < count; ++steps) {
            stacked[next - 1] = true;
            next = births[next - 1].next_free.load(std::memory_order_relaxed);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto index = static_cast<std::uint32_t>(i);
        // Acquire, before the load of the process. A birth by another process in between changes `life`, and the
        // exchange below fails.
        const std::uint64_t life = compactStations[i].life.load(std::memory_order_acquire);
        if (births[i].process.load(std::memory_order_acquire) != process)
            continue;
        const auto state = static_cast<std::uint32_t>(life);
        const bool lives = state == corotracer::kCompactAlive || state == corotracer::kCompactDead;
        if (lives)
            m_merger.abandon(index);
        if (lives || (last && state == corotracer::kCompactRecycled && !stacked[i]))
            freeStation(index, life);
    }
}

}  // namespace ct
