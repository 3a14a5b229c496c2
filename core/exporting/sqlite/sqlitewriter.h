// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A SQLite database, written through Qt SQL.
//
//   coro_trace_events  one row per transition: id, then the columns of the existing collector (probe_id TEXT, because
//                      it has all 64 bits, tid, addr, seq, is_active, ts), then n, coroutine, pid, site_id, kind. A
//                      resumption has the site of the suspension that it ends.
//   coroutines         the coroutines of these events, with name, parent (a coroutine) and finish_ts (the end of a body
//                      without a traced final suspension); the counts are written last
//   sites              suspension points that the target registered
//   addresses          resolved addresses of events without a site, written at the end. One row for the function (depth
//                      0), and one for each function that it is inlined into (1, 2, ...), with file, line, column and
//                      module. All events of a coroutine share the address of its frame; there, file and line belong to
//                      the suspension at ts = line_since. gap: what is missing, and the remedy
//   processes          processes that wrote: pid, name, first_ts (of its tracer), end_ts (alive at that time; it ended
//                      within four seconds)
//   threads            pid, tid, name
//   waits              what suspension n of a coroutine waits for: kind; object (a descriptor, a deadline in ns, or an
//                      address as text); target (a coroutine); mode (one object, or any or all of several), and its
//                      position among them, from 0
//   wakes              wakes of a coroutine: n = its events as the waker saw them, so the wake is for suspension n - 1;
//                      ts; by_coroutine; pid and tid of the waker
//   uses               what a coroutine or a thread did with an object: kind (acquired, released, signalled), object
//                      (its address), ts, by_coroutine, n = its events so far, site_id, pid and tid
//   wakers_left        how many objects are left that could wake a coroutine, at ts; n as in wakes
//   drops              full lanes: how many records of a thread were dropped between first_ts and last_ts
//   switches           a process switched tracing off or on
//   thread_samples     what the engine saw of a thread (docs/decisions/0028): state; the call in which it sleeps,
//                      whether a timeout ends it, and its object (an address or a descriptor); processor time and run
//                      delay. A row holds until the next one about the thread
//   descriptor_samples the same of a descriptor in an epoll: kind, events (EPOLLIN ...), pending (what was delivered
//                      and not fetched), deadline of a timer, tcp_state; read_ends: its peer has ended its side;
//                      can_write: its send queue is empty
//   process_samples    up to when the rows of a process hold (ts, descriptors_ts), its threads, since when all of them
//                      are stopped, and whether its rows are complete
//   coro_trace         a view: the events with file, line and function, name and parent
//   trace_info         name and value: format, complete (0 until the end), and the sums of the run
//
// At the end, the sums are written first, then counts of coroutines, addresses and indexes. A part that finds no room
// is missing completely: the sums stay, complete stays 0, and the error names the missing parts.
//
// NULL, or no row, stands for facts that the target did not report. A capture has every wait and wake. An export of a
// trace has those in memory, and the latest of each coroutine, and the samples in memory (SampleLog). trace_info counts
// the missing ones (dropped_notes), and the names that found no room in memory (names_not_kept); such names are NULL,
// too.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/stream/stream.h"

#include <memory>
#include <string>

namespace ct {

/// A Sink. Claims `path` at once, so an output that cannot be written is reported before a capture. Replaces the
/// content and opens the database in the first consume() or finish(), and stays on that thread. Commits every half
/// second of stream time, or after 200,000 rows. Even if the process is killed, the file is a valid database up to the
/// latest commit. Its -journal, if there is one, belongs to it.
Result<std::shared_ptr<Sink>> makeSqliteWriter(const std::string &path,
                                               std::shared_ptr<ExportResolver> exportResolver = {});

}  // namespace ct
