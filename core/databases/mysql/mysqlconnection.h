// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One connection to a MariaDB or MySQL database through Qt SQL, with errors as Results. Belongs to the thread that
// opened it.
#pragma once

#include "core/base/result.h"
#include "core/databases/serveraddress.h"
#include "core/recording/read/streamfile.h"

#include <QSqlDatabase>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

class QSqlQuery;

namespace ct {

class MysqlCanceller;

class MysqlConnection {
public:
    /// Creates the database if it does not exist. The password is the one that was kept for the server, or else comes
    /// from MYSQL_PWD. `isCancelled`: ends later statements with ErrorCode::Cancelled; asked on another thread.
    static Result<std::unique_ptr<MysqlConnection>> open(const ServerAddress &address, IsCancelled isCancelled = {});
    /// Connects without a database, and creates none.
    static Result<std::unique_ptr<MysqlConnection>> openServer(const ServerAddress &address);
    ~MysqlConnection();  ///< the server rolls back an open transaction, and releases named locks
    MysqlConnection(const MysqlConnection &) = delete;
    MysqlConnection &operator=(const MysqlConnection &) = delete;

    /// Runs one statement, in UTF-8.
    Result<void> run(std::string_view statement);
    /// Runs one statement. Returns the number of changed rows.
    Result<std::uint64_t> change(const std::string &statement);
    /// Runs the statements in order, up to the first error.
    Result<void> runAll(const std::vector<std::string> &statements);
    /// The first column of all rows.
    Result<std::vector<std::string>> column(const std::string &query);
    /// The first column of the first row; 0 = no row.
    Result<std::uint64_t> number(const std::string &query);
    /// From now on, statements run to their end even if the user cancels the export. Call it before removing what a
    /// cancelled export has left.
    void ignoreCancelling();
    bool usesTls() const;
    /// True if the connection has ended: the latest statement may have been executed although it failed.
    bool isLost() const { return m_isLost; }

private:
    explicit MysqlConnection(const ServerAddress &address);
    Result<void> connect();
    Result<void> useDatabase();
    Result<void> obeyCancelling(IsCancelled isCancelled);
    bool execute(QSqlQuery &query, const QString &statement);
    Result<void> checkTls() const;
    Error error(const class QSqlError &failed);
    Error refusal();

    const ServerAddress m_address;
    const QString m_name;
    QSqlDatabase m_database;
    std::unique_ptr<MysqlCanceller> m_canceller;  ///< nullptr: statements cannot be cancelled
    bool m_isLost = false;
};

/// A name in back quotes.
std::string mysqlIdentifier(std::string_view name);
/// Appends a text in single quotes.
void appendMysqlLiteral(std::string &out, std::string_view text);
/// A text in single quotes.
std::string mysqlLiteral(std::string_view text);

}  // namespace ct
