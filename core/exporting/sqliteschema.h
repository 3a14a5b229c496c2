// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What sqlitewriter.h describes, in SQL.
#pragma once

namespace ct {

inline constexpr const char *kSqlitePragmas[] = {
    // One writer, and nobody waits for it: no file lock is taken per transaction, and the journal stays one file.
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA journal_mode = DELETE",
    // The harvest must not wait for the disk. Safe against the death of the process; the end is synchronised.
    "PRAGMA synchronous = OFF",
    "PRAGMA cache_size = -32768",
    "PRAGMA temp_store = MEMORY",
};

inline constexpr const char *kSqliteTables[] = {
    "CREATE TABLE coro_trace_events ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " probe_id TEXT NOT NULL,"
    " tid INTEGER NOT NULL,"
    " addr TEXT NOT NULL,"
    " seq INTEGER NOT NULL,"
    " is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),"
    " ts INTEGER NOT NULL,"
    " n INTEGER NOT NULL,"
    " coroutine INTEGER NOT NULL,"
    " pid INTEGER,"
    " site_id INTEGER,"
    " kind TEXT NOT NULL)",
    "CREATE TABLE coroutines ("
    " coroutine INTEGER PRIMARY KEY,"
    " probe_id TEXT NOT NULL,"
    " pid INTEGER,"
    " station INTEGER NOT NULL,"
    " generation INTEGER NOT NULL,"
    " dialect TEXT NOT NULL,"
    " birth_ts INTEGER,"
    " death_ts INTEGER,"
    " flagged INTEGER NOT NULL DEFAULT 0,"
    " events INTEGER NOT NULL DEFAULT 0,"
    " lost INTEGER NOT NULL DEFAULT 0,"
    " missed_before_attach INTEGER NOT NULL DEFAULT 0,"
    " dropped INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE sites ("
    " site_id INTEGER PRIMARY KEY,"
    " file TEXT NOT NULL,"
    " line INTEGER,"
    " \"column\" INTEGER,"
    " function TEXT NOT NULL)",
    "CREATE TABLE trace_info (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE VIEW coro_trace AS SELECT e.*, s.file, s.line, s.function"
    " FROM coro_trace_events e LEFT JOIN sites s ON s.site_id = e.site_id",
    "INSERT INTO trace_info VALUES ('format', 1), ('complete', 0)",
};

// Heads and tails of statements of many rows, see sqlrows.h.
inline constexpr const char *kInsertEvents =
    "INSERT INTO coro_trace_events (probe_id, tid, addr, seq, is_active, ts, n, coroutine, pid, site_id, kind) VALUES ";
inline constexpr const char *kInsertCoroutines =
    "INSERT INTO coroutines (coroutine, probe_id, pid, station, generation, dialect, birth_ts) VALUES ";
inline constexpr const char *kInsertInfo = "INSERT OR REPLACE INTO trace_info (name, value) VALUES ";
inline constexpr const char *kUpdateDeaths = "UPDATE coroutines SET death_ts = v.column2 FROM (VALUES ";
inline constexpr const char *kUpdateFlags = "UPDATE coroutines SET flagged = 1 FROM (VALUES ";
inline constexpr const char *kUpdateCounts = "UPDATE coroutines SET events = v.column2, lost = v.column3,"
                                             " missed_before_attach = v.column4, dropped = v.column5 FROM (VALUES ";
inline constexpr const char *kUpdateTail = ") AS v WHERE coroutines.coroutine = v.column1";

inline constexpr const char *kInsertSite =
    "INSERT OR REPLACE INTO sites (site_id, file, line, \"column\", function) VALUES (?, ?, ?, ?, ?)";

/// Made at the end: keeping them up to date while rows come costs more than the rows.
inline constexpr const char *kSqliteIndexes[] = {
    "CREATE INDEX idx_coro_trace_events_probe_seq ON coro_trace_events (probe_id, seq)",
    "CREATE INDEX idx_coro_trace_events_tid_ts ON coro_trace_events (tid, ts)",
    "CREATE INDEX idx_coro_trace_events_ts ON coro_trace_events (ts)",
    "CREATE INDEX idx_coro_trace_events_coroutine_n ON coro_trace_events (coroutine, n)",
};

}  // namespace ct
