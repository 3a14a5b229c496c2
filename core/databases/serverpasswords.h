// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Passwords that the user entered in this process, by server and user. They are kept apart from addresses, which appear
// in messages, settings and lists of processes. Any thread.
#pragma once

#include "core/base/result.h"
#include "core/databases/serveraddress.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ct {

/// Keeps the password until the process ends. It takes precedence over the environment. "" removes it.
void keepServerPassword(const ServerAddress &address, const std::string &password);
/// The password kept for the server and user of `address`, for any database; nullopt = none.
std::optional<std::string> keptServerPassword(const ServerAddress &address);

/// The environment variable from which the driver takes a password.
const char *passwordVariable(ServerAddress::Kind kind);

/// Where users of this process enter passwords.
enum class PasswordInput : std::uint8_t { Terminal, Window };
/// Call it before the first connection. The default is the terminal.
void setPasswordInput(PasswordInput input);
/// The remedy for a connection that a server refused because the password is missing or wrong.
std::string passwordRemedy(const ServerAddress &address);
/// The message of an error for a dialog with a field for the password: without the place to enter it.
std::string messageInDialog(const Error &error);

}  // namespace ct
