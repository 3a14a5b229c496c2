// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A trace for the tests of queries, and the rows of a query as text.
#pragma once

#include "core/query/tracequery.h"

#include <QStringList>

#include <atomic>
#include <memory>

namespace querytest {

using namespace ct;

struct SharedTrace {
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<History> history = std::make_shared<History>(64U << 20);

    bool consume(const Batch &batch) const { return population->consume(batch) && history->consume(batch); }
    QueriedTrace trace() const { return {population, history, {}, {}}; }
};

inline QString textOf(const QueryValue &value)
{
    struct Text {
        QString operator()(std::monostate) const { return {}; }
        QString operator()(std::int64_t number) const { return QString::number(number); }
        QString operator()(double number) const { return QString::number(number, 'g', 12); }
        QString operator()(const std::string &text) const { return QString::fromStdString(text); }
    };
    return std::visit(Text(), value);
}

inline QStringList rowsOf(const QueryOutcome &outcome)
{
    if (outcome.error)
        return {QString::fromStdString(outcome.error->error.message)};
    QStringList rows;
    for (std::size_t row = 0; row < outcome.rows.count(); ++row) {
        QStringList values;
        for (std::size_t column = 0; column < outcome.rows.columns.size(); ++column)
            values << textOf(outcome.rows.at(row, column));
        rows << values.join(QLatin1Char('|'));
    }
    return rows;
}

inline QueryOutcome outcomeOf(const QueriedTrace &trace, const QString &sql, const QueryLimits &limits = {})
{
    const std::atomic<bool> cancelled{false};
    return runQuery(trace, sql.toStdString(), cancelled, limits);
}

/// The rows, with values joined by '|', or the message of the error.
inline QStringList rows(const QueriedTrace &trace, const QString &sql)
{
    return rowsOf(outcomeOf(trace, sql));
}

}  // namespace querytest
