// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Passwords that the user gave to this process, by server and user. They never become a part of an address, which
// messages, settings and lists of processes show. Any thread.
#pragma once

#include "core/databases/serveraddress.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ct {

/// Keeps the password until the process ends. It precedes the one in the environment. "" forgets it.
void keepServerPassword(const ServerAddress &address, const std::string &password);
/// The password that was kept for the server and the user of `address`, whatever its database; nullopt = none.
std::optional<std::string> keptServerPassword(const ServerAddress &address);

/// The variable of the environment in which the driver looks for a password.
const char *passwordVariable(ServerAddress::Kind kind);

/// Where users of this process enter passwords.
enum class PasswordInput : std::uint8_t { Terminal, Window };
/// Call before the first connection. At first, it is the terminal.
void setPasswordInput(PasswordInput input);
/// The remedy for a connection that a server refused because the password is missing or wrong.
std::string passwordRemedy(const ServerAddress &address);

}  // namespace ct
