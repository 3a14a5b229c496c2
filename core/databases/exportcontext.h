// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Facts of a run that an export needs besides the stream. A plain value.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/recording/format/recordinginfo.h"
#include "core/recording/read/streamfile.h"
#include "core/reporting/report.h"
#include "core/stream/unselected.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace ct {

/// Returns the findings about the run; nullptr: the run was not judged.
using ReportOf = std::function<std::shared_ptr<const Report>()>;

struct ExportContext {
    ExportContext() = default;
    ExportContext(std::shared_ptr<ExportResolver> exportResolver) : resolver(std::move(exportResolver)) {}

    std::shared_ptr<ExportResolver> resolver;  ///< resolves addresses without a site; nullptr: they stay addresses
    std::function<RecordingInfo()> info;       ///< called at the end, on the thread of the sink; empty: no facts
    ReportOf report;          ///< called at the end, on the thread of the sink; empty: the run was not judged
    IsCancelled isCancelled;  ///< cancels waits for a server; empty: never
    std::string source;       ///< the run's key if its info has no name, such as the path of the input
    /// Called at the end, on the thread of the sink: true if only a part of the run was read; empty: all of it was.
    std::function<bool()> isPart;
    std::shared_ptr<const Unselected> unselected;  ///< what the selection left out; nullptr: there is none
};

}  // namespace ct
