// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SQL of MariaDB and MySQL for the tables of schema.h, as in PostgreSQL: tables all_NAME with one partition for
// each session, and views NAME of the latest session. A session is loaded into tables of its own, without indexes,
// which become partitions at the end.
#pragma once

#include "core/databases/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct::mysql {

/// Makes all tables and views that do not exist, except the flat view.
std::vector<std::string> makeSchema();
/// Makes the view with the columns of the existing collector. `keyPrefix`: of the sessions of which it shows the
/// latest; empty: of all.
std::string makeFlatView(const std::string &flatView, const std::string &keyPrefix);
/// A query for the names of other programs' views that makeSchema() would replace.
std::string findViewsOfOthers(const std::string &flatView);
/// A query for the names of other programs' tables that makeSchema() needs.
std::string findTablesOfOthers(const std::string &flatView);
/// A query for the table of the existing collector that has the name of the flat view.
std::string findCollectorsTable(const std::string &flatView);
/// Renames that table. Waits for its readers.
std::string moveCollectorsTable(const std::string &flatView);
/// The table into which the rows of a session are loaded, in back quotes.
std::string loadedTable(Table table, std::uint64_t session);
std::vector<std::string> makeLoadedTable(Table table, std::uint64_t session);
/// Creates the indexes of a loaded table; "" if it has none.
std::string makeKeys(Table table, std::uint64_t session);
/// Turns a loaded table into a partition. Waits for the readers of the partitioned table.
std::vector<std::string> attachLoadedTable(Table table, std::uint64_t session);
/// A query whose rows are the statements that remove a session.
std::string findRemovals(std::uint64_t session);
/// The beginning of the INSERT statement, up to its rows.
std::string insertInto(Table table, std::uint64_t session);

}  // namespace ct::mysql
