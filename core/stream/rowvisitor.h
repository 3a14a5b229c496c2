// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Visits the rows of a batch that have a member `coroutine`, except for births.
#pragma once

#include "core/stream/stream.h"

namespace ct::ctr {

/// Calls visit(rows) once for each vector of such rows.
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
    visit(batch.notes.wakersLeft);
    visit(batch.notes.finishes);
}

}  // namespace ct::ctr
