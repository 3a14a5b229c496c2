// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sqltext.h"

#include "core/databases/traceviews.h"

namespace ct {

std::string columnNames(const TableSchema &schema, std::string (*quoted)(std::string_view name))
{
    std::string names;
    for (const Column &column : schema.columns)
        names += (names.empty() ? "" : ", ") + quoted(column.name);
    return names;
}

ViewNames viewNames(const std::string &flatView, std::string (*quoted)(std::string_view text))
{
    ViewNames names{quoted(flatView), {}};
    for (std::size_t i = 0; i < kTables; ++i)
        names.ofTables += ", " + quoted(serverNameOf(static_cast<Table>(i)));
    for (const TraceView &view : kTraceViews)
        names.ofTraces += (names.ofTraces.empty() ? "" : ", ") + quoted(view.name);
    return names;
}

Error viewOfOthers(const std::string &server, const std::string &view)
{
    return {ErrorCode::AlreadyExists, server + ": the view " + view +
                                          " belongs to another program; choose another database, or another name with "
                                          "?table=NAME"};
}

Error tableOfOthers(const std::string &server, const std::string &table, const std::string &flatView)
{
    std::string message = server + ": the table " + table + " belongs to another program; choose another database";
    if (table == flatView)
        message += ", or another name with ?table=NAME";
    else if (table == movedTable(flatView))
        message += ", or rename that table";
    return {ErrorCode::AlreadyExists, message};
}

std::string movedTable(const std::string &flatView)
{
    return flatView + "_of_collector";
}

std::string movedTableRemark(const std::string &flatView)
{
    return "the table " + flatView + " of the existing coroTracer collector is now named " + movedTable(flatView) +
           ", and " + flatView + " shows the latest session";
}

std::string withReplaced(std::string text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace ct
