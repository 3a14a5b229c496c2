// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports a stream as JSONL.
#pragma once

#include "core/databases/exportcontext.h"
#include "core/recording/write/appendfile.h"

#include <memory>
#include <string>

namespace ct {

/// Makes a sink that resolves addresses without a site. `old`: see makeJsonlWriter().
Result<std::shared_ptr<Sink>> makeJsonlExport(const std::string &path, const ExportContext &context, OldContent old);

}  // namespace ct
