// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// A stream that is read from its middle on: coroutines are numbered from 0 again, first those that lived there.
#pragma once

#include "core/trace/stream.h"

#include <vector>

namespace ct::ctr {

class Renumbering {
public:
    /// `living`: ascending ids, all below `born`, of those that the stream goes on with. Nothing changes without it.
    void begin(std::vector<CoroutineId> living, CoroutineId born);
    /// Leaves out rows about coroutines that were gone then; who was woken by one, or waits for it, does so for nobody.
    void apply(Batch &batch) const;
    /// The new number; kNoCoroutine: it was gone then.
    CoroutineId of(CoroutineId id) const;

private:
    std::vector<CoroutineId> m_living;
    CoroutineId m_born = 0;
};

}  // namespace ct::ctr
