// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Emits the events, losses and the death of one coroutine, in the order of its numbers. Harvest thread only.
#pragma once

#include "core/harvest/harveststate.h"
#include "core/harvest/mergemode.h"
#include "core/harvest/pendingdeaths.h"
#include "core/harvest/reorderbuffer.h"

#include <cstdint>

namespace ct {

/// The state of one generation: the station's own cursor, or a detached one in its WaitList.
struct CoroutineEntry {
    LaneCursor *cursor = nullptr;
    WaitList *waitList = nullptr;
};

/// Marks a transition whose record an earlier engine had read, until the transition is emitted.
inline constexpr CoroutineId kDrained = kNoCoroutine - 1;

/// Returns `ts` (ns), limited to the present. A record may be younger than the pass that reads it, so batch.now is too
/// early as a limit.
std::uint64_t dueAt(std::uint64_t ts, const Batch &batch);

class CoroutineOutput {
public:
    CoroutineOutput(const MergeMode &mode, HarvestState &harvestState, ReorderBuffer &reorderBuffer,
                    PendingDeaths &deaths);

    void emit(LaneCursor &cursor, const Transition &transition, Batch &batch);
    /// Reports the numbers [next, end) as lost or missed.
    void reportLoss(LaneCursor &cursor, std::uint64_t end, Batch &batch);
    /// Emits the waiting events below `end`, with losses between them, and the events that follow without a gap.
    void release(const CoroutineEntry &entry, std::uint64_t end, Batch &batch);
    /// After release(): ends a coroutine that is dead, or erases a wait list that is empty.
    void endOrErase(const CoroutineEntry &entry, Batch &batch);
    /// Adds a pending death: unread lanes may still have the birth or notes. The death is due when these were read.
    /// Where times are not believed, it is due when every lane was read up to the present.
    void addDeath(const CoroutineEntry &entry, std::uint64_t identity, std::uint64_t ts, Batch &batch);

private:
    const MergeMode &m_mode;
    HarvestState &m_harvestState;
    ReorderBuffer &m_reorderBuffer;
    PendingDeaths &m_deaths;
};

}  // namespace ct
