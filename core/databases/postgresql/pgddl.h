// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SQL of PostgreSQL for the tables of schema.h.
//
// Each table is all_NAME, with a column `session`, partitioned by it: one partition for a session. The views NAME show
// one session: the latest one, or that of SET corotracer.session = N. The view sessions shows all of them.
// stored_sessions has those that are complete.
#pragma once

#include "core/databases/schema.h"

#include <string>

namespace ct::postgresql {

/// Makes all tables, indexes and views that do not exist. `flatView`: name of the view with the columns of the existing
/// collector.
std::string makeSchema(const std::string &flatView);
/// A query for the names of views that makeSchema() would replace, although other programs have made them.
std::string findViewsOfOthers(const std::string &flatView);
/// The partition of a session, in double quotes.
std::string partitionOf(Table table, std::uint64_t session);
/// Makes it as a table of its own, which no query on the partitioned table sees.
std::string makePartition(Table table, std::uint64_t session);
/// Makes the key and the indexes that the partitioned table has; "" if it has none. attachPartition() adopts them, and
/// so is short.
std::string makeIndexes(Table table, std::uint64_t session);
std::string attachPartition(Table table, std::uint64_t session);
/// The partition with its columns, for COPY.
std::string copyTarget(Table table, std::uint64_t session);

}  // namespace ct::postgresql
