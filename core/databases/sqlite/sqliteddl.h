// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SQL of SQLite for the tables of schema.h.
#pragma once

#include "core/databases/schema.h"

#include <string>

namespace ct::sqlite {

std::string createTable(const TableSchema &schema);
std::string createIndex(const IndexSchema &index);
/// The statement that adds a row, or replaces the one with the same key: one parameter for each column.
std::string insertRow(const TableSchema &schema);

}  // namespace ct::sqlite
