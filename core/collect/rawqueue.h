// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything that passes between the collector's thread and the decoder's: raw records, facts about the region, and the
// decoder's requests. No locks: a decoder that the system suspends must not stop the collector.
#pragma once

#include "core/base/relaxed.h"
#include "core/collect/backlogspec.h"
#include "core/collect/chunkpool.h"
#include "core/collect/rawchunk.h"
#include "core/collect/spill.h"
#include "core/collect/stationqueue.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace ct {

/// The collector stores, any thread loads. Relaxed, because each is a value for itself; after the answer to a request
/// they are at least as new as the answer.
struct CollectorFacts {
    std::atomic<std::uint64_t> recordsDropped{0};  ///< by producers, by overwriting, and in holes
    std::atomic<std::uint64_t> recordsInHoles{0};
    std::atomic<std::uint32_t> lanesInUse{0};
    std::atomic<std::uint32_t> lanesShortened{0};
    std::atomic<std::uint32_t> lanesDamaged{0};
    std::atomic<bool> lanesStarved{false};
    std::atomic<double> laneFill{0};
    /// Times in ns of CLOCK_MONOTONIC. The decoder pauses until the first one, and from the second one on: then the
    /// next pass is overdue, because a lane may be a quarter full. Each pass sets both.
    std::atomic<std::uint64_t> pressedUntilNs{0};
    std::atomic<std::uint64_t> dueNs{~std::uint64_t{0}};
    std::atomic<std::uint64_t> untraced{0};  ///< births that got no full station, or are not complete
    std::atomic<std::uint64_t> birthsOvertaken{0};
    std::atomic<std::uint32_t> stationsAllocated{0};
    std::atomic<std::uint32_t> stationsMax{0};
    std::atomic<std::uint64_t> regionBytes{0};
    std::atomic<bool> growthStopped{false};
    std::atomic<bool> unproven{false};  ///< as RunFlags::unproven
    std::atomic<bool> paused{false};

    /// Returns true while lanes fill faster than the collector gets time for. To decode can wait, to collect cannot.
    bool isPressed(std::uint64_t nowNs) const
    {
        return nowNs < pressedUntilNs.load(kRelaxed) || nowNs >= dueNs.load(kRelaxed);
    }
};

/// Everything committed before these times was collected. Each value holds by itself, so they need no lock.
class SettledTimes {
public:
    /// Collector's thread. Two readings of one moment, before a pass that read every lane to its end.
    void set(std::uint64_t ns, std::uint64_t counter)
    {
        m_ns.store(ns, std::memory_order_release);
        m_counter.store(counter, std::memory_order_release);
    }
    /// ns of CLOCK_MONOTONIC. Acquire; partner: set(). Load it before RawLane::collected.
    std::uint64_t ns() const { return m_ns.load(std::memory_order_acquire); }
    /// As ns(), by the machine's counter.
    std::uint64_t counter() const { return m_counter.load(std::memory_order_acquire); }

private:
    std::atomic<std::uint64_t> m_ns{0};
    std::atomic<std::uint64_t> m_counter{0};
};

/// What the decoder wants from the collector. A request is answered by a pass that began after it and read every lane
/// to its end: then all records committed before the request are in the raw lanes.
class CollectorRequests {
public:
    enum Wish : std::uint32_t {
        kLeapHoles = 1,    ///< skip damaged records that hide committed ones
        kEndStations = 2,  ///< read the full stations to the ends that they have now, and no further
        kStopLanes = 4,    ///< the answering pass is the last one over the lanes
    };
    enum class ProcessState : std::uint8_t {
        Live,
        Gone,      ///< its threads have ended, too
        FreeLanes  ///< free its lanes
    };

    explicit CollectorRequests(std::size_t processes) : m_processes(processes) {}

    /// Makes the collector begin a pass soon. Set it before any request; called on the decoder's thread.
    void setWake(std::function<void()> wake) { m_wake = std::move(wake); }

    // Decoder's thread.
    /// Returns the number of the request. `wishes`: a sum of Wish; they stay for ever.
    std::uint64_t request(std::uint32_t wishes = 0)
    {
        m_wishes.fetch_or(wishes, std::memory_order_release);  // partner: wishes()
        const std::uint64_t number = m_wanted.load(std::memory_order_relaxed) + 1;
        m_wanted.store(number, std::memory_order_release);  // partner: wanted()
        m_wake();
        return number;
    }
    bool isAnswered(std::uint64_t number) const { return answered() >= number; }
    /// Takes effect with the next request.
    void setProcess(std::uint32_t index, ProcessState state)
    {
        if (index < m_processes.size())
            m_processes[index].store(state, std::memory_order_relaxed);
    }
    /// While true, the collector makes passes even if there is nothing to collect, because something waits for
    /// SettledTimes.
    void setAwaitsPasses(bool awaits) { m_awaitsPasses.store(awaits, std::memory_order_relaxed); }

    // Collector's thread.
    std::uint64_t wanted() const { return m_wanted.load(std::memory_order_acquire); }  // partner: request()
    /// All wishes so far, perhaps of a request that comes after wanted(). Load them after wanted().
    std::uint32_t wishes() const { return m_wishes.load(std::memory_order_acquire); }  // partner: request()
    ProcessState process(std::uint32_t untrustedIndex) const
    {
        return untrustedIndex < m_processes.size() ? m_processes[untrustedIndex].load(std::memory_order_relaxed)
                                                   : ProcessState::Live;
    }
    void answer(std::uint64_t number) { m_answered.store(number, std::memory_order_release); }  // partner: isAnswered()
    std::uint64_t answered() const { return m_answered.load(std::memory_order_acquire); }       // partner: answer()
    bool awaitsPasses() const { return m_awaitsPasses.load(std::memory_order_relaxed); }

private:
    std::function<void()> m_wake = [] {};
    std::atomic<std::uint64_t> m_wanted{0};
    std::atomic<std::uint64_t> m_answered{0};
    std::atomic<std::uint32_t> m_wishes{0};
    std::atomic<bool> m_awaitsPasses{false};
    std::vector<std::atomic<ProcessState>> m_processes;  ///< by index in the region's table
};

struct RawQueue {
    /// The memory of `backlog` is raised to what the chunks of idle lanes can hold.
    RawQueue(const BacklogSpec &backlog, std::size_t lanesMax, std::size_t processes)
        : pool(std::max<std::uint64_t>(backlog.bytes ? *backlog.bytes : ChunkPool::usualBudget(),
                                       lanesMax * 2 * RawChunk::kBytes)),
          spill(pool, backlog.spillFolder),
          lanes(lanesMax),
          requests(processes)
    {
    }

    ChunkPool pool;
    Spill spill;
    RawLanes lanes;
    StationQueue stations;
    SettledTimes settled;
    CollectorFacts facts;
    CollectorRequests requests;
};

}  // namespace ct
