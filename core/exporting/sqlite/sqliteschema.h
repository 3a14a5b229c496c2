// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SQL statements of the schema that sqlitewriter.h describes.
#pragma once

namespace ct {

inline constexpr const char *kSqlitePragmas[] = {
    // There is one writer: this avoids a file lock per transaction, and the journal stays one file.
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA journal_mode = DELETE",
    // The harvest must not wait for the disk. Safe if the process is killed; the end is synchronised.
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
    " dropped INTEGER NOT NULL DEFAULT 0,"
    " name TEXT,"
    " parent INTEGER,"
    " finish_ts INTEGER)",
    "CREATE TABLE sites ("
    " site_id INTEGER PRIMARY KEY,"
    " file TEXT NOT NULL,"
    " line INTEGER,"
    " \"column\" INTEGER,"
    " function TEXT NOT NULL)",
    "CREATE TABLE addresses ("
    " coroutine INTEGER NOT NULL,"
    " addr TEXT NOT NULL,"
    " depth INTEGER NOT NULL,"
    " function TEXT,"
    " file TEXT,"
    " line INTEGER,"
    " \"column\" INTEGER,"
    " module TEXT,"
    " line_since INTEGER,"
    " gap TEXT,"
    " PRIMARY KEY (coroutine, addr, depth)) WITHOUT ROWID",
    "CREATE TABLE processes ("
    " process INTEGER PRIMARY KEY,"
    " pid INTEGER NOT NULL,"
    " name TEXT,"
    " first_ts INTEGER,"
    " end_ts INTEGER)",
    "CREATE TABLE threads ("
    " pid INTEGER NOT NULL,"
    " tid INTEGER NOT NULL,"
    " name TEXT NOT NULL,"
    " PRIMARY KEY (pid, tid)) WITHOUT ROWID",
    "CREATE TABLE waits ("
    " coroutine INTEGER NOT NULL,"
    " n INTEGER NOT NULL,"
    " kind TEXT NOT NULL,"
    " object,"
    " target INTEGER,"
    " mode TEXT NOT NULL,"
    " position INTEGER NOT NULL)",
    "CREATE TABLE wakes ("
    " coroutine INTEGER NOT NULL,"
    " n INTEGER NOT NULL,"
    " ts INTEGER NOT NULL,"
    " by_coroutine INTEGER,"
    " pid INTEGER,"
    " tid INTEGER)",
    "CREATE TABLE uses ("
    " kind TEXT NOT NULL,"
    " object TEXT NOT NULL,"
    " ts INTEGER NOT NULL,"
    " by_coroutine INTEGER,"
    " n INTEGER NOT NULL,"
    " site_id INTEGER,"
    " pid INTEGER,"
    " tid INTEGER)",
    "CREATE TABLE wakers_left ("
    " coroutine INTEGER NOT NULL,"
    " n INTEGER NOT NULL,"
    " ts INTEGER NOT NULL,"
    " wakers INTEGER NOT NULL)",
    "CREATE TABLE drops ("
    " pid INTEGER NOT NULL,"
    " tid INTEGER NOT NULL,"
    " records INTEGER NOT NULL,"
    " first_ts INTEGER NOT NULL,"
    " last_ts INTEGER NOT NULL)",
    "CREATE TABLE switches ("
    " pid INTEGER NOT NULL,"
    " ts INTEGER NOT NULL,"
    " is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)))",
    "CREATE TABLE thread_samples ("
    " pid INTEGER NOT NULL,"
    " tid INTEGER NOT NULL,"
    " ts INTEGER NOT NULL,"
    " state TEXT NOT NULL,"
    " call TEXT NOT NULL,"
    " is_timed INTEGER NOT NULL CHECK (is_timed IN (0, 1)),"
    " object INTEGER,"
    " cpu_ns INTEGER NOT NULL,"
    " run_delay_ns INTEGER)",
    "CREATE TABLE descriptor_samples ("
    " pid INTEGER NOT NULL,"
    " descriptor INTEGER NOT NULL,"
    " epoll INTEGER NOT NULL,"
    " ts INTEGER NOT NULL,"
    " kind TEXT NOT NULL,"
    " events INTEGER NOT NULL,"
    " pending INTEGER,"
    " deadline INTEGER,"
    " tcp_state INTEGER,"
    " read_ends INTEGER NOT NULL CHECK (read_ends IN (0, 1)),"
    " can_write INTEGER NOT NULL CHECK (can_write IN (0, 1)))",
    "CREATE TABLE process_samples ("
    " pid INTEGER NOT NULL,"
    " ts INTEGER NOT NULL,"
    " descriptors_ts INTEGER,"
    " threads INTEGER NOT NULL,"
    " stopped_since INTEGER,"
    " threads_known INTEGER NOT NULL CHECK (threads_known IN (0, 1)),"
    " calls_known INTEGER NOT NULL CHECK (calls_known IN (0, 1)),"
    " descriptors_known INTEGER NOT NULL CHECK (descriptors_known IN (0, 1)))",
    "CREATE TABLE trace_info (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE VIEW coro_trace AS SELECT e.*, s.file, s.line, s.function, c.name, c.parent"
    " FROM coro_trace_events e LEFT JOIN sites s ON s.site_id = e.site_id"
    " LEFT JOIN coroutines c ON c.coroutine = e.coroutine",
    "INSERT INTO trace_info VALUES ('format', 2), ('complete', 0)",
};

// Heads and tails of statements with many rows, see sqlrows.h.
inline constexpr const char *kInsertEvents =
    "INSERT INTO coro_trace_events (probe_id, tid, addr, seq, is_active, ts, n, coroutine, pid, site_id, kind) VALUES ";
inline constexpr const char *kInsertCoroutines =
    "INSERT INTO coroutines (coroutine, probe_id, pid, station, generation, dialect, birth_ts) VALUES ";
inline constexpr const char *kInsertInfo = "INSERT OR REPLACE INTO trace_info (name, value) VALUES ";
inline constexpr const char *kMarkComplete = "UPDATE trace_info SET value = 1 WHERE name = 'complete'";
inline constexpr const char *kUpdateDeaths = "UPDATE coroutines SET death_ts = v.column2 FROM (VALUES ";
inline constexpr const char *kUpdateFlags = "UPDATE coroutines SET flagged = 1 FROM (VALUES ";
inline constexpr const char *kUpdateCounts = "UPDATE coroutines SET events = v.column2, lost = v.column3,"
                                             " missed_before_attach = v.column4, dropped = v.column5 FROM (VALUES ";
inline constexpr const char *kUpdateTail = ") AS v WHERE coroutines.coroutine = v.column1";

/// Statements for notes.
struct SqlStatement {
    const char *head;
    const char *tail = "";
};
inline constexpr SqlStatement kUpdateNames{"UPDATE coroutines SET name = v.column2 FROM (VALUES ", kUpdateTail};
inline constexpr SqlStatement kUpdateParents{"UPDATE coroutines SET parent = v.column2 FROM (VALUES ", kUpdateTail};
inline constexpr SqlStatement kInsertWaits{
    "INSERT INTO waits (coroutine, n, kind, object, target, mode, position) VALUES "};
inline constexpr SqlStatement kInsertWakes{"INSERT INTO wakes (coroutine, n, ts, by_coroutine, pid, tid) VALUES "};
inline constexpr SqlStatement kInsertUses{
    "INSERT INTO uses (kind, object, ts, by_coroutine, n, site_id, pid, tid) VALUES "};
inline constexpr SqlStatement kInsertWakersLeft{"INSERT INTO wakers_left (coroutine, n, ts, wakers) VALUES "};
inline constexpr SqlStatement kUpdateFinishes{"UPDATE coroutines SET finish_ts = v.column2 FROM (VALUES ", kUpdateTail};
inline constexpr SqlStatement kInsertProcesses{"INSERT INTO processes (pid, name, first_ts) VALUES "};
inline constexpr SqlStatement kInsertThreads{"INSERT OR REPLACE INTO threads (pid, tid, name) VALUES "};
inline constexpr SqlStatement kInsertDrops{"INSERT INTO drops (pid, tid, records, first_ts, last_ts) VALUES "};
inline constexpr SqlStatement kInsertSwitches{"INSERT INTO switches (pid, ts, is_on) VALUES "};
inline constexpr SqlStatement kInsertThreadSamples{
    "INSERT INTO thread_samples (pid, tid, ts, state, call, is_timed, object, cpu_ns, run_delay_ns) VALUES "};
inline constexpr SqlStatement kInsertDescriptorSamples{
    "INSERT INTO descriptor_samples (pid, descriptor, epoll, ts, kind, events, pending, deadline, tcp_state, "
    "read_ends, can_write) VALUES "};
inline constexpr SqlStatement kInsertProcessSamples{
    "INSERT INTO process_samples (pid, ts, descriptors_ts, threads, stopped_since, threads_known, calls_known,"
    " descriptors_known) VALUES "};
inline constexpr const char *kUpdateProcessEnd =
    " WHERE process = (SELECT min(process) FROM processes WHERE end_ts IS NULL AND pid = ";
inline constexpr const char *kCompleteProcesses =
    "INSERT INTO processes (pid) SELECT DISTINCT pid FROM coroutines"
    " WHERE pid IS NOT NULL AND pid NOT IN (SELECT pid FROM processes) ORDER BY pid";

inline constexpr const char *kInsertSite =
    "INSERT OR REPLACE INTO sites (site_id, file, line, \"column\", function) VALUES (?, ?, ?, ?, ?)";

/// Created at the end, because updating them for each row costs more than the rows.
inline constexpr const char *kSqliteIndexes[] = {
    "CREATE INDEX idx_coro_trace_events_probe_seq ON coro_trace_events (probe_id, seq)",
    "CREATE INDEX idx_coro_trace_events_tid_ts ON coro_trace_events (tid, ts)",
    "CREATE INDEX idx_coro_trace_events_ts ON coro_trace_events (ts)",
    "CREATE INDEX idx_coro_trace_events_coroutine_n ON coro_trace_events (coroutine, n)",
    "CREATE INDEX idx_waits_coroutine_n ON waits (coroutine, n)",
    "CREATE INDEX idx_wakes_coroutine_n ON wakes (coroutine, n)",
    "CREATE INDEX idx_coroutines_parent ON coroutines (parent) WHERE parent IS NOT NULL",
};

}  // namespace ct
