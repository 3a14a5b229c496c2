// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the notes of a stream into the tables of a SQLite database.
#pragma once

#include "core/exporting/sqlite/sqliteconnection.h"
#include "core/stream/stream.h"

namespace ct {

/// Call within a transaction, after the births of the coroutines in the notes were written.
Result<void> writeNotes(SqliteConnection &connection, const Notes &notes);

/// Call at the end. Adds a row for each process that has coroutines, but was never reported.
Result<void> completeProcesses(SqliteConnection &connection);

}  // namespace ct
