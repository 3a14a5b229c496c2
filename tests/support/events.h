// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Builds transitions for hand-made streams.
#pragma once

#include "core/stream/stream.h"

namespace ct::test {

/// Event number n of a coroutine. The test adds the address and the thread if it needs them.
inline Transition eventOf(Dialect dialect, CoroutineId id, std::uint64_t n, std::uint64_t ts, bool active,
                          SiteId site = kUnknownSite)
{
    Transition event;
    event.coroutine = id;
    event.n = n;
    event.seq = slotSeq(dialect, n);
    event.ts = ts;
    event.active = active;
    event.site = site;
    return event;
}

}  // namespace ct::test
