// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Comma-separated values (RFC 4180, but LF): one transition a row, the existing collector's six columns first. A
// resume has the site of the suspension that it ends, where the target says it. A suspension without a site has
// function, file and line of its address, as far as they are known when it is written.
#pragma once

#include "core/exporting/addresslookup.h"
#include "core/trace/stream.h"

#include <memory>
#include <string>

namespace ct {

/// Opens `path` for writing (truncates); `-` is standard output. A Sink that flushes as the JSONL writer does.
Result<std::shared_ptr<Sink>> makeCsvWriter(const std::string &path, std::shared_ptr<AddressLookup> lookup = {});

/// For spreadsheets, which run a text that begins with = + - or @ as a formula: such a text (a name, a file, a
/// function: the target chooses them) gets a leading apostrophe, as OWASP advises. Numbers are never changed.
Result<std::shared_ptr<Sink>> makeSpreadsheetCsvWriter(const std::string &path,
                                                       std::shared_ptr<AddressLookup> lookup = {});

}  // namespace ct
