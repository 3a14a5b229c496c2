// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A SQLite database, written through Qt SQL.
//
//   coro_trace_events  one row per transition: id, then the existing collector's columns (probe_id TEXT, because it has
//                      all 64 bits, tid, addr, seq, is_active, ts), then n, coroutine, pid, site_id (of a resume: of
//                      the suspension that it ends), kind
//   coroutines         who had these events, with name and parent (a coroutine); the counts are filled in at the end
//   sites              suspension points that the target named
//   addresses          what addr means where the target named no site, at the end of the export: a row for the function
//                      (depth 0), and for each that it is inlined into (1, 2, ...), with file, line, column and module.
//                      Of a coroutine frame, which all events of a coroutine have in common, file and line are those of
//                      the suspension at ts = line_since. gap: what is missing, and what to do about it
//   processes          who wrote: pid, name, first_ts (of its tracer), end_ts (it lived then; gone within two seconds)
//   threads            pid, tid, name
//   waits              what the suspension number n of a coroutine waits for: kind; object (a descriptor, a deadline in
//                      ns, or an address as text); target (a coroutine)
//   wakes              who made a coroutine runnable: n = its events as the waker saw them, so that it meant the
//                      suspension n - 1; ts; by_coroutine; pid and tid of the waker
//   drops              full lanes: so many records of a thread did not fit between first_ts and last_ts
//   switches           tracing of a process went off or on
//   coro_trace         a view: the events with file, line and function, name and parent
//   trace_info         name and value: format, complete (0 until the end), and the sums of the run
// The end writes the sums first, then counts of coroutines, addresses and indexes. What finds no room is missing as a
// whole: the sums stay, complete stays 0, and the error names what is missing.
// What a target did not say is NULL, or has no row. A capture has every wait and wake; an export of what a window holds
// has those that are still in memory, and the latest of each coroutine: trace_info says how many it lacks
// (dropped_notes), and how many names found no room in memory (names_not_kept): these are NULL, too.
#pragma once

#include "core/exporting/addresslookup.h"
#include "core/trace/stream.h"

#include <memory>
#include <string>

namespace ct {

/// A Sink. Replaces `path` at once, so that an output that cannot be written is noticed before a capture; opens the
/// database in the first consume() or finish(), on that thread, and stays there. Commits every half second of stream
/// time: whatever kills the process, the file (with its -journal beside it, if there is one) is a valid database up
/// to the latest commit.
Result<std::shared_ptr<Sink>> makeSqliteWriter(const std::string &path, std::shared_ptr<AddressLookup> lookup = {});

}  // namespace ct
