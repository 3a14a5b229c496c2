// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commandline/commandline.h"

namespace ct {

/// Keeps passwords for the servers on the command line: that of -db-password, or else one that the user types. Asks
/// once per server that wants one, and only on a terminal.
void provideDatabasePasswords(const CommandLine &line);

}  // namespace ct
