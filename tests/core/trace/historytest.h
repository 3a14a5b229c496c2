// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Support for the tests of History: events whose fields are functions of coroutine and number.
#pragma once

#include "core/trace/history.h"
#include "tests/support/check.h"
#include "tests/support/events.h"

#include <vector>

namespace ct::test {

inline constexpr std::uint64_t kSmallest = 1;  ///< the smallest budget: 3.75 MiB, 262,144 events

inline Birth birth(CoroutineId id, Dialect dialect = Dialect::Seqlock)
{
    Birth born;
    born.coroutine = id;
    born.dialect = dialect;
    return born;
}

inline Transition transition(CoroutineId id, std::uint64_t n, std::uint64_t ts)
{
    const bool active = n % 2 != 0;
    Transition event = eventOf(Dialect::Seqlock, id, n, ts, active, active ? kUnknownSite : 5);
    event.addr = event.active ? 0 : 0x1000 + id;
    event.tid = 40 + id % 3;
    return event;
}

inline void feed(History &history, const Batch &batch)
{
    CHECK(static_cast<bool>(history.consume(batch)));
}

inline std::vector<HistoryEvent> all(const History &history, CoroutineId id)
{
    std::vector<HistoryEvent> events;
    history.forEach(id, [&](const HistoryEvent &event) {
        events.push_back(event);
        return true;
    });
    return events;
}

}  // namespace ct::test
