// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Example queries, for the dock.
#pragma once

namespace ct {

struct QueryExample {
    const char *name;
    const char *statement;
};

inline constexpr QueryExample kQueryExamples[] = {
    {"Findings and their coroutines", "SELECT rule, severity, coroutine, name, function, file, line, message\nFROM "
                                      "findings JOIN finding_coroutines USING (finding)\nJOIN coroutines USING "
                                      "(coroutine)\nORDER BY finding, coroutine;"},
    {"Stuck coroutines", "SELECT * FROM stuck_coroutines\nORDER BY suspended_ns DESC;"},
    {"Latency of sites", "SELECT * FROM site_latency\nORDER BY p99_ns DESC;"},
    {"Use of threads", "SELECT * FROM thread_utilisation\nORDER BY share DESC;"},
    {"Events with their locations", "SELECT ts, coroutine, name, is_active, function, file, line\nFROM coro_trace\n"
                                    "LIMIT 1000;"},
    {"Coroutines with the most events", "SELECT coroutine, name, events, lost\nFROM coroutines\n"
                                        "ORDER BY events DESC\nLIMIT 100;"},
    {"Events per millisecond", "SELECT (ts - (SELECT min(ts) FROM coro_trace_events)) / 1000000 AS ms, count(*) AS "
                               "events\nFROM coro_trace_events\nGROUP BY ms\n"
                               "ORDER BY ms;"},
    {"Who wakes whom", "SELECT by_coroutine, coroutine, count(*) AS wakes\nFROM wakes\n"
                       "GROUP BY by_coroutine, coroutine\nORDER BY wakes DESC\nLIMIT 100;"},
    {"Totals of the run", "SELECT * FROM trace_info;"},
};

}  // namespace ct
