// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reorder buffer: events that wait for an earlier number of their coroutine, which may be in another lane. They
// wait until the missing events arrive or are settled as lost. Memory is kept for reuse. Harvest thread only.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ct {

/// How far the events of one generation of a compact station are emitted. 16 bytes, because the hot path reads nothing
/// else about a coroutine.
struct LaneCursor {
    /// The first event was published before the engine attached: events missing before it are missed, not lost.
    static constexpr std::uint32_t kAttached = 1;
    static constexpr std::uint32_t kHeld = 2;   ///< ReorderBuffer has events or a death of this coroutine
    static constexpr std::uint32_t kEnded = 4;  ///< dead, or its process is gone: nothing more is emitted about it
    static constexpr std::uint32_t kFlags = 0xFF;

    std::uint64_t key = 0;  ///< generation (32 bits, high) and the low 32 bits of the next event's number
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t state = kEnded;  ///< high 24 bits of the next event's number << 8 | flags

    std::uint32_t generation() const { return static_cast<std::uint32_t>(key >> 32); }
    std::uint64_t next() const { return std::uint64_t{state >> 8} << 32 | static_cast<std::uint32_t>(key); }
    void setNext(std::uint64_t n)
    {
        key = (key & ~std::uint64_t{0xFFFF'FFFF}) | static_cast<std::uint32_t>(n);
        state = static_cast<std::uint32_t>(n >> 32) << 8 | (state & kFlags);
    }
    bool isBorn() const { return coroutine != kNoCoroutine; }
    bool isEnded() const { return (state & kEnded) != 0; }
};
static_assert(sizeof(LaneCursor) == 16);

/// The waiting events and the death of one generation of a station.
struct Hold {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::uint64_t identity = 0;
    LaneCursor own;             ///< used if `detached`: the station's cursor belongs to another generation
    std::uint64_t barrier = 0;  ///< number of the barrier in progress when this was made
    std::uint64_t deathN = 0;   ///< number of events at death; without hasDeath, 0 = unknown
    std::uint64_t deathTs = 0;  ///< ns; without hasDeath, a time by which the coroutine has died, or 0
    std::uint64_t deathBarrier = 0;
    std::uint32_t first = kNone;  ///< waiting events, linked by number
    std::uint32_t last = kNone;
    std::uint32_t hint = kNone;  ///< the event that was inserted last
    std::uint32_t pid = 0;       ///< process of the first lane that named the coroutine
    bool detached = false;
    bool hasDeath = false;
    bool queued = false;   ///< waits until the watermark passes its time
    bool waiting = false;  ///< waits for the next barrier
    bool used = false;
};

class ReorderBuffer {
public:
    struct Event {
        Transition transition;
        std::uint64_t barrier = 0;  ///< number of the barrier in progress when the event was read
        std::uint32_t next = Hold::kNone;
    };

    /// References stay valid until erase().
    Hold *find(std::uint64_t identity);
    Hold &make(std::uint64_t identity, std::uint64_t barrier);
    void erase(Hold &hold);  ///< also erases the events

    /// Returns false if an event of this number is there already, or if too many events are out of order.
    bool insert(Hold &hold, const Transition &transition, std::uint64_t barrier);
    const Event *first(const Hold &hold) const { return hold.first == Hold::kNone ? nullptr : &m_events[hold.first]; }
    const Event *last(const Hold &hold) const { return hold.last == Hold::kNone ? nullptr : &m_events[hold.last]; }
    void popFirst(Hold &hold);
    /// Finds the greatest number that was read before `barrier` began. Returns false if there is none.
    bool newestBefore(const Hold &hold, std::uint64_t barrier, std::uint64_t &n) const;

    /// Sets `end` to one past the last of the leading events older than `ns` (nanoseconds). Leaves it unchanged if
    /// there is none.
    void newestUntil(const Hold &hold, std::uint64_t ns, std::uint64_t &end) const;

    std::size_t size() const { return m_holds.size() - m_freeHolds.size(); }

    /// Calls `visit` with each hold. The call may erase that hold, and make others.
    template <class Visit>
    void each(Visit visit)
    {
        for (std::size_t i = 0; i < m_holds.size(); ++i) {
            if (m_holds[i].used)
                visit(m_holds[i]);
        }
    }

private:
    std::size_t placeOf(std::uint64_t identity) const;
    void grow();

    std::deque<Hold> m_holds;
    std::vector<std::uint32_t> m_freeHolds;
    std::vector<Event> m_events;
    std::uint32_t m_freeEvents = Hold::kNone;
    std::vector<std::uint32_t> m_table;  ///< open addressing by identity: index into m_holds + 1, 0 = empty
};

}  // namespace ct
