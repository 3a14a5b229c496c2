// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pieces of SQL that several dialects share.
#pragma once

#include "core/databases/schema.h"

#include <string>
#include <string_view>

namespace ct {

/// The columns of a table, separated by commas. `quoted`: quotes a name.
std::string columnNames(const TableSchema &schema, std::string (*quoted)(std::string_view name));

/// Replaces each occurrence of `from` by `to`. Translates the views of traceviews.h, which are in the SQL of SQLite.
std::string withReplaced(std::string text, std::string_view from, std::string_view to);

}  // namespace ct
