// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One connection to a SQLite database, with our kind of errors. Belongs to the thread that opened it.
#pragma once

#include "core/result.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QVariant>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace ct {

class SqliteConnection {
public:
    static Result<std::unique_ptr<SqliteConnection>> open(const std::string &path);
    ~SqliteConnection();  ///< rolls an open transaction back
    SqliteConnection(const SqliteConnection &) = delete;
    SqliteConnection &operator=(const SqliteConnection &) = delete;

    /// `statement` is Latin-1.
    Result<void> run(std::string_view statement);
    Result<QSqlQuery> prepare(std::string_view statement);
    Result<void> execute(QSqlQuery &query, std::initializer_list<QVariant> values);

    /// Nothing, when a transaction is open already.
    Result<void> begin();
    /// Nothing, when none is open.
    Result<void> commit();

private:
    explicit SqliteConnection(std::string path);

    std::string m_path;
    QString m_name;
    QSqlDatabase m_database;
    bool m_inTransaction = false;
};

}  // namespace ct
