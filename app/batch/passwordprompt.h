// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace ct {

/// True if the user can be asked: standard input and standard error are terminals.
bool canAskForPassword();
/// Asks on standard error and reads a line from standard input without echo. Signals that end or stop the program take
/// effect after the terminal is restored. nullopt: the user entered nothing.
std::optional<std::string> askForPassword(const std::string &question);

}  // namespace ct
