// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A SQLite database of one session, in a file of its own. docs/interchange.md has its tables and views.
#pragma once

#include "core/databases/rowstore.h"

#include <memory>
#include <string>

namespace ct {

/// Claims `path` at once, so an output that cannot be written is reported before a capture. begin() replaces the
/// content. Even if the process is killed, the file is a valid database up to the latest commit. Its -journal, if there
/// is one, belongs to it. A file that was made here and got no content is removed.
Result<std::unique_ptr<RowStore>> makeSqliteStore(const std::string &path);

}  // namespace ct
