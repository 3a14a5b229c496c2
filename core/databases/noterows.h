// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows of notes that do not change later: causes, drops, switches and samples.
#pragma once

#include "core/databases/rowstore.h"
#include "core/stream/stream.h"

namespace ct {

/// Adds the rows to the store. `events`: events of the stream before these notes.
Result<void> addNoteRows(RowStore &store, const Notes &notes, std::uint64_t events);

}  // namespace ct
