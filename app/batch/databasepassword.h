// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commandline/commandline.h"

namespace ct {

/// Puts the password of -db-password into the environment, where the drivers of databases look for one: PGPASSWORD or
/// MYSQL_PWD. Does nothing without one.
void passDatabasePasswordOn(const CommandLine &line);

}  // namespace ct
