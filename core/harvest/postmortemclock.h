// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The time of a post-mortem reading, which stands still at the latest event. A source uses the present where it has no
// time from the target. This clock replaces such times by the time of the latest event.
#pragma once

#include "core/stream/stream.h"

#include <algorithm>

namespace ct {

class PostMortemClock {
public:
    /// Adapts a batch. Call it with every batch of the run, in order, as its source made it. `present` in ns of
    /// CLOCK_MONOTONIC: events with later times are not believed.
    void apply(Batch &batch, std::uint64_t present)
    {
        const auto consider = [this, present](std::uint64_t ts) {
            if (ts < present)
                m_latest = std::max(m_latest, ts);
        };
        for (const Process &process : batch.notes.processes)
            consider(process.ts);
        for (const Birth &birth : batch.births)
            consider(birth.birthTs);
        for (const Transition &transition : batch.transitions)
            consider(transition.ts);
        for (const Death &death : batch.deaths)
            consider(death.ts);
        for (const Wake &wake : batch.notes.wakes)
            consider(wake.ts);
        for (const Use &use : batch.notes.uses)
            consider(use.ts);
        for (const WakersLeft &left : batch.notes.wakersLeft)
            consider(left.ts);
        for (const Finish &finish : batch.notes.finishes)
            consider(finish.ts);
        for (Process &process : batch.notes.processes)
            process.ts = std::min(process.ts, m_latest);
        for (Death &death : batch.deaths)
            death.ts = std::min(death.ts, m_latest);
        for (ProcessEnd &end : batch.notes.processEnds)
            end.ts = std::min(end.ts, m_latest);
        for (Drop &drop : batch.notes.drops) {
            drop.firstTs = std::min(drop.firstTs, m_latest);
            drop.lastTs = std::min(drop.lastTs, m_latest);
        }
        batch.now = m_latest;
    }

    /// ns, CLOCK_MONOTONIC, of the latest event so far; 0 = there was none.
    std::uint64_t latest() const { return m_latest; }

private:
    std::uint64_t m_latest = 0;
};

}  // namespace ct
