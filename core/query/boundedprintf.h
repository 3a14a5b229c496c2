// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SQL functions printf() and format(), with a limit. SQLite's own ones run for seconds with a large width, and then
// return NULL.
#pragma once

struct sqlite3;

namespace ct::query {

/// Replaces both functions. A result of more than `most` bytes is the error SQLITE_TOOBIG. Returns SQLite's code.
int boundPrintf(sqlite3 *database, int most);

}  // namespace ct::query
