// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables of a SQLite database that hold what targets told beyond transitions.
#pragma once

#include "core/exporting/sqliteconnection.h"
#include "core/trace/stream.h"

namespace ct {

/// Within a transaction; the births of the coroutines concerned must have been written.
Result<void> writeNotes(SqliteConnection &connection, const Notes &notes);

/// At the end: a row for every process that nobody announced, but that had coroutines.
Result<void> completeProcesses(SqliteConnection &connection);

}  // namespace ct
