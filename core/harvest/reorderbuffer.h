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

/// Progress of one generation of a compact station: how far its events are emitted. 16 bytes, because the hot path
/// reads nothing else about a coroutine.
struct LaneCursor {
    /// The first event was published before the engine attached: events missing before it are missed, not lost.
    static constexpr std::uint32_t kAttached = 1;
    static constexpr std::uint32_t kBuffered = 2;  ///< ReorderBuffer has events or a death of this coroutine
    static constexpr std::uint32_t kEnded = 4;     ///< dead, or its process is gone: nothing more is emitted about it
    static constexpr std::uint32_t kFinished = 8;  ///< its finish is emitted
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
    bool isDiscovered() const { return coroutine != kNoCoroutine; }
    bool isEnded() const { return (state & kEnded) != 0; }
};
static_assert(sizeof(LaneCursor) == 16);

/// The waiting events and the death of one generation of a station.
struct WaitList {
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
        std::uint32_t next = WaitList::kNone;
    };

    /// References stay valid until erase().
    WaitList *findWaitList(std::uint64_t identity);
    WaitList &make(std::uint64_t identity, std::uint64_t barrier);
    void erase(WaitList &waitList);  ///< with its events

    /// Returns false if an event of this number is there already, or if too many events are out of order.
    bool insert(WaitList &waitList, const Transition &transition, std::uint64_t barrier);
    const Event *first(const WaitList &waitList) const
    {
        return waitList.first == WaitList::kNone ? nullptr : &m_events[waitList.first];
    }
    const Event *last(const WaitList &waitList) const
    {
        return waitList.last == WaitList::kNone ? nullptr : &m_events[waitList.last];
    }
    void popFirst(WaitList &waitList);
    /// Finds the greatest number that was read before `barrier` began. Returns false if there is none.
    bool newestBefore(const WaitList &waitList, std::uint64_t barrier, std::uint64_t &n) const;

    /// Sets `end` to one past the last of the leading events older than `ns` (nanoseconds). Leaves it unchanged if
    /// there is none.
    void newestUntil(const WaitList &waitList, std::uint64_t ns, std::uint64_t &end) const;

    std::size_t size() const { return m_waitLists.size() - m_freeWaitLists.size(); }

    /// Calls `visit` with each wait list. The call may erase that wait list, and make others.
    template <class Visit>
    void each(Visit visit)
    {
        for (std::size_t i = 0; i < m_waitLists.size(); ++i) {
            if (m_waitLists[i].used)
                visit(m_waitLists[i]);
        }
    }

private:
    std::size_t tableIndexOf(std::uint64_t identity) const;
    void grow();

    std::deque<WaitList> m_waitLists;
    std::vector<std::uint32_t> m_freeWaitLists;
    std::vector<Event> m_events;
    std::uint32_t m_freeEvents = WaitList::kNone;
    std::vector<std::uint32_t> m_table;  ///< open addressing by identity: index into m_waitLists + 1, 0 = empty
};

}  // namespace ct
