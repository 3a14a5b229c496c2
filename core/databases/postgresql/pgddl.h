// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SQL of PostgreSQL for the tables of schema.h.
//
// Each table is all_NAME, partitioned by its column `session`: one partition per session. A view NAME shows one
// session: the latest one, or that of SET corotracer.session = N. The view sessions lists all sessions. The table
// stored_sessions has only complete ones.
#pragma once

#include "core/databases/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ct::postgresql {

/// Creates all missing tables and indexes.
std::string makeTables();

struct View {
    std::string name;
    std::string make;  ///< creates or replaces the view
};
/// All views except the flat view, in the order of their creation.
std::vector<View> tableViews();
/// The view with the columns of the existing collector. `keyPrefix`: of the sessions of which it shows the latest;
/// empty: of all.
View makeFlatView(const std::string &flatView, const std::string &keyPrefix);
/// A query for the names of those views that are missing or different. Replacing a view waits for its readers, and they
/// wait for it.
std::string findOutdatedViews(const std::vector<View> &views);
/// A query for the statements that mark these views, which have just been made, as up to date.
std::string findMarks(const std::vector<View> &views);
/// A query for the names of other programs' views that an export would replace.
std::string findViewsOfOthers(const std::string &flatView);
/// A query for the names of other programs' tables that have the name of a view.
std::string findTablesOfOthers(const std::string &flatView);
/// A query for the tables and views of exports that this role cannot change: "NAME belongs to the role ROLE".
std::string findForeignOwners(const std::string &flatView);
/// A query for the table of the existing collector that has the name of the flat view.
std::string findCollectorsTable(const std::string &flatView);
/// Renames that table.
std::string moveCollectorsTable(const std::string &flatView);
/// The partition of a session, in double quotes.
std::string partitionOf(Table table, std::uint64_t session);
/// Creates the partition as a separate table, which no query on the partitioned table sees.
std::string makePartition(Table table, std::uint64_t session);
/// Creates the key and the indexes that the partitioned table has; "" if it has none. attachPartition() is fast because
/// it adopts them.
std::string makeIndexes(Table table, std::uint64_t session);
std::string attachPartition(Table table, std::uint64_t session);
/// The partition with its columns, for COPY.
std::string copyTarget(Table table, std::uint64_t session);

}  // namespace ct::postgresql
