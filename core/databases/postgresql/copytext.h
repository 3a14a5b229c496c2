// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows in the text format of COPY: https://www.postgresql.org/docs/15/sql-copy.html, "Text Format".
#pragma once

#include "core/databases/row.h"
#include "core/databases/schema.h"

#include <string>

namespace ct {

/// In texts, U+FFFD replaces the character NUL, which PostgreSQL cannot store.
void appendCopyRow(std::string &out, const TableSchema &schema, const Row &row);

}  // namespace ct
