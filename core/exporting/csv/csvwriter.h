// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Comma-separated values (RFC 4180, but with LF): one row per transition. The first six columns are those of the
// existing collector. A resumption has the site of the suspension that it ends, if the target reported one. A
// suspension without a site has the function, file and line of its address, as far as they are resolved when the row is
// written.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/stream/stream.h"

#include <memory>
#include <string>
#include <string_view>

namespace ct {

/// Opens `path` for writing (truncates); `-` is standard output. The Sink flushes like the JSONL writer. `causesPath`:
/// the file of causes, see csvcauses.h; empty = causes are not written.
Result<std::shared_ptr<Sink>> makeCsvWriter(const std::string &path, const std::string &causesPath,
                                            std::shared_ptr<ExportResolver> exportResolver = {});

/// The first line of the file.
std::string_view csvHeader();

/// CSV for spreadsheets, which run a text that begins with = + - or @ as a formula. The target chooses names, files and
/// functions, so such a text gets a leading apostrophe, as OWASP recommends. Numbers never change.
Result<std::shared_ptr<Sink>> makeSpreadsheetCsvWriter(const std::string &path, const std::string &causesPath,
                                                       std::shared_ptr<ExportResolver> exportResolver = {});

}  // namespace ct
