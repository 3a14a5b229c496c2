// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the evicted events of single coroutines from the recording. A recording is in stream order, so one pass over it
// reads a group of coroutines with neighbouring ids, as many as fit. It reads only the blocks between the first and the
// last evicted event of the group that can have events in the wanted times.
#pragma once

#include "core/exporting/exportedcoroutines.h"
#include "core/query/recordedblocks.h"

#include <array>
#include <span>
#include <vector>

namespace ct::query {

/// The times of the events that a scan needs, ns: from <= ts <= to.
struct Times {
    static constexpr std::uint64_t kLatest = ~std::uint64_t{0};
    std::uint64_t from = 0;
    std::uint64_t to = kLatest;
    bool areAll() const { return from == 0 && to == kLatest; }
};

/// For one query, on its thread. Memory does not grow with the length of the recording.
class RecordedEvents {
public:
    /// Events in memory at once: two groups, so that two scans do not compete for one.
    static constexpr std::size_t kMostEvents = std::size_t{1} << 21;

    /// Both must outlive this object.
    RecordedEvents(RecordedBlocks &blocks, const ExportedCoroutines &coroutines)
        : m_blocks(blocks), m_coroutines(coroutines)
    {
    }

    /// Consecutive events of one coroutine. `seq` is the position in the stream.
    struct Piece {
        const Transition *events = nullptr;
        std::span<const std::uint32_t> order;  ///< indexes in `events`; empty: no evicted event follows
    };
    /// Returns the next evicted events of a coroutine from the stream position `position` on: all those in `times`, and
    /// perhaps others. `end`: coroutines from here on will not be needed soon. Valid until the next call.
    Piece next(CoroutineId id, std::uint64_t position, CoroutineId end, const Times &times = {});

private:
    struct Group {
        CoroutineId first = 0;
        CoroutineId end = 0;
        std::uint64_t from = 0;   ///< position in the stream
        std::uint64_t until = 0;  ///< position in the stream
        bool isWhole = true;      ///< false: events from `until` on did not fit
        std::uint64_t used = 0;
        Transitions events;
        std::vector<std::uint32_t> order;   ///< by coroutine, then as in the stream
        std::vector<std::uint32_t> begins;  ///< in `order`, by coroutine; and the end of the last one
        bool has(CoroutineId id, std::uint64_t position) const
        {
            return id >= first && id < end && position >= from && position < until;
        }
    };
    History::Positions positionsOf(const Times &times) const;
    const Group &groupWith(CoroutineId id, std::uint64_t position, CoroutineId end, const History::Positions &wanted);
    void load(Group &group, CoroutineId end);
    CoroutineId chooseEnd(const Group &group, CoroutineId end, History::Positions &positions) const;
    void makeFit(Group &group) const;
    static void putInOrder(Group &group);

    RecordedBlocks &m_blocks;
    const ExportedCoroutines &m_coroutines;
    std::array<Group, 2> m_groups;
    std::uint64_t m_calls = 0;
    bool m_hasLoaded = false;  ///< the query reads more than one group
};

}  // namespace ct::query
