// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text recordings that grow while the target runs: one transition a line (JSONL) or a row (CSV). Sinks.
#pragma once

#include "core/trace/stream.h"

#include <memory>
#include <string>

namespace ct {

/// Opens `path` for writing (truncates). `-` is standard output. Flushes at least every second of stream time.
Result<std::shared_ptr<Sink>> makeJsonlWriter(const std::string &path);

}  // namespace ct
