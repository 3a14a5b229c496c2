// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A SQLite database, written through Qt SQL.
//
//   coro_trace_events  one row per transition: id, then the existing collector's columns (probe_id TEXT, because it has
//                      all 64 bits, tid, addr, seq, is_active, ts), then n, coroutine, pid, site_id, kind
//   coroutines         who had these events; the counts are filled in at the end
//   sites              suspension points that the target named
//   coro_trace         a view: the events with file, line and function
//   trace_info         name and value: format, complete (0 until the end), and the sums of the run
#pragma once

#include "core/trace/stream.h"

#include <memory>
#include <string>

namespace ct {

/// A Sink. Replaces `path` at once, so that an output that cannot be written is noticed before a capture; opens the
/// database in the first consume() or finish(), on that thread, and stays there. Commits every half second of stream
/// time: whatever kills the process, the file (with its -journal beside it, if there is one) is a valid database up
/// to the latest commit.
Result<std::shared_ptr<Sink>> makeSqliteWriter(const std::string &path);

}  // namespace ct
