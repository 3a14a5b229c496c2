// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Turns the events of coroutines into slices: the states on the track of each coroutine, and its runs on the tracks of
// threads. Each coroutine's events come in the order of their numbers; those of different coroutines in any order.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/exporting/viewers/finishorder.h"
#include "core/exporting/viewers/introduced.h"
#include "core/exporting/viewers/pendingwaits.h"
#include "core/exporting/viewers/tracks.h"
#include "core/recording/text/coroutinesums.h"
#include "core/recording/text/namesandparents.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ct::viewers {

/// The id of the flow from a wake to the resumption with number `n`. Never 0.
constexpr std::uint64_t flowOf(CoroutineId id, std::uint64_t n)
{
    return (std::uint64_t{id} + 1) << 32 | (n & 0xFFFF'FFFF);
}

class CoroutineSlices {
public:
    CoroutineSlices(TrackEncoder &encoder, UnitOutput &output, Introduced &introduced, Tracks &tracks,
                    const TrackLimits &limits, std::shared_ptr<ExportResolver> resolver,
                    std::shared_ptr<const Unselected> unselected);

    /// Before everything else of a batch.
    void addBatch(const Batch &batch);
    void consume(const Transition &transition);
    void consume(const Finish &finish);
    void consume(const Death &death);
    void consume(const Flag &flag);
    /// After the transitions of a batch.
    void endBatch();
    /// Ends everything that is still open. `now`: the end of the trace.
    void end(std::uint64_t now);

    struct LeftOut {
        std::uint64_t coroutines = 0;  ///< without a track
        std::uint64_t events = 0;      ///< without a slice on the track of a coroutine
        std::uint64_t waits = 0;       ///< waits that came after the end of their suspension
    };
    const LeftOut &leftOut() const { return m_leftOut; }

private:
    enum class State : std::uint8_t { None, Running, Suspended, Finished, Dead };
    struct Coroutine {
        std::uint64_t since = 0;  ///< begin of the state, as written: not before that of the previous one
        std::uint64_t n = 0;      ///< number of the event that began the state
        std::uint64_t addr = 0;
        Track track;   ///< none: not chosen yet, or beyond a limit
        Track thread;  ///< of the latest event
        LocationId location = 0;
        TextId function = 0;  ///< of the track above
        TextId run = 0;       ///< the name of its runs on threads
        State state = State::None;
        PointKind kind = PointKind::Await;
        bool isLane = false;          ///< the target itself reports wakes, finishes and deaths
        bool hasChosenTrack = false;  ///< `track` is final
        bool isFirst = true;          ///< the state is its first one
        bool hasWait = false;         ///< the wait of the suspension was known when it began
    };
    /// Events of a coroutine whose track is not chosen yet.
    struct Held {
        std::array<Transition, 2> events;
        std::uint32_t count = 0;
    };
    struct Run {
        std::uint32_t thread = 0;  ///< id of its track
        std::uint64_t since = 0;
    };
    /// How a state ends.
    struct End {
        std::uint64_t ts = 0;
        std::uint64_t runTs = 0;    ///< of its run on the thread
        std::string_view why = {};  ///< empty: by the next event
        std::string_view whyRun = {};
        std::uint64_t exactTs = 0;  ///< of the event, if it is earlier than the begin of the state; else 0
        bool isStillOpen = false;
    };

    Coroutine &at(CoroutineId id) { return id < m_coroutines.size() ? m_coroutines[id] : m_withoutBirth; }
    std::optional<Run> presentRun(const Coroutine &coroutine, CoroutineId id);
    void finishBefore(const Coroutine &coroutine, const Transition &transition);
    LocationId locationOf(const Transition &transition);
    LocationId resolved(const Transition &transition);
    bool chooseTrack(Coroutine &coroutine, const Transition &transition);
    void giveTrack(Coroutine &coroutine, CoroutineId id, TextId function, Tracks::Limit limit);
    void chooseTrackByHeld(Coroutine &coroutine, CoroutineId id);
    void writeHeld(Coroutine &coroutine, CoroutineId id);
    void write(Coroutine &coroutine, const Transition &transition);
    char *writeGap(char *at, const Coroutine &coroutine, CoroutineId id, const CoroutineSums::Gap &gap,
                   std::uint64_t ts, bool isStillOpen = false);
    char *begin(char *at, Coroutine &coroutine, const Transition &transition, std::uint64_t ts, const Track &thread,
                LocationId location);
    char *writeEnd(char *at, Coroutine &coroutine, CoroutineId id, const End &end);
    Slice stateSlice(const Coroutine &coroutine, CoroutineId id) const;
    Slice runSlice(const Coroutine &coroutine, CoroutineId id) const;
    void introduce(const Coroutine &coroutine, CoroutineId id, Args &args) const;
    CoroutineSums::Gap lossesAtEnd(CoroutineId id) const;
    char *endBody(char *at, Coroutine &coroutine, CoroutineId id, std::uint64_t ts, const CoroutineSums::Gap &gap,
                  bool isDeath);
    char *beginPieces();
    void endTrace(Coroutine &coroutine, CoroutineId id, std::uint64_t now);
    void showWaiting();

    TrackEncoder &m_encoder;
    UnitOutput &m_output;
    Introduced &m_introduced;
    Tracks &m_tracks;
    const TrackLimits m_limits;
    const std::shared_ptr<ExportResolver> m_resolver;
    const TextId m_running;
    const TextId m_suspended;
    const TextId m_finished;
    CoroutineSums m_sums;
    NamesAndParents m_names;
    PendingWaits m_waits;
    FinishOrder m_finishOrder;
    std::vector<Coroutine> m_coroutines;
    Coroutine m_withoutBirth;
    std::unordered_map<CoroutineId, Held> m_held;
    std::unordered_map<CoroutineId, CoroutineSums::Gap> m_gaps;  ///< sum of each coroutine's gaps
    LeftOut m_leftOut;
};

}  // namespace ct::viewers
