// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One attempt to connect to PostgreSQL with libpq alone. Unlike with Qt's driver, it can be stopped, and the reason of
// a refusal is known.
#pragma once

#include "core/base/result.h"
#include "core/databases/serveraddress.h"

#include <functional>
#include <memory>
#include <string>

struct pg_conn;

namespace ct {

struct PgAttempt {
    struct Finish {
        void operator()(pg_conn *handle) const;
    };
    std::unique_ptr<pg_conn, Finish> handle;  ///< never nullptr
    bool isConnected = false;
    bool wantsPassword = false;  ///< refused because the password is missing or wrong
    bool lacksTls = false;       ///< failed because the server offers no TLS, or no trusted certificate
    bool isForeign = false;      ///< what answered is no PostgreSQL server
    std::string state;           ///< SQLSTATE of the refusal; empty: the server gave none
    std::string text;            ///< the refusal, one line

    /// The database does not exist.
    bool lacksDatabase() const { return state == "3D000"; }
};

/// Waits at most ten seconds. While it waits, it calls `stops` repeatedly; if that returns true, it gives up.
PgAttempt attemptPgConnection(const ServerAddress &address, const std::string &database,
                              const std::function<bool()> &stops = {});
/// The error of a failed attempt. PermissionDenied: the password is missing or wrong.
Error refusalOf(const ServerAddress &address, const PgAttempt &attempt);

}  // namespace ct
