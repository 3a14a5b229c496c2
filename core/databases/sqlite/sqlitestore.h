// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stores one session in a SQLite file. docs/interchange.md describes the tables and views.
#pragma once

#include "core/databases/rowstore.h"

#include <memory>
#include <string>

namespace ct {

/// Claims `path` at once, so an output that cannot be written is reported before a capture. begin() replaces the
/// content. Even if the process is killed, the file, with its -journal if there is one, is a valid database up to the
/// latest commit. A file that was created here and got no content is removed.
Result<std::unique_ptr<RowStore>> makeSqliteStore(const std::string &path);

}  // namespace ct
