// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A trace for the tests of queries, and the rows of a query as text.
#pragma once

#include "core/query/tracequery.h"
#include "core/reporting/report.h"

#include <QStringList>

#include <atomic>
#include <map>
#include <memory>

namespace querytest {

using namespace ct;

struct SharedTrace {
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<History> history = std::make_shared<History>(64U << 20);

    bool consume(const Batch &batch) const { return population->consume(batch) && history->consume(batch); }
    QueriedTrace trace() const { return {population, history, {}, {}, {}, {}}; }
};

/// A finding about two coroutines of the trace and a later one, and a finding of the whole run.
inline std::shared_ptr<const Report> sampleReport()
{
    Report report;
    report.judgedAt = 9100;
    ReportedFinding lock;
    lock.finding.rule = Rule::Deadlock;
    lock.finding.severity = Severity::Error;
    lock.finding.confidence = 0.948;
    lock.finding.coroutines = {5, 0, 5, 4'000'000};
    lock.finding.since = 8750;
    lock.finding.message = "it waits for itse\xFFlf";
    lock.finding.evidence = {"one", "two"};
    lock.function = "serve(int)";
    lock.file = "a \"b\", c.cpp";
    lock.line = 88;
    lock.pid = 4242;
    lock.fingerprint = "0123456789abcdef";
    ReportedFinding capture;
    capture.finding.rule = Rule::Capture;
    capture.finding.message = "events were lost";
    capture.fingerprint = "fedcba9876543210";
    report.findings = {lock, capture};
    return std::make_shared<const Report>(std::move(report));
}

/// Resolves every address to two functions, one inlined into the other.
class TwoFunctions final : public ExportResolver {
public:
    Answer known(const EventAddress &address) override
    {
        const auto found = m_answers.find(address.addr);
        return found == m_answers.end() ? nullptr : found->second;
    }
    void resolve(const std::vector<EventAddress> &addresses) override
    {
        for (const EventAddress &address : addresses) {
            DescribedAddress described;
            described.frames = {{"inner '" + std::to_string(address.addr) + "'", "i.cpp", 7, 3, true},
                                {"outer", "o.cpp", 0, 0, false}};
            described.module = "/bin/server";
            m_answers[address.addr] = std::make_shared<const DescribedAddress>(std::move(described));
        }
    }
    std::uint64_t lineSince(const EventAddress &) override { return 0; }

private:
    std::map<std::uint64_t, Answer> m_answers;
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
