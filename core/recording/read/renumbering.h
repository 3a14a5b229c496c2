// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Renumbers the coroutines of a stream that is read from its middle on. Those alive there come first, from 0.
#pragma once

#include "core/stream/stream.h"

#include <vector>

namespace ct::ctr {

class Renumbering {
public:
    /// `living`: ids of the coroutines that are alive at the start, ascending, all below `born`. `born`: coroutines
    /// born before the start. Without this call, ids stay as they are.
    void setStart(std::vector<CoroutineId> living, CoroutineId born);
    /// Renumbers all rows and removes rows about coroutines that were dead at the start. A dead waker, or a dead target
    /// of a wait, becomes kNoCoroutine.
    void apply(Batch &batch) const;
    /// Returns the new id, or kNoCoroutine when the coroutine was dead at the start.
    CoroutineId of(CoroutineId id) const;

private:
    std::vector<CoroutineId> m_living;
    CoroutineId m_born = 0;
};

}  // namespace ct::ctr
