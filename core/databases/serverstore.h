// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Shared by the stores of servers: errors that say what the database has, and keys of sessions.
#pragma once

#include "core/base/result.h"
#include "core/databases/serveraddress.h"

#include <cstdint>
#include <string>

namespace ct {

/// Adds to an error that nothing was stored: publishing had not begun, or the server refused it.
Error nothingStored(Error error);
/// The remedy for a database that is missing and cannot be created.
inline constexpr const char *kNoDatabaseRemedy =
    "let an administrator create the database and grant you the right to use it, or choose another one";
/// Adds to an error that it is not known whether the session was stored: publishing was not answered.
Error perhapsStored(Error error);
/// `done`, with nothingStored() applied to its error.
Result<void> orNothingStored(Result<void> done);

/// The key of a session as stored. The end of a long key is replaced by a hash, to fit into an index of PostgreSQL.
std::string storedKey(const std::string &sessionKey);
/// Keys of sessions that are stored for a view with a name of its own begin with this text. So the view finds them, and
/// an export with another name does not replace them.
std::string keyPrefix(const std::string &ownView);
/// The key of session `number` that is stored at an address. `sessionKey`: empty = a new session.
std::string storedKeyAt(const ServerAddress &address, const std::string &sessionKey, std::uint64_t number);

}  // namespace ct
