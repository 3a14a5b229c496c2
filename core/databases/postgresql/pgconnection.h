// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One connection to a PostgreSQL database. Qt's driver opens it; statements and COPY, which Qt SQL lacks, use libpq
// through the driver's handle. Errors are Results. Belongs to the thread that opened it.
#pragma once

#include "core/base/result.h"
#include "core/databases/serveraddress.h"
#include "core/recording/read/streamfile.h"

#include <QSqlDatabase>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct pg_conn;
struct pg_result;

namespace ct {

/// The rows of an answer. Movable.
class PgRows {
public:
    PgRows() = default;
    int count() const;
    int columns() const;
    /// nullopt = NULL. Valid during the life of this object.
    std::optional<std::string_view> cell(int row, int column) const;

private:
    friend class PgConnection;
    struct Clear {
        void operator()(pg_result *result) const;
    };
    explicit PgRows(pg_result *result) : m_result(result) {}
    std::unique_ptr<pg_result, Clear> m_result;
};

class PgConnection {
public:
    enum class IfMissing : std::uint8_t { Create, Fail };
    /// `ifMissing`: what to do if the database does not exist. The password is the one kept for the server, or else
    /// comes from PGPASSWORD, PGPASSFILE or ~/.pgpass. `isCancelled`: ends the waits of this call and of all later
    /// ones; after that, only the destructor may be called.
    static Result<std::unique_ptr<PgConnection>>
    open(const ServerAddress &address, IfMissing ifMissing = IfMissing::Create, IsCancelled isCancelled = {});
    ~PgConnection();  ///< the server rolls back an open transaction
    PgConnection(const PgConnection &) = delete;
    PgConnection &operator=(const PgConnection &) = delete;

    /// True if the connection has ended or a call was cancelled: the latest statement may have been executed although
    /// it failed.
    bool isLost() const;
    /// One or more statements.
    Result<void> run(const std::string &statements);
    /// Runs one or more statements. Returns the rows of the last one.
    Result<PgRows> rows(const std::string &statements);
    /// The first column of the first row; nullopt = no row, or NULL.
    Result<std::optional<std::string>> value(const std::string &query);
    /// The first column of all rows.
    Result<std::vector<std::string>> column(const std::string &query);
    /// Adds rows: `text` has the text format of COPY. `target`: a table and its columns.
    Result<void> copy(const std::string &target, std::string_view text);

private:
    PgConnection(const ServerAddress &address, IsCancelled isCancelled);
    Result<void> connect(IfMissing ifMissing);
    Result<void> connectTo(const std::string &database);
    Error refusal(const struct PgAttempt &attempt) const;
    Result<void> createDatabase();
    pg_result *execute(const std::string &statements);
    bool flush();
    bool sendCopy(std::string_view text);
    bool await();
    bool isCancelled() const { return m_isCancelled && m_isCancelled(); }
    Error failure(const pg_result *result) const;
    Error errorOf(const pg_result *result) const;

    const ServerAddress m_address;
    const QString m_name;
    QSqlDatabase m_database;
    const IsCancelled m_isCancelled;  ///< may be empty
    pg_conn *m_handle = nullptr;      ///< of m_database; it does not block
};

/// An error if the address requires TLS and the connection does not use it.
Result<void> checkPgTls(const ServerAddress &address, pg_conn *handle);

/// A name in double quotes.
std::string pgIdentifier(std::string_view name);
/// A text in single quotes, for a PgConnection.
std::string pgLiteral(std::string_view text);

}  // namespace ct
