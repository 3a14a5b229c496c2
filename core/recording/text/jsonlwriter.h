// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes a text recording that grows while the target runs: one line per transition, and one per note (JSONL). A Sink.
//
// Every line of a transition starts with the six fields of the existing collector, in its order and form, then
//   n, coroutine             event number, and an id that is unique in the run
//   file, line, function     at a suspension whose site is known; `column` follows if it is known. Without a site,
//                            those of its address, as far as they are known when the line is written
//   resolved                 true: these were resolved from `addr`; the target did not report a site
//   kind                     "initial", "final" or "yield"; left out at an ordinary await
//   birth_ts, pid            on the first line of a coroutine, if known
//   name, parent             on the first line of a coroutine after the target reported them; parent is a `coroutine`
//   lost_before              how many events right before this line were lost
//   missed_before            how many events right before this line were missed: the engine attached later
//   dropped_before           how many events right before this line were captured, but are not in this file
//   not_selected_before      how many events of the coroutine come before the time range of the selection
// Note lines start with a field `note`: docs/recording.md. Targets with the existing SDK cause none, so
// their events lost after a coroutine's last line are not in the file.
#pragma once

#include "core/recording/write/appendfile.h"
#include "core/stream/stream.h"
#include "core/stream/unselected.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ct {

/// Returns the text for the location of a suspension without a site, see jsonlLocationText(); empty: unknown. Valid
/// until the next call.
using JsonlLocations = std::function<std::string_view(const Transition &suspension, std::uint32_t pid)>;

/// Returns `,"file":...` for a location, without what is unknown. `site.id` is not used.
std::string jsonlLocationText(const Site &site);

/// Opens `path` for writing; the first line replaces old content. `-` is standard output. Flushes at least every second
/// of stream time, in whole lines. When the disk is full, a partly written line is removed. `locations` may be
/// empty. `unselected`: of the stream of a selection, which the last line describes. `old`: with Keep, the run is
/// appended to an existing recording, see checkOldLines().
Result<std::shared_ptr<Sink>> makeJsonlWriter(const std::string &path, JsonlLocations locations = {},
                                              std::shared_ptr<const Unselected> unselected = {},
                                              OldContent old = OldContent::Replace);

}  // namespace ct
