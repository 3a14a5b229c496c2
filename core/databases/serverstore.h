// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the stores of servers share: errors that say what is in the database, and keys of sessions.
#pragma once

#include "core/base/result.h"

#include <string>

namespace ct {

/// For an error before the statement that makes the session visible, or one that the server has answered with.
Error nothingStored(Error error);
/// For an error after that statement was sent: its answer is missing.
Error perhapsStored(Error error);
/// As nothingStored().
Result<void> orNothingStored(Result<void> done);

/// The key of a session in a database. A long one ends with a hash, because an index of PostgreSQL has no room for it.
std::string storedKey(const std::string &sessionKey);

}  // namespace ct
