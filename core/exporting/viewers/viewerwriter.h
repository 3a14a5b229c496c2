// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports for trace viewers: a sink that turns the stream into tracks and slices. See docs/viewers.md.
#pragma once

#include "core/databases/exportcontext.h"
#include "core/exporting/viewers/tracks.h"
#include "core/recording/write/filesink.h"

#include <memory>
#include <string>

namespace ct::viewers {

/// Opens `path` for writing (truncates). The sink writes at least once per second of stream time.
Result<std::shared_ptr<FileSink>> makeViewerWriter(const std::string &path, std::unique_ptr<TrackEncoder> encoder,
                                                   const ExportContext &context, const TrackLimits &limits = {});

}  // namespace ct::viewers

namespace ct {

Result<std::shared_ptr<Sink>> makePerfettoWriter(const std::string &path, const ExportContext &context);
Result<std::shared_ptr<Sink>> makeChromeWriter(const std::string &path, const ExportContext &context);

}  // namespace ct
