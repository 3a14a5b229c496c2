// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lost and missed events of a capture in overwrite mode. Lanes lose events that the compact stations still count,
// so a census at attach and another one at the end give the numbers that were lost or missed. Harvest thread only.
// See docs/decisions/0016-books-that-add-up.md.
#pragma once

#include "core/harvest/census.h"
#include "core/harvest/compactsweep.h"
#include "core/harvest/harveststate.h"
#include "core/harvest/merger.h"

#include <optional>

namespace ct {

class OverwriteLosses {
public:
    /// Makes the census at attach.
    OverwriteLosses(const Region &region, HarvestState &harvestState, Merger &merger, const CompactSweep &sweep);

    /// Counts the part of `batch` after `since`. Call it for everything that is emitted.
    void account(const Batch &batch, const BatchMark &since);

    /// True until closeAttach().
    bool awaitsAttach() const { return m_atAttach.has_value(); }
    /// Settles the coroutines that are discovered, after every record from before the attach was read. Only if
    /// awaitsAttach().
    void settleAttach(Batch &batch);
    /// Reports the rest of the census at attach. Call it when everything settled was passed to account().
    void closeAttach();

    /// Makes the census at the end. The lanes are then read to the ends that they have at this time.
    void countAtEnd();
    /// Settles both censuses, after the lanes were read to their ends. `missed`: no process was ever seen alive, so the
    /// numbers missing at the end are missed, not lost.
    void settleEnd(bool missed, Batch &batch);
    /// Reports the rest of both censuses. Call it after settleEnd(), when everything settled was passed to account().
    void closeEnd(bool missed);

private:
    Census census() const;
    void settle(const Census &census, bool missed, Batch &batch);
    void countTraceless(std::optional<Census> &census, bool missed);

    const Region &m_region;
    HarvestState &m_harvestState;
    Merger &m_merger;
    const CompactSweep &m_sweep;
    Census::Count m_emitted;           ///< all coroutines and events emitted or reported so far
    std::optional<Census> m_atAttach;  ///< the census at attach, until it is closed
    std::optional<Census> m_atEnd;     ///< the census at the end
};

}  // namespace ct
