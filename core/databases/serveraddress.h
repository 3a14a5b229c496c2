// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The address of a database on a server, as users write it:
//   postgresql://USER@HOST:PORT/DATABASE?OPTION=VALUE&...
//   mysql://USER@HOST:PORT/DATABASE?OPTION=VALUE&...
// Options: table (name of the flat view of the latest session), session (number or key of the one to read), socket
// (path of a Unix socket, or of its folder), sslmode (disable, prefer, require, verify-ca, verify-full), sslrootcert (a
// file of certificates), maintenance (PostgreSQL: the database to connect to when DATABASE does not exist yet).
#pragma once

#include "core/base/result.h"

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
    std::string table = "coro_trace_events";
    std::string maintenance = "postgres";
    std::string session;      ///< for reading: its number or its key; empty: the one that was stored last
    std::string sslMode;      ///< empty: the driver's default
    std::string certificate;  ///< sslrootcert; empty: none

    /// Connections without TLS must be refused.
    bool needsTls() const { return sslMode == "require" || sslMode.starts_with("verify-"); }
    const std::string &hostOrSocket() const { return socket.empty() ? host : socket; }
    /// For messages: postgresql://USER@HOST:PORT/DATABASE.
    std::string name() const;
};

/// The error of a connection without the TLS that `address` requires.
Error withoutTls(const ServerAddress &address);
/// Ends a message about a server that offers no TLS, or a certificate that is not trusted.
std::string tlsRemedy(const ServerAddress &address);
/// Returns true if `text` begins like an address of a server, and is no path.
bool isServerAddress(std::string_view text);
/// A password in the address is an error: other users can read it in the list of processes.
Result<ServerAddress> parseServerAddress(const std::string &text);
/// The text that parseServerAddress() turns into this address.
std::string addressText(const ServerAddress &address);
/// Identifies the run of an input among the sessions of a server: the path, absolute and normalised, or the address.
/// Standard input is empty, and so is the result: each run from there is one of its own.
std::string sourceOfInput(const std::string &input);
/// The user who connects: that of the address, or else the user of the process.
std::string userOf(const ServerAddress &address);

}  // namespace ct
