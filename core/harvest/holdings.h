// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Events that came before others of their coroutine which lie in another lane: kept, in order of number, until what is
// missing came or is known to be lost. Harvest thread only; memory is kept for reuse.
#pragma once

#include "core/trace/stream.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ct {

/// How far one generation of a compact station was told. 16 bytes: the hot path reads nothing else of a coroutine.
struct LaneCursor {
    /// First event was there when we attached: what is missing before it was missed, not lost.
    static constexpr std::uint32_t kAttached = 1;
    static constexpr std::uint32_t kHeld = 2;   ///< Holdings has events or a death of it
    static constexpr std::uint32_t kEnded = 4;  ///< dead, or its process is gone: nothing of it is told any more
    static constexpr std::uint32_t kFlags = 0xFF;

    std::uint64_t key = 0;  ///< generation (32, high) | low half of the number of the next event
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t state = kEnded;  ///< high 24 bits of that number << 8 | flags

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

/// What is held of one generation.
struct Hold {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::uint64_t identity = 0;
    LaneCursor own;             ///< detached: the station's entry belongs to another generation
    std::uint64_t barrier = 0;  ///< in progress when it was made
    std::uint64_t deathN = 0;   ///< events it had when it died; without hasDeath: 0 = unknown
    std::uint64_t deathTs = 0;  ///< ns; without hasDeath: a time by which it must have died, or 0
    std::uint64_t deathBarrier = 0;
    std::uint32_t first = kNone;  ///< held events, by number
    std::uint32_t last = kNone;
    std::uint32_t hint = kNone;  ///< the one that was inserted latest
    std::uint32_t pid = 0;       ///< of the first lane that named it
    bool detached = false;
    bool hasDeath = false;
    bool queued = false;   ///< waits for its time to be past
    bool waiting = false;  ///< for the next barrier
    bool used = false;
};

class Holdings {
public:
    struct Event {
        Transition transition;
        std::uint64_t barrier = 0;  ///< in progress when it was read
        std::uint32_t next = Hold::kNone;
    };

    /// References stay valid until erase().
    Hold *find(std::uint64_t identity);
    Hold &make(std::uint64_t identity, std::uint64_t barrier);
    void erase(Hold &hold);  ///< with its events

    /// False: it holds an event of that number, or too many are out of order.
    bool insert(Hold &hold, const Transition &transition, std::uint64_t barrier);
    const Event *first(const Hold &hold) const { return hold.first == Hold::kNone ? nullptr : &m_events[hold.first]; }
    const Event *last(const Hold &hold) const { return hold.last == Hold::kNone ? nullptr : &m_events[hold.last]; }
    void popFirst(Hold &hold);
    /// The greatest number held that was read before `barrier` began; false: none.
    bool newestBefore(const Hold &hold, std::uint64_t barrier, std::uint64_t &n) const;

    /// One past the last of the first numbers that are from before `ns`; unchanged: none.
    void newestUntil(const Hold &hold, std::uint64_t ns, std::uint64_t &end) const;

    std::size_t size() const { return m_holds.size() - m_freeHolds.size(); }

    /// Calls `visit` with each hold; it may erase that one, and make others.
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
