// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports the trace in memory to a file or to a server.
#pragma once

#include "core/exporting/exportformat.h"
#include "core/exporting/traceselection.h"
#include "core/recording/read/streamindex.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ct {

/// Called repeatedly with the progress, 0..1. Returning false cancels the export.
using ExportProgress = std::function<bool(double)>;

/// The progress when all rows are written. The rest is the end: indexes, or the renaming of a file.
inline constexpr double kRowsWritten = 0.95;

/// The content of an export, and counts of what it lacks.
struct ExportReport {
    std::uint64_t rows = 0;           ///< transitions written
    std::uint64_t coroutines = 0;     ///< coroutines in the export, with or without rows
    std::uint64_t lostEvents = 0;     ///< overwritten or dropped before they were captured
    std::uint64_t evictedEvents = 0;  ///< captured, but neither in memory (History's budget) nor in the recording
    std::uint64_t evictedNotes = 0;  ///< missing causes (Notes::causes()); the latest waits and wakes are never missing
    std::uint64_t missingSamples =
        0;  ///< samples of threads, descriptors and processes: older ones that no longer exist
    std::uint64_t overflowCoroutines = 0;  ///< coroutines without a record, not exported
    std::uint64_t overflowEvents = 0;      ///< captured events of these coroutines, not exported
    std::uint64_t causes = 0;              ///< causes written
    std::uint64_t notSelected = 0;         ///< captured events that the selection leaves out
    std::string causesPath;                ///< the second file, with the causes; empty: none
    std::string remark;                    ///< FileSink::remark(): what the file does not show; may be empty
    bool isInOrder = true;  ///< false: the events are coroutine by coroutine, as memory has no order across coroutines
};

/// Writes the present content of the trace to `path`, coroutine by coroutine. Writes a temporary file in the same
/// folder and renames it at the end, so a cancelled or failed export leaves an existing file unchanged. If there are
/// causes, a second file is written in the same way. Any thread; the trace may grow during the export. `streamIndex`:
/// index of the recording, from which evicted events are exported first, in stream order. The report counts events that
/// are in neither. `sums`: of the session, for counts that only it has, such as untraced coroutines and dropped
/// records. `selection`: the part that is exported.
Result<ExportReport> exportTrace(const Population &population, const History &history, const ExportFormat &format,
                                 const std::string &path, const ExportProgress &progress, const Accounting &sums = {},
                                 const ExportContext &context = {}, std::shared_ptr<const StreamIndex> streamIndex = {},
                                 const TraceSelection &selection = {});

}  // namespace ct
