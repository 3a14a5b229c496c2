// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows of notes that never change: causes, drops, switches and samples.
#pragma once

#include "core/databases/rowstore.h"
#include "core/stream/stream.h"

namespace ct {

/// Adds the rows to the store. `events`: number of events in the stream before these notes.
Result<void> addNoteRows(RowStore &store, const Notes &notes, std::uint64_t events);

}  // namespace ct
