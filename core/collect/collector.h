// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The collector copies everything that targets write out of a region, before they overwrite it or run out of room. It
// decodes nothing: the decoder does that on another thread, as time allows. So a busy machine costs latency, not
// events. Uses no Qt, because the thread sanitizer has to check it. One thread calls it, while targets write.
// See docs/decisions/0022-collect-then-decode.md.
#pragma once

#include "core/collect/fullstationlist.h"
#include "core/collect/lanecollector.h"
#include "core/collect/rawqueue.h"
#include "core/region/region.h"

#include <cstdint>
#include <optional>

namespace ct {

class Collector {
public:
    /// The region must outlive the collector.
    explicit Collector(Region &region, const BacklogSpec &backlog = {});

    /// The way to the decoder, which is the only one to use it besides the collector.
    RawQueue &queue() { return m_queue; }

    /// Makes one pass over all lanes and live stations, and answers the decoder's requests. Stations are checked for
    /// death in a slower rotation, so an idle station costs one cache line. An idle coroutine with a lane costs
    /// nothing. Returns true if there is something for the decoder.
    bool pass();
    /// Like pass(), but checks every station for death, and makes all periodic checks of the lanes.
    bool safetyPass();
    /// Like pass(), but leaves the stations alone unless the decoder has a request. Costs little while nothing happens.
    bool lanePass();

    /// Announces sleep and makes one more pass (owner only). Stores tracer_sleeping (seq_cst); partners: the probe's
    /// seq_cst store of seq or commit and its load of the flag. Returns true if nothing was found and the caller may
    /// block.
    bool prepareSleep();
    /// Withdraws the announcement of sleep, after a wake-up or a change of the flag.
    void cancelSleep();
    /// Returns true while the announcement stands, and no station was allocated or used again since then.
    bool stillQuiet() const;

    /// Returns false when sleep must not be announced: for observers, while paused, in overwrite mode, and for an
    /// adopted region with version-1 writers. Such a writer would wake an engine that has ended, through its closed
    /// socket, and get SIGPIPE.
    bool mayAnnounceSleep() const;

    /// Returns true if every known writer that is connected sends its byte when it clears the flag.
    bool areWakesSure() const;

    /// Number of processes that write into lanes.
    std::size_t processesWithLanes() const { return m_lanes.processCount(); }

    /// Switches tracing off or on in all processes of this project's probe (tracer_sleeping = kEnginePaused; owner
    /// only). While paused, sleep is not announced.
    void setPaused(bool paused);

    /// Returns true if the latest pass had no memory for everything, or stopped at a full batch.
    bool hasMore() const { return !m_isWhole; }
    /// Returns true if the decoder waits for a pass.
    bool isAwaited() const
    {
        const CollectorRequests &requests = m_queue.requests;
        return requests.wanted() != requests.answered() || requests.awaitsPasses();
    }
    /// How long the next pass may wait, in ns.
    std::uint64_t pauseNs() const;
    std::uint64_t lastPassNs() const { return m_lastPassNs; }  ///< duration of the latest complete pass

private:
    enum class Kind { Usual, Safety, BeforeSleep, LanesOnly };
    /// The request that a pass answers.
    struct Order {
        bool isOpen = false;  ///< the request was not answered before
        std::uint64_t number = 0;
        std::uint32_t wishes = 0;  ///< of this request and all earlier ones
        bool endsStations() const { return (wishes & CollectorRequests::kEndStations) != 0; }
    };

    /// Everything committed before `ns` is collected once the lanes have reached the ends that they had then.
    struct Mark {
        Order order;
        std::uint64_t ns = 0;
        std::uint64_t counter = 0;  ///< the machine's counter at that time
    };

    bool pass(Kind kind);
    void settle(const Mark &reached);
    Order takeOrder() const;
    bool passLanes(Kind kind, const Order &order, std::uint64_t now);
    void press(std::uint64_t now);
    void setDue(std::uint64_t pressedUntilNs, std::uint64_t dueNs);
    bool passStations(Kind kind, const Order &order, std::uint64_t now);
    bool endStations(Batch &batch);
    Allocation allocation(std::memory_order order) const;
    bool hasLanes() const;
    void keepFromWrapping();
    void keepStationsFree(const Order &order, std::uint64_t now);
    void publish();

    Region &m_region;
    RawQueue m_queue;
    LaneCollector m_lanes;
    FullStationList m_stations;
    bool m_isWhole = true;               ///< everything found by the latest pass was collected
    bool m_wantsMark = false;            ///< the next pass makes m_mark
    std::optional<Mark> m_mark;          ///< while memory is too short for whole passes
    bool m_areLanesStopped = false;      ///< as CollectorRequests::kStopLanes demands
    std::uint64_t m_pressedUntilNs = 0;  ///< as CollectorFacts
    std::uint64_t m_pressNs = 0;         ///< how long the latest press() holds
    std::uint64_t m_plannedNs = 0;       ///< when this pass should begin
    std::uint64_t m_statesNs = 0;        ///< time of the latest check of the lanes' states
    std::uint64_t m_gaugedNs = 0;        ///< time of the latest measurement of the lanes
    std::uint64_t m_lastStationsNs = 0;  ///< time of the latest pass over the stations
    std::uint64_t m_lastRotationNs = 0;  ///< time of the latest share of the death rotation
    std::uint64_t m_lastPassNs = 0;
    std::uint32_t m_grownFor = 0;  ///< allocated_count at the latest growth
    std::uint64_t m_lastGrowthNs = 0;
    bool m_growthStopped = false;
    std::uint64_t m_lastBytesNs = 0;
    bool m_isPaused = false;
    bool m_areStationsEnding = false;   ///< the end of every station is decided
    bool m_areStationsDrained = false;  ///< every station was read to its end
    Allocation m_allocation;            ///< at the end of the stations, or at the latest pass
};

}  // namespace ct
