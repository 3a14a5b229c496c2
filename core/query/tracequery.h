// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// SQL queries on a trace in memory. SQLite reads the trace in place, through virtual tables with the names and columns
// of the SQLite export (core/databases/schema.h), and the views of core/databases/traceviews.h.
// See docs/decisions/0038-sql-over-the-trace.md.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/base/result.h"
#include "core/recording/read/streamindex.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ct {

struct Report;

struct QueriedTrace {
    std::shared_ptr<const Population> population;
    std::shared_ptr<const History> history;
    Accounting sums;                           ///< of the run, for counts that the trace lacks
    std::shared_ptr<ExportResolver> resolver;  ///< of addresses without a site; may be null
    /// Index of the recording, for events that memory has evicted; nullptr = no recording.
    std::shared_ptr<const StreamIndex> streamIndex;
    /// Judges the trace as it is when this is called, on the thread of the query; empty = there is no judge.
    std::function<std::shared_ptr<const Report>()> report;
};

/// NULL, an integer, a real number or a text. A blob becomes a text of hexadecimal digits.
using QueryValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct QueryRows {
    std::vector<std::string> columns;
    std::vector<QueryValue> values;  ///< row by row

    std::size_t count() const { return columns.empty() ? 0 : values.size() / columns.size(); }
    const QueryValue &at(std::size_t row, std::size_t column) const { return values[row * columns.size() + column]; }
};

struct QueryError {
    Error error;
    std::optional<std::size_t> offset;  ///< of the error in the statement, in bytes
};

struct QueryLimits {
    std::size_t rows = 100'000;
    std::size_t bytes = 256U << 20;  ///< of the values
};

struct QueryOutcome {
    QueryRows rows;        ///< the first rows; empty after an error
    bool hasMore = false;  ///< rows beyond the limits were left out
    std::optional<QueryError> error;
    std::uint64_t elapsedNs = 0;
    /// Events and causes of the trace that neither memory nor the recording had at the end of the query. They are not
    /// in the result.
    std::uint64_t missingEvents = 0;
    std::uint64_t missingCauses = 0;
};

/// Runs one SELECT statement on the trace as it is at the time of the call; what is added later is left out. If the
/// statement reads findings, the trace is judged once, before the first row. Any thread. Neither the writer nor other
/// readers of the trace wait for it. To stop it within 100 ms, or at the end of a judgement, set `cancelled` on another
/// thread.
QueryOutcome runQuery(const QueriedTrace &trace, const std::string &statement, const std::atomic<bool> &cancelled,
                      const QueryLimits &limits = {});

/// A table or view that a query can read.
struct QueriedTable {
    std::string name;
    std::vector<std::string> columns;
    bool isView = false;
};
/// All tables, then all views.
const std::vector<QueriedTable> &queriedTables();

}  // namespace ct
