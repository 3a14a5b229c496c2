// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Adds to SQLite's errors what they lack: the position of an unknown table, a similar name, and what to do.
#pragma once

#include "core/query/tracequery.h"

#include <string_view>

namespace ct::query {

/// `error`: from SQLite, of `statement`.
QueryError withRemedy(QueryError error, std::string_view statement);

}  // namespace ct::query
