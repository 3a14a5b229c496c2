// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the session in a SQLite file. Uses SQLite's own interface, which is not bound to a thread.
#pragma once

#include "core/base/result.h"
#include "core/databases/reading/rowsource.h"
#include "core/recording/read/streamfile.h"

#include <memory>
#include <string>

namespace ct {

/// True if the file begins like a SQLite database.
bool isSqliteFile(const std::string &path);
/// Opens the file for reading only. Any thread. `isCancelled`: see ReadOptions; a damaged file can have endless
/// rows.
Result<std::unique_ptr<RowSource>> openSqliteSource(const std::string &path, IsCancelled isCancelled = {});

}  // namespace ct
