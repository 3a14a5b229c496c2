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

    /// Returns where the stuck coroutines wait, as "file:line" without the directory. Each stuck coroutine counts.
    QStringList stuckAt() const
    {
        QStringList result;
        for (const QJsonValue &one : m_summary.value(QLatin1String("stuck")).toArray()) {
            const QString site = one[QLatin1String("site")].toString();
            result << site.section(QLatin1Char(' '), 0, 0).section(QLatin1Char('/'), -1);
        }
        result.sort();
        return result;
    }
    /// Returns the names of the stuck coroutines; "" for one without a name.
    QStringList stuckNames() const
    {
        QStringList result;
        for (const QJsonValue &one : m_summary.value(QLatin1String("stuck")).toArray()) {
            const QString id = textOf(one[QLatin1String("coroutine")].toInteger());
            result << rows(("SELECT name FROM coroutines WHERE coroutine = " + id.toLatin1()).constData());
        }
        result.sort();
        return result;
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
