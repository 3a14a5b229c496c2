// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One connection to a SQLite database, with errors as Result. Belongs to the thread that opened it.
#pragma once

#include "core/base/result.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QVariant>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

class QSqlError;

namespace ct {

class SqliteConnection {
public:
    static Result<std::unique_ptr<SqliteConnection>> open(const std::string &path);
    ~SqliteConnection();  ///< rolls back an open transaction
    SqliteConnection(const SqliteConnection &) = delete;
    SqliteConnection &operator=(const SqliteConnection &) = delete;

    /// `statement` is Latin-1.
    Result<void> run(std::string_view statement);
    Result<QSqlQuery> prepare(std::string_view statement);
    Result<void> execute(QSqlQuery &query, std::initializer_list<QVariant> values);

    /// Does nothing when a transaction is open.
    Result<void> beginTransaction();
    /// Does nothing when no transaction is open.
    Result<void> commit();
    /// Ends an open transaction without its changes, also after an error. The next statement can begin another one.
    void rollback();

    /// Sets what errors report about the content from now on: a sentence without its full stop.
    void setContent(std::string content) { m_content = std::move(content); }

private:
    explicit SqliteConnection(std::string path);
    /// `isAtLimit`: the statement reached the limit on the size of files.
    Error errorOf(const QSqlError &error, bool isAtLimit);

    std::string m_path;
    QString m_name;
    QSqlDatabase m_database;
    std::string m_content = "the database is valid up to the latest commit";
    bool m_inTransaction = false;
    bool m_hasFailed = false;  ///< the journal may have pages to put back
};

}  // namespace ct
