// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace ct {

/// True if a user can be asked: standard input and standard error are a terminal.
bool canAskForPassword();
/// Asks on standard error and reads a line from standard input, which the terminal does not show. The signals that end
/// or stop a program take effect after the terminal is as before. nullopt: the user gave none.
std::optional<std::string> askForPassword(const std::string &question);

}  // namespace ct
