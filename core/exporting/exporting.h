// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports: one file per format; a table names them, so that dialogs and the command line agree.
#pragma once

#include "core/trace/history.h"
#include "core/trace/population.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ct {

struct ExportFormat {
    std::string_view name;       ///< "SQLite", for people
    std::string_view extension;  ///< "sqlite"
    /// A sink that writes `path` as the stream comes (batch mode) and makes it valid in finish().
    Result<std::shared_ptr<Sink>> (*makeSink)(const std::string &path);
};

/// Every format: JSONL, CSV, SQLite.
std::span<const ExportFormat> exportFormats();
/// By the ending of a path; nullptr when none fits.
const ExportFormat *exportFormatFor(std::string_view path);

/// Called now and then with 0..1; returning false cancels.
using ExportProgress = std::function<bool(double)>;

/// Writes what the trace holds now to `path` through a temporary file beside it, renamed at the end; a cancelled or
/// failed export leaves an existing file as it was. Any thread; the trace may grow meanwhile.
Result<void> exportTrace(const Population &population, const History &history, const ExportFormat &format,
                         const std::string &path, const ExportProgress &progress);

}  // namespace ct
