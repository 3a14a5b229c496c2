// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// SQL that several dialects share.
#pragma once

#include "core/base/result.h"
#include "core/databases/schema.h"

#include <string>
#include <string_view>

namespace ct {

/// The columns of a table, separated by commas. `quoted`: quotes a name.
std::string columnNames(const TableSchema &schema, std::string (*quoted)(std::string_view name));

/// The views on a server, as two lists of quoted names.
struct ViewNames {
    std::string ofTables;  ///< each shows the latest session of one table
    std::string ofTraces;  ///< those of traceviews.h
};
/// `flatView`: name of the view with the columns of the existing collector. `quoted`: quotes a text.
ViewNames viewNames(const std::string &flatView, std::string (*quoted)(std::string_view text));
/// The error for a view of another program that has one of these names.
Error viewOfOthers(const std::string &server, const std::string &view);
/// The error for a table of another program that has one of these names, or that of a table of exports.
Error tableOfOthers(const std::string &server, const std::string &table, const std::string &flatView);

/// The existing collector adds its events to a table that has the name of the flat view. An export renames that table
/// and leaves its rows as they are.
inline constexpr std::string_view kCollectorsColumns = "id,probe_id,tid,addr,seq,is_active,ts";
std::string movedTable(const std::string &flatView);
/// For RowStore::remark().
std::string movedTableRemark(const std::string &flatView);

/// Replaces each occurrence of `from` by `to`: translates the views of traceviews.h from the SQL of SQLite.
std::string withReplaced(std::string text, std::string_view from, std::string_view to);

}  // namespace ct
