// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Queries on a database that a test has written.
#pragma once

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QStringList>

namespace exporttest {

/// A read-only connection to a database.
class Database {
public:
    explicit Database(const QString &path)
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name);
        database.setConnectOptions(QStringLiteral("QSQLITE_OPEN_READONLY"));
        database.setDatabaseName(path);
        database.open();
    }
    ~Database()
    {
        QSqlDatabase::database(m_name, false).close();
        QSqlDatabase::removeDatabase(m_name);
    }

    /// Returns all rows. Columns are joined by '|'; NULL is an empty string. On failure: the error message.
    QStringList rows(const char *sql) const
    {
        QSqlQuery query(QSqlDatabase::database(m_name, false));
        QStringList rows;
        query.setForwardOnly(true);
        if (!query.exec(QString::fromLatin1(sql)))
            return {query.lastError().text()};
        const int columns = query.record().count();
        while (query.next()) {
            QStringList row;
            for (int column = 0; column < columns; ++column)
                row << query.value(column).toString();
            rows << row.join(QLatin1Char('|'));
        }
        return rows;
    }

private:
    const QString m_name = QStringLiteral("tst_export");
};

}  // namespace exporttest
