// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The views for the usual questions, in SQL that SQLite accepts. Exported databases and the query dock have the same
// views over the same tables.
#pragma once

namespace ct {

struct TraceView {
    const char *name;
    const char *description;  ///< one sentence for users, without a full stop
    const char *select;       ///< CREATE VIEW name AS select
};

/// Gives the events the name that they have on servers, in SQLite too.
inline constexpr TraceView kEventsView{"events", "The events, by their name on servers",
                                       "SELECT * FROM coro_trace_events"};

/// A coroutine that resumes another one counts as running while the other one runs on its thread. thread_utilisation
/// counts that time once: `counted_to` is the latest end of the runs that began earlier. A line and file that were read
/// from a coroutine's frame belong only to the suspension at line_since, although all events of the coroutine have the
/// address of the frame.
inline constexpr TraceView kTraceViews[] = {
    {"coro_trace", "Every event with its file, line and function, and the name and parent of its coroutine",
     "SELECT e.*,"
     " coalesce(s.file, CASE WHEN a.line_since IS NULL OR a.line_since = e.ts THEN a.file END) AS file,"
     " coalesce(s.line, CASE WHEN a.line_since IS NULL OR a.line_since = e.ts THEN a.line END) AS line,"
     " coalesce(s.function, a.function) AS function, c.name, c.parent"
     " FROM coro_trace_events e LEFT JOIN sites s ON s.site_id = e.site_id"
     " LEFT JOIN coroutines c ON c.coroutine = e.coroutine"
     " LEFT JOIN addresses a ON e.site_id IS NULL AND a.coroutine = e.coroutine AND a.addr = e.addr AND a.depth = 0"},

    {"stuck_coroutines",
     "Coroutines that have not ended and whose latest event is a suspension: where, for how long up to the end of the "
     "observation, and what they wait for",
     "SELECT c.coroutine, c.name, c.parent, c.pid, e.tid, e.ts AS suspended_since,"
     " (SELECT max(ts) FROM (SELECT max(ts) AS ts FROM coro_trace_events UNION ALL"
     " SELECT value FROM trace_info WHERE name = 'observed_until_ts') ends) - e.ts AS suspended_ns, e.kind, e.site_id,"
     " coalesce(s.file, CASE WHEN a.line_since IS NULL OR a.line_since = e.ts THEN a.file END) AS file,"
     " coalesce(s.line, CASE WHEN a.line_since IS NULL OR a.line_since = e.ts THEN a.line END) AS line,"
     " coalesce(s.function, a.function) AS function,"
     " (SELECT group_concat(w.kind || coalesce(' ' || w.target, ' ' || w.object, ''), ', ') FROM waits w"
     " WHERE w.coroutine = c.coroutine AND w.n = e.n) AS waits_for"
     " FROM coroutines c JOIN coro_trace_events e ON e.coroutine = c.coroutine"
     " AND e.n = (SELECT max(l.n) FROM coro_trace_events l WHERE l.coroutine = c.coroutine)"
     " LEFT JOIN sites s ON s.site_id = e.site_id"
     " LEFT JOIN addresses a ON e.site_id IS NULL AND a.coroutine = e.coroutine AND a.addr = e.addr AND a.depth = 0"
     " WHERE c.death_ts IS NULL AND c.finish_ts IS NULL AND NOT e.is_active AND e.kind <> 'final'"},

    {"site_latency", "For each site, the number of completed suspensions and how long they lasted, in ns",
     "WITH steps AS (SELECT coroutine, n, ts, is_active, site_id, addr, lead(n) OVER w AS next_n,"
     " lead(ts) OVER w AS next_ts, lead(is_active) OVER w AS next_is_active FROM coro_trace_events"
     " WINDOW w AS (PARTITION BY coroutine ORDER BY n)),"
     " located AS (SELECT e.site_id, coalesce(s.file, CASE WHEN a.line_since IS NULL THEN a.file END) AS file,"
     " coalesce(s.line, CASE WHEN a.line_since IS NULL THEN a.line END) AS line,"
     " coalesce(s.function, a.function) AS function, e.next_ts - e.ts AS ns"
     " FROM steps e LEFT JOIN sites s ON s.site_id = e.site_id"
     " LEFT JOIN addresses a ON e.site_id IS NULL AND a.coroutine = e.coroutine AND a.addr = e.addr AND a.depth = 0"
     " WHERE NOT e.is_active AND e.next_is_active AND e.next_n = e.n + 1),"
     " ranked AS (SELECT site_id, file, line, function, ns, row_number() OVER (PARTITION BY site_id, file, line,"
     " function ORDER BY ns) AS position, count(*) OVER (PARTITION BY site_id, file, line, function) AS suspensions"
     " FROM located)"
     " SELECT site_id, file, line, function, max(suspensions) AS suspensions, min(ns) AS min_ns,"
     " CAST(round(avg(ns)) AS INTEGER) AS avg_ns, max(ns) AS max_ns,"
     " min(CASE WHEN position * 100 >= suspensions * 50 THEN ns END) AS p50_ns,"
     " min(CASE WHEN position * 100 >= suspensions * 95 THEN ns END) AS p95_ns,"
     " min(CASE WHEN position * 100 >= suspensions * 99 THEN ns END) AS p99_ns"
     " FROM ranked GROUP BY site_id, file, line, function"},

    {"thread_utilisation",
     "For each thread, how long it ran coroutines between its first and its last event or finish of a coroutine",
     "WITH steps AS (SELECT pid, tid, coroutine, n, ts, is_active, lead(n) OVER w AS next_n,"
     " lead(ts) OVER w AS next_ts, lead(tid) OVER w AS next_tid, lead(is_active) OVER w AS next_is_active FROM "
     "coro_trace_events"
     " WINDOW w AS (PARTITION BY coroutine ORDER BY n)),"
     " runs AS (SELECT pid, tid, ts, is_active, CASE WHEN NOT is_active THEN NULL"
     " WHEN next_n = n + 1 AND NOT next_is_active AND next_tid = tid THEN next_ts"
     " WHEN next_n IS NULL THEN (SELECT c.finish_ts FROM coroutines c WHERE c.coroutine = s.coroutine"
     " AND c.finish_ts >= s.ts) END AS end_ts FROM steps s),"
     " ordered AS (SELECT runs.*, max(end_ts) OVER (PARTITION BY pid, tid ORDER BY ts"
     " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS counted_to FROM runs),"
     " parts AS (SELECT ordered.*, CASE WHEN counted_to > ts THEN counted_to ELSE ts END AS from_ts FROM ordered),"
     " sums AS (SELECT pid, tid, min(ts) AS first_ts, max(coalesce(end_ts, ts)) AS last_ts,"
     " coalesce(sum(CASE WHEN end_ts > from_ts THEN end_ts - from_ts END), 0) AS running_ns,"
     " sum(CASE WHEN is_active THEN 1 ELSE 0 END) AS resumptions FROM parts GROUP BY pid, tid)"
     " SELECT u.pid, u.tid, t.name, u.first_ts, u.last_ts, u.running_ns,"
     " CASE WHEN u.last_ts > u.first_ts THEN u.running_ns * 1.0 / (u.last_ts - u.first_ts) END AS share, u.resumptions"
     " FROM sums u LEFT JOIN threads t ON t.pid = u.pid AND t.tid = u.tid"},
};

}  // namespace ct
