// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text recording that grows while the target runs: one transition a line (JSONL). A Sink.
//
// Every line starts with the six fields of the existing collector, in its order and form, then
//   n, coroutine             event number, and an id that is unique in the run
//   file, line, function     of a suspension whose point the target named; `column` follows where it is known
//   kind                     "initial", "final" or "yield"; left out at an ordinary await
//   birth_ts, pid            on the first line of a coroutine, where known
//   name, parent             on the first line of a coroutine after the target told them; parent is a `coroutine`
//   lost_before              how many numbers right before this line were overwritten before they could be read
//   missed_before            how many right before this line happened before the capture was attached
//   dropped_before           how many right before this line were captured, but were not kept for this file
// Not in the file: deaths, numbers lost after a coroutine's last line, and coroutines without a transition.
#pragma once

#include "core/trace/stream.h"

#include <memory>
#include <string>

namespace ct {

/// Opens `path` for writing (truncates). `-` is standard output. Flushes at least every second of stream time, in
/// whole lines; when the disk is full, a partly written line is taken back.
Result<std::shared_ptr<Sink>> makeJsonlWriter(const std::string &path);

}  // namespace ct
