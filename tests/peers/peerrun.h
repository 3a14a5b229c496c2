// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batch runs of the programs of other libraries, and the contents of their databases.
#pragma once

#include "tests/core/exporting/database.h"
#include "tests/support/runner.h"

#include <set>

namespace peers {

inline QString textOf(qint64 number)
{
    return QString::number(number);
}

/// A batch run that writes a database.
class Run {
public:
    explicit Run(const char *program, const QStringList &arguments, const QStringList &options = {})
        : m_batch(QStringList{QStringLiteral("-o"), QStringLiteral("run.sqlite")} + options,
                  runner::target(program, arguments))
    {
        m_batch.process().setWorkingDirectory(QFileInfo(m_batch.path("run.sqlite")).path());
        m_status = m_batch.run();
        m_summary = m_batch.summary();
    }
    int status() const { return m_status; }
    qint64 sum(const char *name) const { return runner::integer(m_summary, name); }
    QStringList rows(const char *sql) const { return exporttest::Database(m_batch.path("run.sqlite")).rows(sql); }
    QByteArray errors() { return m_batch.err(); }
    QByteArray output() { return m_batch.out(); }

    /// Returns where coroutines wait for an object that is neither a coroutine nor a time, and were not woken, as
    /// "file:line" without the directory. `condition`: in SQL, on their row `c` of table coroutines.
    QStringList unwokenAt(const char *condition) const
    {
        const std::string sql =
            "SELECT t.file || ':' || t.line FROM waits w JOIN coro_trace t ON t.coroutine = w.coroutine AND t.n = w.n "
            "JOIN coroutines c ON c.coroutine = w.coroutine LEFT JOIN wakes ON wakes.coroutine = w.coroutine AND "
            "wakes.n > w.n WHERE w.kind = 'other' AND wakes.n IS NULL AND " +
            std::string(condition);
        QStringList result;
        for (const QString &row : rows(sql.c_str()))
            result << row.section(QLatin1Char('/'), -1);
        return result;
    }
    /// Returns how many coroutines the rule does not judge, because data are missing.
    qint64 notJudged(const char *rule) const
    {
        qint64 count = 0;
        for (const QJsonValue &one : m_summary.value(QLatin1String("abstained")).toArray())
            count += one[QLatin1String("rule")] == QLatin1String(rule) ? one[QLatin1String("count")].toInteger() : 0;
        return count;
    }

private:
    runner::Batch m_batch;
    int m_status = -1;
    QJsonObject m_summary;
};

/// Returns "file:line" of the only line of a program of this directory that contains `text`.
inline QString lineWith(const char *file, const QByteArray &text)
{
    const QList<QByteArray> lines =
        runner::readAll(runner::sourceFile((QByteArray("tests/peers/") + file).constData())).split('\n');
    int found = 0;
    for (int i = 0; i < lines.size(); ++i) {
        if (lines[i].contains(text))
            found = found == 0 ? i + 1 : -1;
    }
    return QLatin1String(file) + QLatin1Char(':') + textOf(found);
}

}  // namespace peers
