// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The rows of a batch that are about a coroutine: those with a member `coroutine`, but for the births.
#pragma once

#include "core/trace/stream.h"

namespace ct::ctr {

/// Calls visit(rows) for each sort of them.
template <class Visit>
void forEachCoroutinesRows(Batch &batch, Visit &&visit)
{
    visit(batch.losses);
    visit(batch.transitions);
    visit(batch.deaths);
    visit(batch.flags);
    visit(batch.notes.names);
    visit(batch.notes.parents);
    visit(batch.notes.waits);
    visit(batch.notes.wakes);
}

}  // namespace ct::ctr
