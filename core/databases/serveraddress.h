// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The address of a database on a server, as users write it:
//   postgresql://USER@HOST:PORT/DATABASE?OPTION=VALUE&...
//   mysql://USER@HOST:PORT/DATABASE?OPTION=VALUE&...
// Options: table (name of the view with the events of the latest session), session (number or key of the session to
// read), socket (path of a Unix socket, or of its folder), sslmode (disable, prefer, require, verify-ca, verify-full),
// sslrootcert (file of certificates), maintenance (PostgreSQL: the database from which a missing DATABASE is created).
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

struct ServerAddress {
    enum class Kind : std::uint8_t { PostgreSql, MySql };
    Kind kind = Kind::PostgreSql;
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    std::string socket;  ///< empty: TCP
    std::string user;    ///< empty: the name of the process's user
    std::string database = "coro_tracer";
    std::string table = "coro_trace_events";  ///< name of the flat view; see hasOwnView()
    std::string maintenance = "postgres";
    std::string session;      ///< number or key of the session to read; empty: the one that was stored last
    std::string sslMode;      ///< empty: the driver's default
    std::string certificate;  ///< sslrootcert; empty: none

    /// True if a connection without TLS must be refused.
    bool needsTls() const { return sslMode == "require" || sslMode.starts_with("verify-"); }
    /// False: the flat view shows the session that was stored last. True: with a name of its own, it shows the latest
    /// of the sessions that were stored with that name.
    bool hasOwnView() const { return table != ServerAddress().table; }
    const std::string &hostOrSocket() const { return socket.empty() ? host : socket; }
    /// For messages: postgresql://USER@HOST:PORT/DATABASE. With a socket, it has the port only if that is unusual.
    std::string name() const;
};

/// True for two addresses of the same database, whatever their sessions are.
bool areSameDatabase(const ServerAddress &one, const ServerAddress &other);
/// The error for a connection without the TLS that `address` requires.
Error withoutTls(const ServerAddress &address);
/// The remedy for a server that offers no TLS, or whose certificate is not trusted.
std::string tlsRemedy(const ServerAddress &address);
/// True if `text` begins with the scheme of a server's address, so it is not a path.
bool isServerAddress(std::string_view text);
/// A password in the address is an error, because other users can see it in the list of processes.
Result<ServerAddress> parseServerAddress(const std::string &text);
/// Refuses the choice of a session, which only an input can make.
Result<ServerAddress> parseTargetAddress(const std::string &text);
/// The most bytes of `table`. PostgreSQL cuts off the rest.
inline constexpr std::size_t kMostTableBytes = 63;
/// Returns true if an export makes a table or view of this name, which `table` cannot have.
bool isMadeByExports(const std::string &table);
/// The problem with the name of the database, without the address; empty: none.
std::string databaseProblem(const ServerAddress &address);
/// The inverse of parseServerAddress().
std::string addressText(const ServerAddress &address);
/// The key of an input among the sessions of a server: the absolute, normalised path, or the address, in any bytes.
/// Empty for standard input (""), because each run from there is a new session.
std::string sourceOfInput(const std::string &input);
/// The user who connects: the one in the address, or else the user of the process.
std::string userOf(const ServerAddress &address);

}  // namespace ct
