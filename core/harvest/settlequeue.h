// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Queue of the wait lists that are to be settled. Lists with a believable time wait for the watermark, the others for
// the next barrier. Harvest thread only.
// See docs/decisions/0008-order-by-number-settled-by-time.md.
#pragma once

#include "core/harvest/mergemode.h"
#include "core/harvest/reorderbuffer.h"

#include <cstdint>
#include <vector>

namespace ct {

class SettleQueue {
public:
    SettleQueue(const MergeMode &mode, ReorderBuffer &reorderBuffer) : m_mode(mode), m_reorderBuffer(reorderBuffer) {}

    /// Adds a wait list. `ns`: nothing in it that can be settled by time is older.
    void addWaitList(WaitList &waitList, std::uint64_t ns, const Batch &batch);
    /// Adds the rest of a wait list, to wait for the next watermark or barrier. Does nothing if it was erased.
    void addAgain(std::uint64_t identity, const Batch &batch);

    /// Calls `settle` with each wait list that may have something older than `watermark` (ns). Returns false when the
    /// batch is full; call again. `settle` may erase its wait list, make others and call addWaitList(), but must not
    /// begin a barrier.
    template <class Settle>
    bool settleByTime(std::uint64_t watermark, const Batch &batch, std::size_t maxTransitions, Settle settle)
    {
        for (; m_timedAt < m_timed.size() && m_timed[m_timedAt].ns < watermark; ++m_timedAt) {
            if (batch.transitions.size() >= maxTransitions)
                return false;
            WaitList *const waitList = m_reorderBuffer.findWaitList(m_timed[m_timedAt].identity);
            if (!waitList)
                continue;
            waitList->queued = false;
            settle(*waitList);
        }
        return true;
    }
    /// After settleByTime() and everything that its calls have added.
    void trim();
    bool awaitsTime() const { return m_timedAt < m_timed.size(); }

    /// Begins a barrier: it covers everything that waits for one by now. It replaces a barrier in progress.
    void beginBarrier();
    /// Calls `settle` with each wait list that the barrier covers. Returns false when the batch is full; call again.
    /// `settle` as in settleByTime().
    template <class Settle>
    bool completeBarrier(const Batch &batch, std::size_t maxTransitions, Settle settle)
    {
        for (; m_coveredAt < m_covered.size(); ++m_coveredAt) {
            if (batch.transitions.size() >= maxTransitions)
                return false;
            WaitList *const waitList = m_reorderBuffer.findWaitList(m_covered[m_coveredAt]);
            if (!waitList)
                continue;
            waitList->waiting = false;
            settle(*waitList);
        }
        m_covered.clear();
        m_coveredAt = 0;
        return true;
    }
    bool awaitsBarrier() const { return !m_waiting.empty(); }
    /// Number of the barrier in progress, or of the last one.
    std::uint64_t barrier() const { return m_barrier; }

    /// Everything that waits for the watermark waits for the next barrier instead.
    void clearTimes();

private:
    struct Timed {
        std::uint64_t identity = 0;
        std::uint64_t ns = 0;  ///< the times of everything in the wait list that time can settle are not before this
    };

    const MergeMode &m_mode;
    ReorderBuffer &m_reorderBuffer;
    std::vector<Timed> m_timed;  ///< roughly in the order of time; valid from m_timedAt on
    std::size_t m_timedAt = 0;
    std::vector<std::uint64_t> m_waiting;  ///< identities of wait lists that wait for the next barrier
    std::vector<std::uint64_t> m_covered;  ///< identities of wait lists in the present barrier
    std::size_t m_coveredAt = 0;
    std::uint64_t m_barrier = 0;
};

}  // namespace ct
